//! Barrier unit: takes the messages that come on the barrier VC, keeps the groups, and puts one message at a time
//! beside each output.
//!
//! In a cycle in which nothing comes, is to be sent or has to be counted it does nothing. Source: switch reference,
//! section 11; Cao2016, 4.2 and 4.3.

use crate::barrier::barrier_group::{BarrierGroup, GroupSettings, Happened, Timers};
use crate::bits::{ones, MAX_PORTS};
use crate::parts::round_robin_arbiter::RoundRobin;
use crate::pins::{Inputs, Outputs};
use railyard_spec::barrier::Message;
use railyard_spec::registers::{address, registers};
use railyard_spec::{BarrierShape, Shape};

/// The cycle counter that makes the ticks is this wide.
const CYCLE_BITS: u32 = 15;

/// What a write to the registers does to the barrier unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierCommand {
    /// A group starts anew with these settings.
    Start(usize, GroupSettings),
    /// The time-outs of all groups are these.
    SetTimers(Timers),
    /// Faults are cleared.
    Clear {
        /// Those of a group,
        group: usize,
        /// and those of all ports.
        ports: bool,
    },
}

/// The receive or message registers of all ports.
#[derive(Clone, Debug)]
struct Slots<T> {
    /// Mask over ports whose register is full.
    full: u64,
    values: [T; MAX_PORTS],
}

impl<T: Copy> Slots<T> {
    fn new(value: T) -> Self {
        Slots { full: 0, values: [value; MAX_PORTS] }
    }

    #[inline]
    fn put(&mut self, port: usize, value: T) {
        self.full |= 1 << port;
        self.values[port] = value;
    }
}

/// The barrier unit of a switch.
#[derive(Clone, Debug)]
pub struct BarrierUnit {
    built: BarrierShape,
    groups: Vec<BarrierGroup>,
    timers: Timers,
    /// Messages that came in the cycle before (none: a corrupt one), and those that come in this one.
    received: Slots<Option<Message>>,
    coming: Slots<Option<Message>>,
    /// The low words of the messages that leave.
    messages: Slots<u32>,
    /// Over the groups, for each port.
    arbiters: Vec<RoundRobin>,
    /// Mask over groups with something to send, or whose leaves have all arrived.
    awake: u64,
    /// Mask over groups whose timers run.
    waiting: u64,
    /// Sticky, masks over ports: a corrupt message came here, one of a group that is not built.
    corrupt: u64,
    no_group: u64,
    /// Mask over ports whose message was taken in the last step and is corrupt, of a group that is not built, or raised
    /// a fault.
    faulty: u64,
    /// The first cycle without reset.
    started: u64,
}

impl BarrierUnit {
    /// For a switch of that shape, if it has a barrier VC, as after a reset before cycle `now`.
    pub fn new(shape: &Shape, now: u64) -> Option<Box<Self>> {
        let built = shape.barrier?;
        let list = registers(shape);
        let timers = list.iter().find(|register| register.address == address::BARRIER_TIMERS)?;
        let reset = timers.fields.iter().fold(0, |word, field| word | field.reset << field.low);
        Some(Box::new(BarrierUnit {
            built,
            groups: vec![BarrierGroup::default(); built.groups],
            timers: Timers::read(reset),
            received: Slots::new(None),
            coming: Slots::new(None),
            messages: Slots::new(0),
            arbiters: vec![RoundRobin::new(built.groups); shape.ports],
            awake: 0,
            waiting: 0,
            corrupt: 0,
            no_group: 0,
            faulty: 0,
            started: now,
        }))
    }

    /// The barrier VC.
    #[inline]
    pub fn vc(&self) -> usize {
        self.built.vc
    }

    /// Mask over outputs whose message register is full: no other flit goes there in this cycle.
    #[inline]
    pub fn messages(&self) -> u64 {
        self.messages.full
    }

    /// A flit on the barrier VC comes by `port` in this cycle.
    #[inline]
    pub fn receive(&mut self, port: usize, pins: &Inputs) {
        let is_whole = (pins.rx_head & pins.rx_tail) >> port & 1 == 1;
        let message = Message::decode(pins.rx_flit[port * pins.words]).filter(|_| is_whole);
        self.coming.put(port, message);
    }

    /// The messages leave. After the flits of this cycle.
    #[inline]
    pub fn leave(&self, out: &mut Outputs) {
        let full = self.messages.full;
        if full == 0 {
            return;
        }
        debug_assert_eq!(out.tx_valid & full, 0);
        out.tx_valid |= full;
        out.tx_head |= full;
        out.tx_tail |= full;
        for port in ones(full) {
            out.tx_vc[port] = self.built.vc as u8;
            let flit = &mut out.tx_flit[port * out.words..(port + 1) * out.words];
            flit.fill(0);
            flit[0] = self.messages.values[port];
        }
    }

