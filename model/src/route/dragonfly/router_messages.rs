//! Router messages: what the routers of a group tell each other over their local links, one flit at a time on the
//! control VC.
//!
//! Source: reference page of Dragonfly routing, "Router messages".

use super::group_counts::GroupCounts;
use super::saturation::Saturation;
use crate::bits::{ones, ones_below, MAX_PORTS};
use crate::pins::{Inputs, Outputs};
use crate::registers::dragonfly_registers::DragonflySettings;
use railyard_spec::router_message::{RouterMessage, RouterMessageKind, RouterMessages};
use railyard_spec::Shape;

/// A message as it came; none: a bad one.
type Received = Option<RouterMessage>;

/// The messages of a switch, sent and received.
#[derive(Clone, Debug)]
pub struct RouterMessageUnit {
    sizes: RouterMessages,
    vc: usize,
    /// With barriers, only messages of these kinds are of routers; else all are.
    has_barriers: bool,
    /// Mask over local ports.
    locals: u64,
    counts: Option<GroupCounts>,
    saturation: Option<Saturation>,
    /// Receive registers: of this cycle, and those that are filled in it, as masks over ports with their messages.
    received: u64,
    coming: u64,
    messages_received: [Received; MAX_PORTS],
    messages_coming: [Received; MAX_PORTS],
    /// Masks over local ports that are to be sent a message of each kind.
    counts_due: u64,
    saturation_due: u64,
    /// What is sent in this cycle, if it is due: saturated links; index and counters.
    told: u64,
    counted: (u8, u64),
    /// Messages that fall due in this cycle.
    new_counts: bool,
    new_saturation: bool,
    /// Message registers: a mask over ports, and the low bits of the flits.
    sending: u64,
    words: [u128; MAX_PORTS],
    /// Ports whose message was taken in the last step, good and bad ones, as masks.
    taken: [u64; 2],
}

impl RouterMessageUnit {
    /// Of a switch of that shape, if its routers send messages; after reset.
    pub fn new(shape: &Shape) -> Option<Box<Self>> {
        let (sizes, built) = (shape.router_messages()?, shape.dragonfly()?);
        let locals = built.node_ports..built.node_ports + built.local_ports;
        Some(Box::new(RouterMessageUnit {
            sizes,
            vc: shape.control_vc()?,
            has_barriers: shape.barrier.is_some(),
            locals: ones_below(locals.end) & !ones_below(locals.start),
            counts: sizes.counts.then(|| GroupCounts::new(&sizes, built.groups, locals)),
            saturation: sizes.saturation.then(|| Saturation::new(built)),
            received: 0,
            coming: 0,
            messages_received: [None; MAX_PORTS],
            messages_coming: [None; MAX_PORTS],
            counts_due: 0,
            saturation_due: 0,
            told: 0,
            counted: (0, 0),
            new_counts: false,
            new_saturation: false,
            sending: 0,
            words: [0; MAX_PORTS],
            taken: [0; 2],
        }))
    }

    /// The control VC.
    pub fn vc(&self) -> usize {
        self.vc
    }

    /// Mask over outputs whose message register is full: no other flit goes there in this cycle.
    #[inline]
    pub fn messages(&self) -> u64 {
        self.sending
    }

    /// Ports whose message was taken in the last step: good ones and bad ones, as masks.
    pub fn taken(&self) -> [u64; 2] {
        self.taken
    }

    /// The group whose packets are counted in this cycle.
    pub fn scanned_group(&self) -> Option<usize> {
        self.counts.as_ref().map(GroupCounts::scanned)
    }

    /// Whether many packets of the routers are for a group.
    pub fn is_hot_group(&self, group: usize) -> bool {
        self.counts.as_ref().is_some_and(|counts| counts.is_hot(group))
    }

    /// What is known of global links.
    pub fn saturation(&self) -> Option<&Saturation> {
        self.saturation.as_ref()
    }

