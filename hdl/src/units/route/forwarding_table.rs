//! Forwarding table: w ways of S entries each, from a destination address to a route, by exact match.
//!
//! State: registers T1 (`compare_*`) and T2 (`result_*`); T0 is the request register of the CAM port. For each way a
//! memory of S words with address, route and valid bit; the sweep counter; `written` (an entry was written in the cycle
//! before).
//!
//! Each cycle: the address in T0 is hashed, and each way reads the entry that its own slice of the hash selects; the
//! next cycle, in T1, compares. While the registers do not advance, T1's entries are read again. They do not in the
//! cycle behind a write, so what T1 has read is never older than the table: what is read in the cycle of a write is
//! read once more in the next.
//!
//! An entry holds the whole address: software may write any address to any place, and the table knows it only where its
//! hash points.
//!
//! After reset, or when it is cleared, the table sweeps as the [`routing_cache`](mod@routing_cache) does. No entry
//! is written meanwhile.
//!
//! With parity, a word with an odd number of ones counts as an empty entry.
//!
//! Source: switch reference, sections 4.7 and 13; d-ary cuckoo hashing: Fotakis and others, 2005.

use crate::units::prelude::*;

/// Forwarding table: address to route, by exact match. Each way is a memory with a place of its own for an address,
/// given by a slice of the hash. A request is hashed and read in T0, compared in T1, and known or not in T2. Swept
/// after reset and when cleared.
#[block(shape: &Shape, routing: &TableShape, table: &ForwardingTableShape)]
pub struct ForwardingTable {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// T0 holds a request.
    pub request_valid: Flag<In>,
    /// Tag of the request in T0.
    pub request_tag: Sig<In, tag_bits>,
    /// Address of the request in T0.
    pub request_address: Sig<In, address_bits>,
    /// The registers advance.
    pub advance: Flag<Out>,
    /// T2 holds a request.
    pub result_valid: Flag<Out>,
    /// Tag of the request in T2.
    pub result_tag: Sig<Out, tag_bits>,
    /// Address of the request in T2.
    pub result_address: Option<Sig<Out, address_bits>, { routing.external_cam }>,
    /// The table has an entry for the address of the request in T2.
    pub result_known: Flag<Out>,
    /// Route of the address in T2.
    pub result_route: Sig<Out, { route_layout(shape).bits }>,
    /// The request in T2 leaves.
    pub leave: Flag<In>,
    pub table: TableWrite<In, shape, table>,
    /// The table is being emptied.
    pub sweeping: Flag<Out>,
    /// Bit of the word that is stored inverted.
    pub flip: Option<Sig<In, word_bits>, { routing.table_parity.is_some_and(|word| word.fault_pins) }>,
    /// A request read a word with wrong parity in the cycle before it advanced to T2.
    pub table_parity: Option<Flag<Out>, { routing.table_parity.is_some() }>,
    /// An address in the table advances to T2.
    pub known: Option<Flag<Out>, { shape.counter_bits.is_some() }>,
    /// An address that is not in the table advances to T2.
    pub unknown: Option<Flag<Out>, { shape.counter_bits.is_some() }>,

    /// Sweep counter; sets + 1 when the sweep is over.
    sweep: Reg<{ clog2(sets + 2) }>,
    /// An entry was written in the cycle before.
    written: FlagReg,
    /// T1 holds a request.
    compare_valid: FlagReg,
    /// Tag of the request in T1.
    compare_tag: Reg<tag_bits, NoReset>,
    /// Address of the request in T1.
    compare_address: Reg<address_bits, NoReset>,
    /// Entry of the address in T1, in each way.
    compare_index: Reg<{ ways * index_bits }, NoReset>,
    /// T2 holds a request.
    done_valid: FlagReg,
    /// Tag of the request in T2.
    done_tag: Reg<tag_bits, NoReset>,
    /// Address of the request in T2.
    done_address: Option<Reg<address_bits, NoReset>, { routing.external_cam }>,
    /// The table has an entry for the address of the request in T2.
    done_known: FlagReg<NoReset>,
    /// Route of the address in T2.
    done_route: Reg<{ route_layout(shape).bits }, NoReset>,

    /// A request read a word with wrong parity.
    faulty: Option<FlagReg, { routing.table_parity.is_some() }>,

    way: Vec<Ram<sets, word_bits>, ways>,
    hash: CrcHash<address_bits, { ways * index_bits }, { table.crc }>,
    lowest_way: LowestBit<ways>,

    /// The sweep writes in this cycle.
    clearing: Flag<Local>,
    /// The sweep is under way, and no address is found.
    in_sweep: Flag<Local>,
    /// The registers advance.
    moving: Flag<Local>,
    /// T1 holds a request after the current cycle.
    reads: Flag<Local>,
    /// Entry to read in each way.
    read_index: Sig<Local, { ways * index_bits }>,
    /// The way holds the address in T1.
    matching: Sig<Local, ways>,
    /// The table has an entry for the address in T1.
    knows: Flag<Local>,
    /// Route of the address in T1.
    route: Sig<Local, { route_layout(shape).bits }>,
    /// Entry to write: {valid, route, address}.
    write_word: Sig<Local, { valid_bit + 1 }>,
    /// Entry to write, with its parity bit.
    write_even: Option<Sig<Local, word_bits>, { routing.table_parity.is_some() }>,
    /// Place of the entry to write.
    write_index: Sig<Local, index_bits>,
    /// The way's word has wrong parity.
    wrong: Option<Sig<Local, ways>, { routing.table_parity.is_some() }>,

    address_field: Field<0, address_bits>,
    route_field: Field<address_bits, { route_layout(shape).bits }>,
    valid_bit: Number<{ address_bits + route_layout(shape).bits }>,
    parity_bit: Number<{ valid_bit + 1 }>,
    word_bits: Number<{ valid_bit + 1 + usize::from(routing.table_parity.is_some()) }>,
    index_bits: Number<{ table.index_bits as usize }>,

