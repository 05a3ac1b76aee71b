//! What only a switch of a Dragonfly has. Source: reference page of Dragonfly routing.

use super::Switch;
use crate::bits::{ones, ones_below};
use crate::registers::dragonfly_registers::DragonflySettings;
use crate::route::dragonfly::dragonfly_route::DragonflyRoutes;
use crate::route::dragonfly::hop_counts::HopCounts;
use crate::route::dragonfly::selection_register::SelectionRegisters;
use railyard_spec::Shape;

/// Route computation and selection registers.
#[derive(Clone, Debug)]
pub(super) struct Dragonfly {
    pub routes: DragonflyRoutes,
    pub selection: SelectionRegisters,
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
            rewrites: built.adaptive() || built.age_bits.is_some(),
            nodes: ones_below(built.node_ports),
        }))
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
            dragonfly.selection.sense(&self.crossbar);
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
