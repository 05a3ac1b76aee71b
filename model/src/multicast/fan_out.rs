//! Fan-out: behind the head register of the mixed VC of each port, a register that turns a multicast packet's group
//! into the mask of its outputs.
//!
//! Source: switch reference, section 5.2; Cao2016, 5.1.

use crate::bits::{ones, MAX_PORTS};
use railyard_spec::MulticastShape;

/// A write to the group table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupWrite {
    /// The group.
    pub group: usize,
    /// Its outputs, bit o for output o.
    pub mask: u64,
    /// Its packets go back by the port that they came by, too, if that is among the outputs.
    pub loopback: bool,
    /// Ports whose word of it is stored with a wrong bit.
    pub spoiled: u64,
}

/// The outputs of each group.
#[derive(Clone, Debug)]
pub struct GroupTable {
    /// Mask and loopback.
    entries: Vec<(u64, bool)>,
    /// Of each group the ports whose word has wrong parity; empty if there was never one.
    spoiled: Vec<u64>,
    /// Whether there is anything in the entries.
    written: bool,
    /// The first cycle after the sweep.
    swept: u64,
}

impl GroupTable {
    /// A table of so many groups, as after a reset before cycle `now`.
    pub fn new(groups: usize, now: u64) -> Self {
        let mut table = GroupTable { entries: vec![(0, false); groups], spoiled: Vec::new(), written: false, swept: 0 };
        table.reset(now);
        table
    }

    /// Whether the table is being emptied in cycle `now`.
    #[inline]
    pub fn is_sweeping(&self, now: u64) -> bool {
        now < self.swept
    }

    /// Whether the word of `group` has wrong parity in the table of `port`: it counts as empty.
    #[inline]
    pub fn is_spoiled(&self, group: u16, port: usize) -> bool {
        self.spoiled.get(group as usize).is_some_and(|ports| ports >> port & 1 == 1)
    }

    /// The outputs of a packet of `group` that came by `port`.
    #[inline]
    pub fn fan_out(&self, group: u16, port: usize) -> u64 {
        if self.is_spoiled(group, port) {
            return 0;
        }
        let (mask, loopback) = self.entries[group as usize];
        if loopback {
            mask
        } else {
            mask & !(1 << port)
        }
    }

    /// A write in this cycle: seen in the next one. There is none while the table is being emptied.
    pub fn write(&mut self, write: GroupWrite) {
        self.entries[write.group] = (write.mask, write.loopback);
        if write.spoiled != 0 {
            self.spoiled.resize(self.entries.len(), 0);
        }
        if let Some(spoiled) = self.spoiled.get_mut(write.group) {
            *spoiled = write.spoiled;
        }
        self.written = true;
    }

    /// Reset: the table is emptied by the sweep that starts in cycle `now`, the first one without reset.
    pub fn reset(&mut self, now: u64) {
        if std::mem::take(&mut self.written) {
            self.entries.fill((0, false));
            self.spoiled.clear();
        }
        self.swept = now + self.entries.len() as u64 + 1;
    }
}

/// The fan-out registers of all ports: masks over inputs say what each of them holds.
#[derive(Clone, Debug)]
pub struct FanOuts {
    /// Of each input, the outputs of its packet.
    outputs: [u64; MAX_PORTS],
    /// Loaded in the cycle before.
    pub reading: u64,
    /// Wants its outputs.
    pub waiting: u64,
    /// Has them, as soon as they and its VC are free.
    pub granted: u64,
    /// There are no outputs.
    pub to_drop: u64,
    /// What they were loaded from has wrong parity.
    spoiled: u64,
    /// The group table.
    pub groups: GroupTable,
}

impl FanOuts {
    /// Empty registers; the table as after a reset before cycle `now`.
    pub fn new(shape: &MulticastShape, now: u64) -> Self {
        FanOuts {
            outputs: [0; MAX_PORTS],
            reading: 0,
            waiting: 0,
            granted: 0,
            to_drop: 0,
            spoiled: 0,
            groups: GroupTable::new(shape.groups, now),
        }
    }

    /// The registers that hold something.
    #[inline]
    pub fn occupied(&self) -> u64 {
        self.reading | self.waiting | self.granted | self.to_drop
    }

    /// The outputs of the packet of `input`, also while they are being read.
    #[inline]
    pub fn outputs(&self, input: usize) -> u64 {
        self.outputs[input]
    }

    /// The outputs of all packets of `inputs`.
    #[inline]
    pub fn outputs_of_all(&self, inputs: u64) -> u64 {
        ones(inputs).fold(0, |all, input| all | self.outputs[input])
    }

