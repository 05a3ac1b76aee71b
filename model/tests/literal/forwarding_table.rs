//! Section 4.7: forwarding table on the chip.

use super::state::*;
use super::*;
use railyard_spec::TableShape;

impl Literal {
    fn table_sweeps(&self, sets: usize) -> bool {
        self.table_sweep <= sets
    }

    /// `table_status`.`sweeping`.
    pub fn table_status(&self) -> bool {
        self.shape.forwarding_table().is_some_and(|t| self.table_sweeps(t.sets))
    }

    /// The entry of an address that the table knows.
    fn known(&self, address: u64) -> Option<i64> {
        let t = self.shape.forwarding_table().expect("a table");
        if self.table_sweeps(t.sets) {
            return None;
        }
        let h = t.crc.of(address, self.shape.address_bits().expect("an address"));
        let b = t.sets.ilog2() as usize;
        (0..t.ways).find_map(|i| {
            let index = (0..b).fold(0, |index, bit| index | (h >> (i * b + bit) & 1) << bit);
            self.table[i][index as usize].filter(|entry| entry.0 == address).map(|entry| entry.1)
        })
    }

    pub fn pass_table(&mut self, old: &Literal, pins: &Inputs, wires: &mut Wires, table: &TableShape) {
        let sets = table.forwarding_table.as_ref().expect("a table").sets;
        if old.table_sweeps(sets) {
            self.table_sweep += 1;
        }
        let accepts = !old.out.cam_request_valid || pins.cam_request_ready;
        let mut leaves = false;
        let mut loaded = None;
        if let Some((tag, address, entry)) = old.t2 {
            if entry.is_some() || !table.external_cam {
                leaves = !table.external_cam || !pins.cam_response_valid;
                if leaves {
                    self.response = Some((tag, entry.is_some(), entry));
                }
            } else {
                leaves = accepts;
                if leaves {
                    loaded = Some((tag, address));
                }
            }
        }
        if loaded.is_some() || accepts {
            self.load_request(loaded);
        }
        if leaves {
            self.t2 = None;
        }
        if (old.t2.is_none() || leaves) && !old.table_written {
            self.t2 = old.t1.map(|(tag, address)| (tag, address, old.known(address)));
            wires.looked_up = self.t2.map(|(_, _, entry)| entry.is_some());
            self.t1 = old.t0;
            self.t0 = self.next_request(old, table);
        }
    }

    /// A legal write of `table_write`.
    pub fn write_table(&mut self, old: &Literal, value: u32) {
        let (index, way) = (value & 0xFFFF, value >> 16 & 7);
        let entry =
            (old.wide("table_address_low", "table_address_high"), old.entry_in("table_route", "table_candidates"));
        self.table[way as usize][index as usize] = (value >> 24 & 1 == 1).then_some(entry);
        self.table_written = true;
    }

    /// A legal write of 1 to `table_clear`.
    pub fn clear_table(&mut self) {
        self.table_sweep = 0;
        self.table.iter_mut().for_each(|way| way.fill(None));
    }
}