    /// Goes on from cycle `now` to the next; all else of this cycle comes before.
    #[inline]
    pub fn step(&mut self, now: u64, command: Option<BarrierCommand>) {
        if let Some(BarrierCommand::Clear { group, ports }) = command {
            self.clear_faults(group, ports);
        }
        self.faulty = 0;
        let tick = self.waiting != 0 && self.is_tick(now);
        if self.received.full | self.coming.full | self.messages.full | self.awake != 0 || tick {
            self.exchange(tick);
        }
        match command {
            Some(BarrierCommand::Start(group, settings)) => {
                self.groups[group] = BarrierGroup::new(settings);
                self.awake &= !(1 << group);
                self.waiting &= !(1 << group);
            }
            Some(BarrierCommand::SetTimers(timers)) => self.timers = timers,
            Some(BarrierCommand::Clear { .. }) | None => {}
        }
    }

    /// Whether the low bits of the cycle counter are all 1.
    #[inline]
    fn is_tick(&self, now: u64) -> bool {
        let cycle = (now - self.started) & ((1 << CYCLE_BITS) - 1);
        let low = (1 << self.timers.scale) - 1;
        cycle & low == low
    }

    /// Takes, sends and counts what there is to take, to send and to count.
    fn exchange(&mut self, tick: bool) {
        let mut happened = [Happened::default(); 64];
        let taking = self.take(&mut happened);
        self.messages.full = 0;
        self.send(&mut happened);
        let timers = tick.then_some(&self.timers);
        let counting = if tick { self.waiting } else { 0 };
        for at in ones(self.awake | taking | counting) {
            let group = &mut self.groups[at];
            group.step(&happened[at], timers);
            let put = |mask: u64, value: bool| mask & !(1 << at) | (value as u64) << at;
            self.awake = put(self.awake, group.ports_to_send() != 0 || group.is_gathered());
            self.waiting = put(self.waiting, group.is_waiting());
        }
        std::mem::swap(&mut self.received, &mut self.coming);
        self.coming.full = 0;
    }

    /// Takes what is in the receive registers. Gives the mask over groups of which there was something.
    fn take(&mut self, happened: &mut [Happened; 64]) -> u64 {
        let mut taking = 0;
        for port in ones(self.received.full) {
            match self.received.values[port] {
                None => {
                    self.corrupt |= 1 << port;
                    self.faulty |= 1 << port;
                }
                Some(message) => match self.groups.get_mut(message.group as usize) {
                    None => {
                        self.no_group |= 1 << port;
                        self.faulty |= 1 << port;
                    }
                    Some(group) => {
                        let is_faulty = group.take(port, message, &mut happened[message.group as usize]);
                        self.faulty |= u64::from(is_faulty) << port;
                        taking |= 1 << message.group;
                    }
                },
            }
        }
        taking
    }

    /// Fills the message registers.
    fn send(&mut self, happened: &mut [Happened; 64]) {
        // Of each port, the groups that have something for it.
        let mut requests = [0u64; MAX_PORTS];
        let mut ports = 0;
        for at in ones(self.awake) {
            let to = self.groups[at].ports_to_send();
            ports |= to;
            ones(to).for_each(|port| requests[port] |= 1 << at);
        }
        for port in ones(ports) {
            let at = self.arbiters[port].grant(requests[port]);
            let message = self.groups[at].send(port, at as u8, &mut happened[at]);
            self.messages.put(port, message.encode());
        }
    }

    fn clear_faults(&mut self, group: usize, ports: bool) {
        self.groups[group].clear_faults();
        if ports {
            (self.corrupt, self.no_group) = (0, 0);
        }
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The state of a group.
    pub fn group(&self, group: usize) -> &BarrierGroup {
        &self.groups[group]
    }

    /// The time-outs.
    pub fn timers(&self) -> &Timers {
        &self.timers
    }

    /// Ports to which a corrupt message came, and one of a group that is not built, as masks.
    pub fn port_faults(&self) -> [u64; 2] {
        [self.corrupt, self.no_group]
    }

    /// Ports whose message was taken in the last step and is corrupt, of a group that is not built, or raised a fault
    /// of its group, as a mask.
    #[inline]
    pub fn faulty_ports(&self) -> u64 {
        self.faulty
    }

    /// What a register (byte address of its first entry) shows of this unit's state, if it does.
    pub fn read(&self, register: u32, entry: usize) -> Option<u32> {
        Some(match register {
            address::BARRIER_CORRUPT_LOW => self.corrupt as u32,
            address::BARRIER_CORRUPT_HIGH => (self.corrupt >> 32) as u32,
            address::BARRIER_NO_GROUP_LOW => self.no_group as u32,
            address::BARRIER_NO_GROUP_HIGH => (self.no_group >> 32) as u32,
            address::BARRIER_STATUS => self.groups[entry].status(),
            address::BARRIER_ARRIVED_LOW => self.groups[entry].arrived() as u32,
            address::BARRIER_ARRIVED_HIGH => (self.groups[entry].arrived() >> 32) as u32,
            address::BARRIER_COUNTS => self.groups[entry].counts(),
            _ => return None,
        })
    }

    /// Whether no message is inside, nor anything to send. Leaves that have arrived may be waiting for others.
    pub fn is_idle(&self) -> bool {
        self.received.full | self.messages.full | self.awake == 0
    }

    /// Reset; cycle `now` is the first one without.
    pub fn reset(&mut self, shape: &Shape, now: u64) {
        if let Some(fresh) = BarrierUnit::new(shape, now) {
            *self = *fresh;
        }
    }
}