    /// Goes on to the next cycle: `granted` have got their outputs, `let_go` are empty, `loaded` (empty or let go) take
    /// the packets of `heads`, group by input. Gives the registers that were reading, and read wrong parity.
    #[inline]
    pub fn step(&mut self, granted: u64, let_go: u64, loaded: u64, heads: &[u16; MAX_PORTS]) -> u64 {
        let faulty = self.reading & self.spoiled;
        self.waiting &= !granted;
        self.granted = self.granted & !let_go | granted;
        self.to_drop &= !let_go;
        for input in ones(std::mem::replace(&mut self.reading, loaded)) {
            let held = if self.outputs[input] == 0 { &mut self.to_drop } else { &mut self.waiting };
            *held |= 1 << input;
        }
        self.spoiled = 0;
        for input in ones(loaded) {
            self.outputs[input] = self.groups.fan_out(heads[input], input);
            self.spoiled |= u64::from(self.groups.is_spoiled(heads[input], input)) << input;
        }
        faulty
    }

    /// Reset: all registers are empty; cycle `now` is the first one without.
    pub fn reset(&mut self, now: u64) {
        (self.reading, self.waiting, self.granted, self.to_drop) = (0, 0, 0, 0);
        self.groups.reset(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fan_outs() -> FanOuts {
        let mut f = FanOuts::new(&MulticastShape { vc: 1, groups: 5, group_bits: 3, parity: None }, 10);
        f.groups.write(GroupWrite { group: 3, mask: 0b1101, loopback: false, spoiled: 0 });
        f.groups.write(GroupWrite { group: 4, mask: 0b0100, loopback: true, spoiled: 0 });
        f
    }

    #[test]
    fn the_table_is_empty_and_sweeps_after_a_reset() {
        let mut f = fan_outs();
        assert!(f.groups.is_sweeping(15) && !f.groups.is_sweeping(16), "five groups, and one cycle more");
        assert_eq!([0, 1, 2].map(|port| f.groups.fan_out(3, port)), [0b1100, 0b1101, 0b1001]);
        assert_eq!((f.groups.fan_out(4, 2), f.groups.fan_out(0, 0)), (0b0100, 0));
        f.reset(20);
        assert!(f.groups.is_sweeping(25) && !f.groups.is_sweeping(26));
        assert_eq!(f.groups.fan_out(3, 0), 0);
    }

    #[test]
    fn a_spoiled_word_is_empty_at_its_port_until_it_is_written() {
        let mut f = fan_outs();
        f.groups.write(GroupWrite { group: 3, mask: 0b1101, loopback: true, spoiled: 0b010 });
        assert_eq!([0, 1].map(|port| f.groups.fan_out(3, port)), [0b1101, 0]);
        let mut heads = [0; MAX_PORTS];
        (heads[0], heads[1]) = (3, 3);
        assert_eq!(f.step(0, 0, 0b11, &heads), 0, "not before it is read");
        assert_eq!((f.step(0, 0, 0, &heads), f.waiting, f.to_drop), (0b10, 0b01, 0b10));
        assert_eq!(f.step(0, 0, 0, &heads), 0, "once");
        f.groups.write(GroupWrite { group: 3, mask: 0b1101, loopback: true, spoiled: 0 });
        assert_eq!(f.groups.fan_out(3, 1), 0b1101);
    }

    #[test]
    fn a_register_reads_for_a_cycle_and_then_waits_or_drops() {
        let mut f = fan_outs();
        let mut heads = [0; MAX_PORTS];
        (heads[0], heads[2]) = (3, 0);
        f.step(0, 0, 0b101, &heads);
        assert_eq!((f.reading, f.waiting, f.to_drop, f.occupied()), (0b101, 0, 0, 0b101));
        // A write behind the load is too late for it.
        f.groups.write(GroupWrite { group: 3, mask: 0, loopback: false, spoiled: 0 });
        f.step(0, 0, 0, &heads);
        assert_eq!((f.reading, f.waiting, f.to_drop, f.outputs(0)), (0, 0b001, 0b100, 0b1100));
        // One is granted, the other let go and loaded again at once.
        f.step(0b001, 0b100, 0b100, &heads);
        assert_eq!((f.reading, f.waiting, f.granted, f.to_drop), (0b100, 0, 0b001, 0));
        f.step(0, 0b001, 0, &heads);
        assert_eq!((f.granted, f.to_drop, f.occupied()), (0, 0b100, 0b100));
    }
}
