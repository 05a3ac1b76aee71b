//! Section 5.2: fan-out registers and group table.

use super::state::*;
use super::*;

/// A fan-out register: since which cycle it is reading the fan-out, or waits with it (no outputs: to be dropped).
#[derive(Clone, Copy)]
pub struct FanOut {
    pub loaded: u64,
    pub mask: u64,
    pub granted: bool,
}

impl FanOut {
    /// It holds the fan-out of its packet in cycle t.
    fn holds(&self, t: u64) -> bool {
        t >= self.loaded + 2
    }

    pub fn is_waiting(&self, t: u64) -> bool {
        self.holds(t) && self.mask != 0
    }

    pub fn is_to_be_dropped(&self, t: u64) -> bool {
        self.holds(t) && self.mask == 0
    }
}

impl Literal {
    pub fn groups_sweep(&self) -> bool {
        self.shape.multicast.is_some_and(|built| self.group_sweep <= built.groups)
    }

    /// What section 6 calls the head register.
    pub fn head(&self, e: usize) -> Option<i64> {
        if self.shape.output_selection() {
            self.vcs[e].chosen
        } else {
            self.vcs[e].head
        }
    }

    /// The group whose packet that is, if it is a multicast packet.
    pub fn group_at_head(&self, e: usize) -> Option<usize> {
        self.head(e).filter(|&head| head >= 0 && head & MULTICAST != 0).map(|head| (head & 0xFFF) as usize)
    }

    /// A legal write to `multicast_write` has its access phase in this cycle.
    fn group_is_written(&self, pins: &Inputs) -> Option<u32> {
        let (r, _, value) = self.write?;
        let accessed = pins.apb.psel && pins.apb.penable && self.registers[r].0.name == "multicast_write";
        accessed.then_some(value)
    }

    pub fn fan_out(&mut self, old: &Literal, pins: &Inputs, wires: &mut Wires) {
        let Some(built) = old.shape.multicast else { return };
        if old.groups_sweep() {
            self.group_sweep += 1;
        }
        let written = old.group_is_written(pins);
        for p in 0..old.shape.ports {
            let e = p * old.shape.vcs + built.vc;
            if wires.let_go[p] {
                self.ports[p].fan_out = None;
            }
            let Some(group) = old.group_at_head(e) else { continue };
            if (old.ports[p].fan_out.is_none() || wires.let_go[p]) && written.is_none() {
                let (mask, loopback) = old.groups[group];
                let mask = if loopback { mask } else { mask & !(1 << p) };
                self.ports[p].fan_out = Some(FanOut { loaded: old.t, mask, granted: false });
                wires.taken[e] = true;
            }
        }
        if let Some(value) = written {
            let mask = old.field("multicast_mask_low", "ports") as u64
                | (old.field("multicast_mask_high", "ports") as u64) << 32;
            self.groups[value as usize & 0xFFFF] = (mask, value >> 16 & 1 == 1);
        }
    }
}
