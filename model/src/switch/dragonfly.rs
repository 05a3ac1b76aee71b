//! What only a switch of a Dragonfly has. Source: reference page of Dragonfly routing.

use super::Switch;
use crate::bits::{ones, ones_below};
use crate::counters::event_counters::PortEvent;
use crate::pins::Inputs;
use crate::registers::dragonfly_registers::DragonflySettings;
use crate::route::dragonfly::dragonfly_route::DragonflyRoutes;
use crate::route::dragonfly::hop_counts::HopCounts;
use crate::route::dragonfly::router_messages::RouterMessageUnit;
use crate::route::dragonfly::selection_register::SelectionRegisters;
use railyard_spec::Shape;

/// Route computation, selection registers and messages to other routers.
#[derive(Clone, Debug)]
pub(super) struct Dragonfly {
    pub routes: DragonflyRoutes,
    pub selection: SelectionRegisters,
    pub messages: Option<Box<RouterMessageUnit>>,
    rewrites: bool,
    /// Mask over ports to nodes.
    nodes: u64,
}

impl Dragonfly {
    /// Of a switch of that shape, if it routes in a Dragonfly.
    pub fn new(shape: &Shape) -> Option<Box<Self>> {
        let built = shape.dragonfly()?;
        let (routes, selection) = (DragonflyRoutes::new(built), SelectionRegisters::new(shape)?);
        Some(Box::new(Dragonfly {
            routes,
            selection,
            messages: RouterMessageUnit::new(shape),
            rewrites: built.adaptive() || built.age_bits.is_some(),
            nodes: ones_below(built.node_ports),
        }))
    }

    /// Whether it writes fields of heads.
    pub fn rewrites(&self) -> bool {
        self.rewrites
    }

    /// Mask over inputs whose packets come last at each output.
    pub fn last_inputs(&self, settings: Option<&DragonflySettings>) -> u64 {
        match settings {
            Some(settings) if settings.transit_first => self.nodes,
            _ => 0,
        }
    }

    /// Reset: nothing is in flight.
    pub fn reset(&mut self, shape: &Shape) {
        self.routes.reset();
        self.selection.reset(shape);
        if let Some(messages) = &mut self.messages {
            messages.reset(shape);
        }
    }
}

impl Switch {
    /// What packets were granted since reset, if this switch routes in a Dragonfly.
    pub fn hop_counts(&self) -> Option<HopCounts> {
        self.dragonfly.as_ref().map(|dragonfly| dragonfly.selection.hops())
    }

    /// What decisions read of the connections, before they change.
    #[inline]
    pub(super) fn sense(&mut self) {
        if let Some(dragonfly) = &mut self.dragonfly {
            let scanned = dragonfly.messages.as_ref().and_then(|messages| messages.scanned_group());
            let waiting = self.output_queues.as_ref().map_or(0, |queues| queues.waiting());
            dragonfly.selection.sense(&self.crossbar, waiting, scanned);
        }
    }

    /// Messages to other routers, if this switch sends any.
    #[inline]
    pub(super) fn router_messages(&self) -> Option<&RouterMessageUnit> {
        self.dragonfly.as_ref().and_then(|dragonfly| dragonfly.messages.as_deref())
    }

    /// A flit on the control VC comes by `port` in this cycle. Gives whether it is one of routers.
    #[inline]
    pub(super) fn receive_router_message(&mut self, port: usize, pins: &Inputs) -> bool {
        let messages = self.dragonfly.as_mut().and_then(|dragonfly| dragonfly.messages.as_mut());
        messages.is_some_and(|messages| messages.receive(port, pins))
    }

    /// What routers tell each other of this cycle, by the settings in it.
    #[inline]
    pub(super) fn look_at_links(&mut self) {
        let (Some(dragonfly), Some(settings)) = (&mut self.dragonfly, self.registers.dragonfly()) else { return };
        let Some(messages) = &mut dragonfly.messages else { return };
        messages.sense(settings, dragonfly.selection.of_group(), dragonfly.selection.weights());
    }

    /// Router messages go on to the next cycle. Behind barriers, whose messages go first.
    #[inline]
    pub(super) fn tell_routers(&mut self) {
        let Some(dragonfly) = &mut self.dragonfly else { return };
        let Some(messages) = &mut dragonfly.messages else { return };
        let barriers = self.barrier.as_ref().map_or(0, |barrier| barrier.messages());
        let sent = messages.messages();
        messages.step(barriers);
        if let Some(counters) = &mut self.event_counters {
            let [good, bad] = messages.taken();
            counters.port_events(PortEvent::TxMessages, sent);
            counters.port_events(PortEvent::RxMessages, good);
            counters.port_events(PortEvent::BadMessages, bad);
        }
    }

    /// The heads that were popped in this cycle get the bits of their departure registers.
    #[inline]
    pub(super) fn rewrite_heads(&mut self) {
        let Some(dragonfly) = self.dragonfly.as_ref().filter(|dragonfly| dragonfly.rewrites) else { return };
        let words = self.out.words;
        for output in ones(self.out.tx_valid & self.out.tx_head) {
            let from = self.crossbar.owner(output, 0);
            let flit = &mut self.out.tx_flit[output * words..(output + 1) * words];
            dragonfly.selection.rewrite(self.now, from.input as usize, from.vc as usize, flit);
        }
    }
}
