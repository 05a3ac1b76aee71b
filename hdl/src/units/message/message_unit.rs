//! Message unit: what the routers of a Dragonfly's group tell each other.
//!
//! State: that of the blocks inside: a receiver and a sender for each local port; ECtN; saturation of the own global
//! links; and the saturated links of the other routers. The block `barrier_hold` has no state.
//!
//! Each cycle: messages that came in the cycle before are taken, and messages that are due are sent. With barriers the
//! message unit also hands on their messages, which go before its own.
//!
//! Source: reference of Dragonfly routing, router messages.

use crate::units::prelude::*;
use railyard_spec::router_message::RouterMessages;

/// Barrier messages, which go before router messages.
#[bundle(shape: &Shape)]
pub struct BarrierMessages<D: Side> {
    /// The message register of port p is full.
    pub valid: Sig<D, { shape.ports }>,
    /// The message register of port p is full in the next cycle.
    pub valid_next: Sig<D, { shape.ports }>,
    /// Message of port p.
    pub message: Vec<Sig<D, MESSAGE>, { shape.ports }>,
}

/// What the routers of a Dragonfly's group tell each other.
#[block(shape: &Shape, dragonfly: &DragonflyShape, built: &RouterMessages)]
pub struct MessageUnit {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub rx: Vec<RouterMessagePins<In, built>, locals>,
    pub settings: Bare<MessageSettings<In, built>>,
    pub barriers: Option<BarrierMessages<In, shape>, { shape.barrier.is_some() }>,
    /// Input VC i of nodes and other groups has a packet in front.
    pub front: Option<Sig<In, inputs>, { built.counts }>,
    /// Group of the destination of the packet in front of input VC i.
    pub front_group: Vec<Sig<In, group_bits>, inputs, { built.counts }>,
    /// Places in use behind global output j.
    pub queued: Vec<Sig<In, queue_bits>, globals, { built.saturation }>,
    /// Many packets of this group's routers are for group g.
    pub hot_group: Option<Sig<Out, groups>, { built.counts }>,
    /// Global link j behind port p is saturated: bit j of element p. A global port has its own link at all places.
    pub saturated: Vec<Sig<Out, globals>, ports, { built.saturation }>,
    /// The flit of local port p is a router message, if it is on the control VC.
    pub is_router: Sig<Out, ports>,
    /// A message leaves by port p.
    pub message_valid: Sig<Out, ports>,
    /// Message that leaves by port p.
    pub message: Vec<Sig<Out, message_bits>, ports>,
    /// A message leaves by port p in the next cycle.
    pub message_next: Sig<Out, ports>,
    /// Input i is connected to output o on VC v, element o * k + v.
    pub owner: Vec<Sig<In, ports>, { ports * shape.vcs }, holds>,
    /// VC v of input i is connected to an output that sends a message in the next cycle.
    pub stays_held: Vec<Sig<Out, { shape.vcs }>, ports, holds>,
    pub events: Bare<MessageEvents<Out, ports>>,

    receiver: Vec<MessageReceiver<built>, locals>,
    sender: Vec<MessageSender<built, { shape.barrier.is_some() }>, locals>,
    ectn: Option<Ectn<built, inputs, locals, groups, group_bits>, { built.counts }>,
    saturation: Option<Saturation<globals, queue_bits>, { built.saturation }>,
    hold: Option<BarrierHold<shape>, holds>,
    /// Saturated global links of the router behind local port p.
    told: Option<Regs<locals, globals>, { built.saturation }>,

    /// The messages of counts that are taken.
    heard: Option<Sig<Local, locals>, { built.counts }>,
    /// A message leaves by port p.
    leaving: Sig<Local, ports>,
    /// A router message leaves by port p.
    own_leaving: Sig<Local, ports>,
    /// A message leaves by port p in the next cycle.
    leaving_next: Sig<Local, ports>,
    /// Router message of local port p, as wide as the widest message.
    own_message: Vec<Sig<Local, message_bits>, locals>,

    kind_field: Field<0, BYTE>,
    all_links: Konst<globals, { (1usize << globals) - 1 }>,
    counts: Number<bool, { built.counts }>,
    saturates: Number<bool, { built.saturation }>,
    first_local: Number<{ dragonfly.node_ports }>,
    first_global: Number<{ dragonfly.node_ports + dragonfly.local_ports }>,
    message_bits: Number<{ message_bits(shape) }>,
    inputs: Number<{ (dragonfly.node_ports + dragonfly.global_ports) * shape.vcs }>,
    queue_bits: Number<{ queue_bits(shape) }>,
    group_bits: Number<{ dragonfly.group_bits as usize }>,
    groups: Number<{ dragonfly.groups }>,
    locals: Number<{ dragonfly.local_ports }>,
    globals: Number<{ dragonfly.global_ports }>,
    /// A message holds the packets that are connected to its output.
    holds: Number<bool, { !has_queues(shape) }>,
    ports: Param<{ shape.ports }>,
}

#[kernel]
impl MessageUnit {
    fn update(&mut self) {
        self.receive();
        self.hear_counts();
        self.hear_saturation();
        self.become_due();
        self.show_saturation();
        self.send();
        self.hand_on_barriers();
        self.hold();
    }