    /// A flit on the control VC comes by `port` in this cycle. Gives whether that is no matter of barriers.
    #[inline]
    pub fn receive(&mut self, port: usize, pins: &Inputs) -> bool {
        let flit = &pins.rx_flit[port * pins.words..(port + 1) * pins.words];
        let is_built = match flit[0] & 0xff {
            5 => self.sizes.saturation,
            6 => self.sizes.counts,
            _ => false,
        };
        let is_local = self.locals >> port & 1 == 1;
        if self.has_barriers && !(is_local && is_built) {
            return false;
        }
        if is_local {
            let is_whole = (pins.rx_head & pins.rx_tail) >> port & 1 == 1;
            self.coming |= 1 << port;
            self.messages_coming[port] = self.sizes.decode(low_bits(flit)).filter(|_| is_whole);
        }
        true
    }

    /// The messages leave. After the flits of this cycle.
    #[inline]
    pub fn leave(&self, out: &mut Outputs) {
        debug_assert_eq!(out.tx_valid & self.sending, 0);
        out.tx_valid |= self.sending;
        out.tx_head |= self.sending;
        out.tx_tail |= self.sending;
        for port in ones(self.sending) {
            out.tx_vc[port] = self.vc as u8;
            let flit = &mut out.tx_flit[port * out.words..(port + 1) * out.words];
            for (at, word) in flit.iter_mut().enumerate() {
                *word = self.words[port].checked_shr(32 * at as u32).unwrap_or(0) as u32;
            }
        }
    }

    /// Looks at this cycle, by the settings in it: before registers are written. `own` are the packets for the group
    /// that is scanned, `in_use` the places in use behind each output.
    pub fn sense(&mut self, settings: &DragonflySettings, own: u32, in_use: &[i32]) {
        self.told = self.saturation.as_ref().map_or(0, Saturation::told);
        self.counted = self.counts.as_ref().map_or((0, 0), GroupCounts::message);
        self.new_counts = self.counts.as_mut().is_some_and(|counts| counts.step(settings, own));
        self.new_saturation = self.saturation.as_mut().is_some_and(|saturation| saturation.step(settings, in_use));
    }

    /// Goes on to the next cycle; all else of this cycle comes before. `barriers` is the mask over ports for which a
    /// barrier message was chosen in it.
    pub fn step(&mut self, barriers: u64) {
        self.send(barriers);
        if self.new_counts {
            self.counts_due = self.locals;
        }
        if self.new_saturation {
            self.saturation_due = self.locals;
        }
        self.take();
    }

    /// Fills the message registers.
    fn send(&mut self, barriers: u64) {
        let saturation = self.saturation_due & !barriers;
        let counts = self.counts_due & !barriers & !saturation;
        self.saturation_due &= !saturation;
        self.counts_due &= !counts;
        self.sending = saturation | counts;
        if saturation != 0 {
            let message = RouterMessage { kind: RouterMessageKind::Saturation, index: 0, payload: self.told };
            let word = self.sizes.encode(message);
            ones(saturation).for_each(|port| self.words[port] = word);
        }
        if counts != 0 {
            let (index, payload) = self.counted;
            let word = self.sizes.encode(RouterMessage { kind: RouterMessageKind::Counts, index, payload });
            ones(counts).for_each(|port| self.words[port] = word);
        }
    }

    /// Takes what is in the receive registers.
    fn take(&mut self) {
        self.taken = [0; 2];
        for port in ones(self.received) {
            let message = self.messages_received[port];
            self.taken[usize::from(message.is_none())] |= 1 << port;
            let Some(RouterMessage { kind, index, payload }) = message else { continue };
            match (kind, &mut self.counts, &mut self.saturation) {
                (RouterMessageKind::Counts, Some(counts), _) => counts.hear(port, index, payload),
                (RouterMessageKind::Saturation, _, Some(saturation)) => saturation.hear(port, payload),
                _ => unreachable!("a message of a kind that is not built is bad"),
            }
        }
        std::mem::swap(&mut self.messages_received, &mut self.messages_coming);
        self.received = std::mem::take(&mut self.coming);
    }

    /// Reset.
    pub fn reset(&mut self, shape: &Shape) {
        *self = *RouterMessageUnit::new(shape).expect("a switch with router messages");
    }
}

/// The low bits of a flit.
fn low_bits(flit: &[u32]) -> u128 {
    flit.iter().take(4).rev().fold(0, |bits, &word| bits << 32 | u128::from(word))
}
