//! Section 9: registers.

use super::state::*;
use super::*;

impl Literal {
    /// Section 9.
    pub fn access_registers(&mut self, old: &Literal, pins: &Inputs) {
        let apb = &pins.apb;
        (self.write, self.flush, self.table_written) = (None, false, false);
        (self.out.apb_prdata, self.out.apb_pslverr) = (0, false);
        if old.registers.is_empty() || !apb.psel {
            return;
        }
        if apb.penable {
            if let Some((r, entry, value)) = old.write {
                let name = old.registers[r].0.name;
                let reduces = ["reduction", "wrap"].contains(&name)
                    || ["coordinate_", "bound_"].iter().any(|prefix| name.starts_with(prefix));
                self.flush = reduces || name == "flush" && value == 1;
                match name {
                    "table_write" => self.write_table(old, value),
                    "table_clear" if value == 1 => self.clear_table(),
                    "counters" => self.command_counters(old, value),
                    _ => {}
                }
                match old.registers[r].0.access {
                    Access::Command => {}
                    Access::WriteOneClears => self.registers[r].1[entry] &= !value,
                    Access::ReadWrite | Access::ReadOnly => self.registers[r].1[entry] = value,
                }
            }
            return;
        }
        let at = apb.paddr as u32;
        let found = (0..old.registers.len()).find_map(|r| {
            let register = &old.registers[r].0;
            (0..register.count).find(|entry| register.address + 4 * entry == at).map(|entry| (r, entry as usize))
        });
        let Some((r, entry)) = found else {
            self.out.apb_pslverr = true;
            return;
        };
        let register = &old.registers[r].0;
        if !apb.pwrite {
            self.out.apb_prdata = match register.name {
                "cache_status" => (old.is_sweeping() || old.flush) as u32,
                "table_status" => old.table_status() as u32,
                "multicast_status" => old.groups_sweep() as u32,
                "event_pending" => old.pending(),
                name => old.barrier_register(name, entry).unwrap_or(old.registers[r].1[entry]),
            };
            return;
        }
        let value = |low: u32, bits: u32| (apb.pwdata as u64 >> low & ((1 << bits) - 1)) as u32;
        let outside = (0..32).any(|bit| {
            apb.pwdata >> bit & 1 == 1 && !register.fields.iter().any(|f| (f.low..f.low + f.bits).contains(&bit))
        });
        let legal = register.fields.iter().all(|f| match &f.legal {
            Legal::Any => true,
            Legal::OneOf(list) => list.contains(&value(f.low, f.bits)),
            Legal::Below(limit) => value(f.low, f.bits) < *limit,
            Legal::BelowChunks => {
                let width = register.fields.iter().find(|f| f.name == "chunk_bits").map(|f| value(f.low, f.bits));
                let bits = old.shape.address_bits().expect("a destination address");
                width.is_some_and(|w| w > 0 && value(f.low, f.bits) < bits.div_ceil(w))
            }
        });
        let too_early = register.name == "table_write" && old.table_status()
            || register.name == "multicast_write" && old.groups_sweep();
        if register.access == Access::ReadOnly || outside || !legal || too_early {
            self.out.apb_pslverr = true;
        } else {
            self.write = Some((r, entry, apb.pwdata));
        }
    }
}