    sets: Param<{ table.sets }>,
    ways: Param<{ table.ways }>,
    tag_bits: Param<{ routing.tag_bits as usize }>,
    address_bits: Param<{ routing.address_bits as usize }>,
    route_bits: Param<Option<usize>, { names_route(shape).then_some(route_layout(shape).bits) }>,
    port_bits: Param<Option<usize>, { (!names_route(shape)).then_some(route_layout(shape).bits) }>,
}

#[kernel]
impl ForwardingTable {
    fn update(&mut self) {
        self.sweep();
        self.read();
        self.compare();
        self.check_parity();
        self.choose();
        self.show();
        self.write();
        ParitySteps::write(
            &mut self.write_even,
            &mut self.way,
            &self.write_word,
            &self.flip,
            &self.clearing,
            self.parity_bit,
            self.ways,
        );
    }

    fn sweep(&mut self) {
        self.clearing.next = self.sweep.q.val() < self.sets;
        self.in_sweep.next = self.sweep.q.val() <= self.sets;
        if self.in_sweep.val() {
            self.sweep.d.next = self.sweep.q.val() + 1;
        }
        if self.table.clear.val() {
            self.sweep.d.next = 0.into();
        }
        self.sweeping.next = self.in_sweep.val();
        if self.table.write.val() {
            assert!(!self.in_sweep.val(), "an entry is written only while the table is not being emptied");
        }
    }

    /// Hash and read: what comes to T1, or what stays there.
    fn read(&mut self) {
        self.moving.next = (!self.done_valid.q.val() | self.leave.val()) & !self.written.q.val();
        self.written.d.next = self.table.write.val();
        self.advance.next = self.moving.val();
        self.hash.address.next = self.request_address.val();
        self.reads.next = self.compare_valid.q.val();
        self.read_index.next = self.compare_index.q.val();
        if self.moving.val() {
            self.read_index.next = self.hash.index.val();
            self.reads.next = self.request_valid.val();
            self.compare_tag.d.next = self.request_tag.val();
            self.compare_address.d.next = self.request_address.val();
            self.compare_index.d.next = self.hash.index.val();
        }
        self.compare_valid.d.next = self.reads.val();
    }

    fn compare(&mut self) {
        self.matching.next = 0.into();
        for i in 0..self.ways {
            self.matching.set(
                i,
                self.way[i].read_data.val().get_bit(self.valid_bit)
                    & ((self.way[i].read_data.val() >> self.address_field.val()) == self.compare_address.q.val()),
            );
        }
    }

    /// A word with wrong parity is no entry.
    fn check_parity(&mut self) {
        if let (Some(wrong), Some(faulty), Some(pin)) = (&mut self.wrong, &mut self.faulty, &mut self.table_parity) {
            ParitySteps::find_wrong(wrong, &self.way, self.ways);
            self.matching.next = self.matching.val() & !wrong.val();
            faulty.d.next = self.moving.val() & self.compare_valid.q.val() & wrong.val().any() & !self.in_sweep.val();
            pin.next = faulty.q.val();
        }
    }

    /// The lowest way that has the address.
    fn choose(&mut self) {
        self.lowest_way.bits.next = self.matching.val();
        self.route.next = 0.into();
        for i in 0..self.ways {
            if self.lowest_way.lowest.val().get_bit(i) {
                self.route.next = self.route.val() | (self.way[i].read_data.val() >> self.route_field.val());
            }
        }
        self.knows.next = self.matching.val().any() & !self.in_sweep.val();
    }

    fn show(&mut self) {
        if self.moving.val() {
            self.done_valid.d.next = self.compare_valid.q.val();
            self.done_tag.d.next = self.compare_tag.q.val();
            self.done_known.d.next = self.knows.val();
            self.done_route.d.next = self.route.val();
        } else if self.leave.val() {
            self.done_valid.d.next = false;
        }
        if let (Some(done_address), Some(result_address)) = (&mut self.done_address, &mut self.result_address) {
            done_address.d.next = done_address.q.val();
            if self.moving.val() {
                done_address.d.next = self.compare_address.q.val();
            }
            result_address.next = done_address.q.val();
        }
        self.result_valid.next = self.done_valid.q.val();
        self.result_tag.next = self.done_tag.q.val();
        self.result_known.next = self.done_known.q.val();
        self.result_route.next = self.done_route.q.val();
        if let (Some(known), Some(unknown)) = (&mut self.known, &mut self.unknown) {
            known.next = self.moving.val() & self.compare_valid.q.val() & self.knows.val();
            unknown.next = self.moving.val() & self.compare_valid.q.val() & !self.knows.val();
        }
    }

    fn write(&mut self) {
        self.write_word.next = 0.into();
        self.write_index.next = self.table.index.val();
        if self.clearing.val() {
            self.write_index.next = unsigned_cast(self.sweep.q.val());
        } else {
            self.write_word.set(self.address_field.val(), self.table.address.val());
            self.write_word.set(self.route_field.val(), self.table.route.val());
            self.write_word.set(self.valid_bit, self.table.valid.val());
        }
        for i in 0..self.ways {
            self.way[i].read_enable.next = self.reads.val();
            self.way[i].read_address.next = unsigned_cast(self.read_index.val() >> (i * self.index_bits));
            self.way[i].write_enable.next =
                self.clearing.val() | (self.table.write.val() & (self.table.way.val() == i));
            self.way[i].write_address.next = self.write_index.val();
            if self.write_even.is_none() {
                self.way[i].write_data.next = self.write_word.val();
            }
        }
    }
}

#[cfg(test)]
mod tests;
