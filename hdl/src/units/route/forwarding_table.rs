//! Forwarding table: w ways of S entries each, from a destination address to a route, by exact match.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `request_valid`, `request_tag`, `request_address` | 1, tag bits, A | register T0: a request, or none |
//! | `advance` | 1 | the registers advance: T0 takes the next request, or none |
//! | `result_valid`, `result_tag`, `result_address` | 1, tag bits, A | register T2: a request that has been looked up (`result_address` with an external CAM only) |
//! | `result_known`, `result_route` | 1, route bits | the table knows its address, and this [`route`](super::layout) of it |
//! | `leave` | 1 | T2 leaves in this cycle (counts while `result_valid` is 1) |
//! | `table_*` | | an entry is written, the table is emptied; see [`table_write`](super::table_write) |
//! | `sweeping` | 1 | it is being emptied |
//! | `known`, `unknown` | 1, 1 | the registers advance, and T1 holds an address that the table knows, does not know (with counters only) |
//!
//! State: registers T1 (`compare_*`) and T2 (`result_*`); T0 is the request register of the CAM port. For each way a memory of S words with
//! address, route and valid bit; the sweep counter; `written` (an entry was written in the cycle before).
//!
//! Each cycle: the address in T0 is hashed, and each way reads the entry that its own slice of the hash selects; the next cycle, in T1, compares.
//! While the registers do not advance, T1's entries are read again. They do not in the cycle behind a write, so what T1 has read is never older than the
//! table: what is read in the cycle of a write is read once more in the next.
//!
//! An entry holds the whole address: software may write any address to any place, and the table knows it only where its hash points.
//!
//! After reset, or when it is cleared, the table sweeps as the [`routing_cache`](super::routing_cache) does. No entry is written meanwhile.
//!
//! Source: switch reference, section 4.7; d-ary cuckoo hashing: Fotakis and others, 2005.

use crate::parts::crc_hash::{crc_hash, CrcHash};
use crate::parts::lowest_bit::{lowest_bit, LowestBit};
use crate::rtl::prelude::*;
use crate::units::route::layout::{route_bits, width_name};
use crate::units::route::table_write::{table_write, TableWrite};
use railyard_spec::{ForwardingTableShape, Shape, TableShape};

/// Table of routes; see the head of this file.
#[block]
pub struct ForwardingTable {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub request_valid: Flag<In>,
    pub request_tag: Sig<In>,
    pub request_address: Sig<In>,
    pub advance: Flag<Out>,
    pub result_valid: Flag<Out>,
    pub result_tag: Sig<Out>,
    pub result_address: Vec<Sig<Out>>,
    pub result_known: Flag<Out>,
    pub result_route: Sig<Out>,
    pub leave: Flag<In>,
    pub table: TableWrite<In>,
    pub sweeping: Flag<Out>,
    pub known: Vec<Flag<Out>>,
    pub unknown: Vec<Flag<Out>>,

    sweep: Reg,
    written: FlagReg,
    compare_valid: FlagReg,
    compare_tag: Reg,
    compare_address: Reg,
    compare_index: Reg,
    done_valid: FlagReg,
    done_tag: Reg,
    done_address: Vec<Reg>,
    done_known: FlagReg,
    done_route: Reg,

    way: Vec<Ram>,
    hash: CrcHash,
    lowest_way: LowestBit,

    clearing: Flag<Local>,
    in_sweep: Flag<Local>,
    moving: Flag<Local>,
    read_index: Sig<Local>,
    matching: Sig<Local>,
    knows: Flag<Local>,
    route: Sig<Local>,
    write_word: Sig<Local>,
    write_index: Sig<Local>,

    address_field: Field,
    route_field: Field,
    valid_bit: Param,
    index_bits: Param,
    sets: Param,
    ways: Param,
    about: About,
}

/// The forwarding table of a switch of the given shape.
pub fn forwarding_table(shape: &Shape, routing: &TableShape, table: &ForwardingTableShape) -> ForwardingTable {
    let (address_bits, tag_bits) = (routing.address_bits as usize, routing.tag_bits as usize);
    let (sets, ways, index_bits, route_bits) = (table.sets, table.ways, table.index_bits as usize, route_bits(shape));
    let valid_bit = address_bits + route_bits;
    let (external, counted) = (usize::from(routing.external_cam), usize::from(shape.counter_bits.is_some()));
    let doc =
        "Forwarding table: address to route, by exact match. Each way is a memory with a place of its own for an \
               address, given by a slice of the hash. A request is hashed and read in T0, compared in T1, and known \
               or not in T2. Swept after reset and when cleared.";
    ForwardingTable {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        request_valid: flag().doc("T0 holds a request"),
        request_tag: sig(tag_bits).doc("its tag"),
        request_address: sig(address_bits).doc("its address"),
        advance: flag().doc("the registers advance"),
        result_valid: flag().doc("T2 holds a request"),
        result_tag: sig(tag_bits).doc("its tag"),
        result_address: many(external, || sig(address_bits).doc("its address")),
        result_known: flag().doc("the table knows its address"),
        result_route: sig(route_bits).doc("the route of this address"),
        leave: flag().doc("T2 leaves"),
        table: table_write(shape, table),
        sweeping: flag().doc("the table is being emptied"),
        known: many(counted, || flag().doc("a known address advances to T2")),
        unknown: many(counted, || flag().doc("an unknown address advances to T2")),
        sweep: reg(clog2(sets + 2), 0u8).doc("sweep counter: sets + 1 when the sweep is over"),
        written: flag_reg(false).doc("an entry was written in the cycle before"),
        compare_valid: flag_reg(false).doc("T1: holds a request"),
        compare_tag: reg_no_reset(tag_bits).doc("T1: its tag"),
        compare_address: reg_no_reset(address_bits).doc("T1: its address"),
        compare_index: reg_no_reset(ways * index_bits).doc("T1: its entry in each way"),
        done_valid: flag_reg(false).doc("T2: holds a request"),
        done_tag: reg_no_reset(tag_bits).doc("T2: its tag"),
        done_address: many(external, || reg_no_reset(address_bits).doc("T2: its address")),
        done_known: flag_reg_no_reset().doc("T2: the table knows its address"),
        done_route: reg_no_reset(route_bits).doc("T2: the route of this address"),
        way: many(ways, || ram(sets, valid_bit + 1)),
        hash: crc_hash(address_bits, ways * index_bits, table.crc),
        lowest_way: lowest_bit(ways),
        clearing: flag().doc("the sweep writes in this cycle"),
        in_sweep: flag().doc("the table knows nothing"),
        moving: flag().doc("the registers advance"),
        read_index: sig(ways * index_bits).doc("entry to read in each way"),
        matching: sig(ways).doc("the way holds the address in T1"),
        knows: flag().doc("the table knows the address in T1"),
        route: sig(route_bits).doc("the route of this address"),
        write_word: sig(valid_bit + 1).doc("entry to write: {valid, route, address}"),
        write_index: sig(index_bits).doc("where to write it"),
        address_field: field(0, address_bits),
        route_field: field(address_bits, route_bits),
        valid_bit: param(valid_bit),
        index_bits: param(index_bits),
        sets: param(sets),
        ways: param(ways),
        about: about("forwarding_table", doc)
            .param("sets", sets)
            .param("ways", ways)
            .param("tag_bits", tag_bits)
            .param("address_bits", address_bits)
            .param(width_name(shape), route_bits),
    }
}