    fn receive(&mut self) {
        self.events.good.next = 0.into();
        self.events.bad.next = 0.into();
        self.is_router.next = 0.into();
        for p in 0..self.locals {
            self.rx[p].link(&mut self.receiver[p].rx);
            self.events.good.set(self.first_local + p, self.receiver[p].good.val());
            self.events.bad.set(self.first_local + p, self.receiver[p].bad.val());
            if self.counts {
                if (self.rx[p].message.val() >> self.kind_field.val()) == COUNTS_KIND {
                    self.is_router.set(self.first_local + p, true);
                }
            }
            if self.saturates {
                if (self.rx[p].message.val() >> self.kind_field.val()) == SATURATION_KIND {
                    self.is_router.set(self.first_local + p, true);
                }
            }
        }
    }

    fn hear_counts(&mut self) {
        if let (Some(ectn), Some(heard), Some(front), Some(hot)) =
            (&mut self.ectn, &mut self.heard, &self.front, &mut self.hot_group)
        {
            heard.next = 0.into();
            for p in 0..self.locals {
                if let (Some(counts), Some(index)) = (&self.receiver[p].taken.counts, &self.receiver[p].taken.index) {
                    heard.set(p, counts.val());
                    ectn.heard_index[p].next = index.val();
                    ectn.heard_payload[p].next = self.receiver[p].taken.payload.val();
                }
            }
            ectn.heard.next = heard.val();
            ectn.front.next = front.val();
            for i in 0..self.inputs {
                ectn.front_group[i].next = self.front_group[i].val();
            }
            if let (Some(threshold), Some(period)) = (&self.settings.group_threshold, &self.settings.period) {
                ectn.threshold.next = threshold.val();
                ectn.period.next = period.val();
            }
            hot.next = ectn.hot.val();
        }
    }

    /// What other routers have told stays until they tell anew.
    fn hear_saturation(&mut self) {
        if let (Some(own), Some(told)) = (&mut self.saturation, &mut self.told) {
            for j in 0..self.globals {
                own.queued[j].next = self.queued[j].val();
            }
            if let (Some(factor), Some(offset), Some(gap)) =
                (&self.settings.link_factor, &self.settings.link_offset, &self.settings.gap)
            {
                own.factor.next = factor.val();
                own.offset.next = offset.val();
                own.gap.next = gap.val();
            }
            for p in 0..self.locals {
                if let Some(saturation) = &self.receiver[p].taken.saturation {
                    if saturation.val() {
                        told.d[p].next = unsigned_cast(self.receiver[p].taken.payload.val());
                    }
                }
            }
        }
    }

    fn become_due(&mut self) {
        for p in 0..self.locals {
            let due = &mut self.sender[p].due;
            if let (Some(ectn), Some(counts), Some(word), Some(index)) =
                (&self.ectn, &mut due.counts, &mut due.word, &mut due.index)
            {
                counts.next = ectn.due.val();
                word.next = unsigned_cast(ectn.word.val());
                index.next = ectn.index.val();
            }
            if let (Some(own), Some(saturation), Some(told)) = (&self.saturation, &mut due.saturation, &mut due.told) {
                saturation.next = own.tells.val();
                told.next = unsigned_cast(own.told.val());
            }
        }
    }

    fn show_saturation(&mut self) {
        if let (Some(own), Some(told)) = (&self.saturation, &self.told) {
            for p in 0..self.ports {
                self.saturated[p].next = 0.into();
            }
            for p in 0..self.locals {
                self.saturated[self.first_local + p].next = told.q[p].val();
            }
            for j in 0..self.globals {
                if own.saturated.val().get_bit(j) {
                    self.saturated[self.first_global + j].next = self.all_links.val();
                }
            }
        }
    }

    fn send(&mut self) {
        self.leaving.next = 0.into();
        self.own_leaving.next = 0.into();
        self.leaving_next.next = 0.into();
        for p in 0..self.ports {
            self.message[p].next = 0.into();
        }
        for p in 0..self.locals {
            self.own_message[p].next = unsigned_cast(self.sender[p].message.val());
            self.message[self.first_local + p].next = self.own_message[p].val();
            self.leaving.set(self.first_local + p, self.sender[p].message_valid.val());
            self.own_leaving.set(self.first_local + p, self.sender[p].message_valid.val());
            self.leaving_next.set(self.first_local + p, self.sender[p].message_next.val());
        }
        self.events.sent.next = self.own_leaving.val();
    }

    /// Barrier messages go before.
    fn hand_on_barriers(&mut self) {
        if let Some(barriers) = &self.barriers {
            for p in 0..self.locals {
                if let Some(barrier_next) = &mut self.sender[p].barrier_next {
                    barrier_next.next = barriers.valid_next.val().get_bit(self.first_local + p);
                }
            }
            for p in 0..self.ports {
                if barriers.valid.val().get_bit(p) {
                    self.message[p].next = unsigned_cast(barriers.message[p].val());
                }
            }
            assert!(!(barriers.valid.val() & self.own_leaving.val()).any(), "one message leaves by a port");
        }
    }

    fn hold(&mut self) {
        self.message_valid.next = self.leaving.val();
        self.message_next.next = self.leaving_next.val();
        if let Some(hold) = &mut self.hold {
            hold.message_next.next = self.leaving_next.val();
        }
        if let Some(barriers) = &self.barriers {
            self.message_valid.next = self.leaving.val() | barriers.valid.val();
            self.message_next.next = self.leaving_next.val() | barriers.valid_next.val();
            if let Some(hold) = &mut self.hold {
                hold.message_next.next = self.leaving_next.val() | barriers.valid_next.val();
            }
        }
        if let Some(hold) = &mut self.hold {
            self.owner.link(&mut hold.owner);
            self.stays_held.link(&mut hold.stays_held);
        }
    }
}