#[kernel]
impl ForwardingTable {
    fn update(&mut self) {
        // Sweep.
        self.clearing.next = self.sweep.q.val() < self.sets.val();
        self.in_sweep.next = self.sweep.q.val() <= self.sets.val();
        if self.in_sweep.val() {
            self.sweep.d.next = self.sweep.q.val() + 1;
        }
        if self.table.clear.val() {
            self.sweep.d.next = 0.into();
        }
        self.sweeping.next = self.in_sweep.val();

        // Hash and read: what comes to T1, or what stays there.
        self.moving.next = (!self.done_valid.q.val() | self.leave.val()) & !self.written.q.val();
        self.written.d.next = self.table.write.val();
        self.advance.next = self.moving.val();
        self.hash.address.next = self.request_address.val();
        self.read_index.next = self.compare_index.q.val();
        if self.moving.val() {
            self.read_index.next = self.hash.index.val();
            self.compare_valid.d.next = self.request_valid.val();
            self.compare_tag.d.next = self.request_tag.val();
            self.compare_address.d.next = self.request_address.val();
            self.compare_index.d.next = self.hash.index.val();
        }

        // Compare.
        self.matching.next = 0.into();
        for i in 0..self.ways.val() {
            self.matching.next = self.matching.val().replace_bit(
                i,
                self.way[i].read_data.val().get_bit(self.valid_bit.val())
                    & ((self.way[i].read_data.val() >> self.address_field.val()) == self.compare_address.q.val()),
            );
        }
        self.lowest_way.bits.next = self.matching.val();
        self.route.next = 0.into();
        for i in 0..self.ways.val() {
            if self.lowest_way.lowest.val().get_bit(i) {
                self.route.next = self.route.val() | (self.way[i].read_data.val() >> self.route_field.val());
            }
        }
        self.knows.next = self.matching.val().any() & !self.in_sweep.val();

        // Result.
        if self.moving.val() {
            self.done_valid.d.next = self.compare_valid.q.val();
            self.done_tag.d.next = self.compare_tag.q.val();
            self.done_known.d.next = self.knows.val();
            self.done_route.d.next = self.route.val();
        } else if self.leave.val() {
            self.done_valid.d.next = false;
        }
        for e in 0..self.done_address.len() {
            self.done_address[e].d.next = self.done_address[e].q.val();
            if self.moving.val() {
                self.done_address[e].d.next = self.compare_address.q.val();
            }
            self.result_address[e].next = self.done_address[e].q.val();
        }
        self.result_valid.next = self.done_valid.q.val();
        self.result_tag.next = self.done_tag.q.val();
        self.result_known.next = self.done_known.q.val();
        self.result_route.next = self.done_route.q.val();
        for c in 0..self.known.len() {
            self.known[c].next = self.moving.val() & self.compare_valid.q.val() & self.knows.val();
            self.unknown[c].next = self.moving.val() & self.compare_valid.q.val() & !self.knows.val();
        }

        // Write.
        self.write_word.next = 0.into();
        self.write_index.next = self.table.index.val();
        if self.clearing.val() {
            self.write_index.next = unsigned_cast(self.sweep.q.val());
        } else {
            self.write_word.next =
                self.write_word.val().replace_bit(self.address_field.val(), self.table.address.val());
            self.write_word.next = self.write_word.val().replace_bit(self.route_field.val(), self.table.route.val());
            self.write_word.next = self.write_word.val().replace_bit(self.valid_bit.val(), self.table.valid.val());
        }
        for i in 0..self.ways.val() {
            self.way[i].read_address.next = unsigned_cast(self.read_index.val() >> (i * self.index_bits.val()));
            self.way[i].write_enable.next =
                self.clearing.val() | (self.table.write.val() & (self.table.way.val() == i));
            self.way[i].write_address.next = self.write_index.val();
            self.way[i].write_data.next = self.write_word.val();
        }
    }
}

#[cfg(test)]
mod tests;
