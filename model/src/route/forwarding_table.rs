//! Forwarding table on the chip: asked before the external CAM, or in its place.
//!
//! A request passes the registers T0, T1 and T2, one a cycle; it is looked up on the way from T1 to T2. From T2 it
//! leaves as an answer or, if the table does not know its address, for the external CAM. Source: switch reference,
//! sections 4.7 and 13.

use crate::parts::crc_hash::AddressHash;
use crate::route::cam_port::{CamRequest, CamResponse};
use crate::route::route_queue::PacketRoute;
use railyard_spec::{ForwardingTableShape, TableShape};

/// A write to the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableWrite {
    /// Way.
    pub way: usize,
    /// Entry of the way.
    pub index: usize,
    /// Its address and route; none to leave it empty.
    pub entry: Option<(u64, PacketRoute)>,
}

/// How a request leaves T2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// As if the CAM had given this answer.
    Answer(CamResponse),
    /// For the external CAM.
    Request(CamRequest),
}

/// The table and its pipeline.
///
/// In a cycle: [`ForwardingTable::leave`], then [`ForwardingTable::advance`] if [`ForwardingTable::can_advance`], and
/// at last writes and sweeps, which are seen in the next cycle.
#[derive(Clone, Debug)]
pub struct ForwardingTable {
    /// Of each way, where it keeps an address.
    hashes: Vec<AddressHash>,
    /// Entry `index` of way `way` at `way * sets + index`.
    entries: Vec<Option<(u64, PacketRoute)>>,
    sets: usize,
    /// Whether there is anything in the entries.
    written: bool,
    external_cam: bool,
    /// T0 and T1.
    waiting: [Option<CamRequest>; 2],
    /// T2; its route, if the table knows it.
    looked_up: Option<(CamRequest, Option<PacketRoute>)>,
    /// There was a write to the table in the cycle before.
    was_written: bool,
    /// The first cycle after the sweep.
    swept: u64,
    /// Entries whose word has wrong parity; empty until there is one. They are none.
    faulty: Vec<bool>,
    /// The registers advanced in the last cycle, and T1 had read such a word.
    read_faulty: bool,
}

impl ForwardingTable {
    /// The table of a switch with such table routing, if it has one, as after a reset before cycle `now`.
    pub fn new(table: &TableShape, now: u64) -> Option<Self> {
        let shape @ &ForwardingTableShape { ways, sets, index_bits, crc } = table.forwarding_table.as_ref()?;
        debug_assert_eq!(shape.sets, 1 << index_bits);
        let hash = |way: usize| AddressHash::slice(crc, way as u32 * index_bits, sets as u64 - 1, table.address_bits);
        Some(ForwardingTable {
            hashes: (0..ways).map(hash).collect(),
            entries: vec![None; ways * sets],
            sets,
            written: false,
            external_cam: table.external_cam,
            waiting: [None; 2],
            looked_up: None,
            was_written: false,
            swept: now + sets as u64 + 1,
            faulty: Vec::new(),
            read_faulty: false,
        })
    }

    /// Whether the table is being emptied in cycle `now`.
    #[inline]
    pub fn is_sweeping(&self, now: u64) -> bool {
        now < self.swept
    }

    /// Whether no request is under way.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.waiting == [None; 2] && self.looked_up.is_none()
    }

    /// What the table knows of an address in cycle `now`.
    #[inline]
    pub fn look_up(&self, now: u64, address: u64) -> Option<PacketRoute> {
        if self.is_sweeping(now) {
            return None;
        }
        self.hashes.iter().enumerate().find_map(|(way, hash)| {
            let (kept, route) = self.entries[way * self.sets + hash.set(address)]?;
            (kept == address).then_some(route)
        })
    }

    /// Whether a word in which an address is looked up in cycle `now` has wrong parity.
    #[inline]
    fn is_faulty(&self, now: u64, address: u64) -> bool {
        !self.faulty.is_empty()
            && !self.is_sweeping(now)
            && self.hashes.iter().enumerate().any(|(way, hash)| self.faulty[way * self.sets + hash.set(address)])
    }

    /// Whether a word with wrong parity was read, if that was not asked before.
    #[inline]
    pub fn take_parity(&mut self) -> bool {
        std::mem::take(&mut self.read_faulty)
    }

    /// Way and entry that know the address in T2, as the table is now.
    pub fn known_place(&self) -> Option<(usize, usize)> {
        let (request, _) = self.looked_up.filter(|(_, route)| route.is_some())?;
        self.hashes.iter().enumerate().find_map(|(way, hash)| {
            let index = hash.set(request.address);
            let (kept, _) = self.entries[way * self.sets + index]?;
            (kept == request.address).then_some((way, index))
        })
    }

    /// What leaves T2, if no answer comes from outside (`unanswered`) and the request register can be loaded (`free`).
    #[inline]
    pub fn leave(&mut self, unanswered: bool, free: bool) -> Option<Leaving> {
        let (request, route) = self.looked_up?;
        let answers = route.is_some() || !self.external_cam;
        if !(if answers { unanswered } else { free }) {
            return None;
        }
        self.looked_up = None;
        Some(match answers {
            true => Leaving::Answer(CamResponse::new(request.tag, route)),
            false => Leaving::Request(request),
        })
    }

    /// Whether the registers advance in this cycle.
    #[inline]
    pub fn can_advance(&mut self) -> bool {
        !std::mem::take(&mut self.was_written) && self.looked_up.is_none()
    }

    /// The registers advance in cycle `now`, and T0 takes `offered`. Gives whether the table knows what T1 held, if
    /// that was anything.
    #[inline]
    pub fn advance(&mut self, now: u64, offered: Option<CamRequest>) -> Option<bool> {
        let [first, second] = self.waiting;
        self.waiting = [offered, first];
        self.read_faulty = second.is_some_and(|request| self.is_faulty(now, request.address));
        self.looked_up = second.map(|request| (request, self.look_up(now, request.address)));
        self.looked_up.map(|(_, route)| route.is_some())
    }

    /// A write in this cycle; a bit of the word is inverted if `spoiled`.
    pub fn write(&mut self, write: TableWrite, spoiled: bool) {
        let place = write.way * self.sets + write.index;
        self.entries[place] = write.entry.filter(|_| !spoiled);
        if spoiled {
            self.faulty.resize(self.entries.len(), false);
        }
        if let Some(faulty) = self.faulty.get_mut(place) {
            *faulty = spoiled;
        }
        self.written = true;
        self.was_written = true;
    }

    /// The table is emptied by the sweep that starts in cycle `now`.
    pub fn sweep(&mut self, now: u64) {
        if std::mem::take(&mut self.written) {
            self.entries.fill(None);
            self.faulty.clear();
        }
        self.swept = now + self.sets as u64 + 1;
    }

    /// Reset; `now` is the first cycle without.
    pub fn reset(&mut self, now: u64) {
        self.sweep(now);
        (self.waiting, self.looked_up, self.was_written) = ([None; 2], None, false);
        self.read_faulty = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{Config, ForwardingTable as Built, Routing, TableRouting};

    fn table_shape(entries: u32, ways: u32, external_cam: bool) -> TableShape {
        let mut config = Config::named("t");
        let forwarding_table = Some(Built { entries, ways, ..Built::default() });
        config.routing = Routing::Table(TableRouting { forwarding_table, external_cam, ..TableRouting::default() });
        config.check().unwrap().shape().table().expect("a table").clone()
    }

    /// After its sweep, in cycle 100, with an entry for each address in the way given.
    fn table(shape: &TableShape, entries: &[(usize, u64, PacketRoute)]) -> ForwardingTable {
        let mut table = ForwardingTable::new(shape, 0).expect("a table");
        let built = shape.forwarding_table.as_ref().expect("a table");
        for &(way, address, route) in entries {
            let index = built.index(built.crc.of(address, shape.address_bits), way);
            table.write(TableWrite { way, index, entry: Some((address, route)) }, false);
        }
        table.was_written = false;
        table
    }

    fn request(address: u64) -> Option<CamRequest> {
        Some(CamRequest { port: 0, tag: address as u32, address })
    }

    #[test]
    fn each_way_has_a_place_for_an_address() {
        for ways in [1, 2, 4, 8] {
            let shape = table_shape(64, ways, true);
            for way in 0..ways as usize {
                let table = table(&shape, &[(way, 0xABCDEF, PacketRoute::Port(3))]);
                assert_eq!(table.look_up(100, 0xABCDEF), Some(PacketRoute::Port(3)));
                assert_eq!([table.look_up(100, 0xABCDEE), table.look_up(100, 0)], [None, None]);
            }
        }
    }

    #[test]
    fn the_lowest_way_counts() {
        let table = table(
            &table_shape(64, 4, true),
            &[(2, 77, PacketRoute::Port(2)), (1, 77, PacketRoute::Port(1)), (3, 77, PacketRoute::Port(3))],
        );
        assert_eq!(table.look_up(100, 77), Some(PacketRoute::Port(1)));
    }

    #[test]
    fn a_request_passes_in_three_cycles_and_waits_for_what_is_taken() {
        let mut table = table(&table_shape(64, 4, true), &[(0, 7, PacketRoute::PortVc(2, 1))]);
        assert!(table.can_advance());
        assert_eq!(table.advance(100, request(7)), None);
        assert_eq!((table.leave(true, true), table.advance(101, request(8))), (None, None));
        assert_eq!(table.advance(102, None), Some(true));
        assert_eq!(table.leave(false, true), None, "another answer comes");
        assert!(!table.can_advance());
        let answer = CamResponse { tag: 7, hit: true, port: 2, vc: Some(1), ..CamResponse::default() };
        assert_eq!(table.leave(true, false), Some(Leaving::Answer(answer)));
        assert_eq!(table.advance(104, None), Some(false));
        assert_eq!((table.leave(true, false), table.is_idle()), (None, false));
        assert_eq!(table.leave(false, true), request(8).map(Leaving::Request));
        assert_eq!((table.advance(105, None), table.is_idle()), (None, true));
    }

    #[test]
    fn without_a_cam_what_is_not_known_is_answered_too() {
        let mut table = table(&table_shape(64, 4, false), &[]);
        table.advance(100, request(8));
        table.advance(101, None);
        assert_eq!(table.advance(102, None), Some(false));
        let answer = CamResponse { tag: 8, hit: false, ..CamResponse::default() };
        assert_eq!(table.leave(true, true), Some(Leaving::Answer(answer)));
    }

    #[test]
    fn nothing_advances_in_the_cycle_after_a_write() {
        let mut table = table(&table_shape(64, 4, true), &[]);
        table.advance(100, request(8));
        table.write(TableWrite { way: 0, index: 0, entry: None }, false);
        assert!(!table.can_advance());
        assert!(table.can_advance());
    }

    #[test]
    fn a_spoiled_entry_is_empty_and_tells_it() {
        let mut table = table(&table_shape(64, 4, true), &[(0, 7, PacketRoute::Port(1)), (2, 7, PacketRoute::Port(2))]);
        let index = table.hashes[0].set(7);
        table.write(TableWrite { way: 0, index, entry: Some((7, PacketRoute::Port(3))) }, true);
        assert_eq!(table.look_up(100, 7), Some(PacketRoute::Port(2)));
        let pass = |table: &mut ForwardingTable| {
            table.was_written = false;
            table.advance(100, request(7));
            table.advance(101, None);
            assert!(!table.take_parity(), "not before it is looked up");
            table.advance(102, None);
            (table.take_parity(), table.leave(true, true).is_some())
        };
        assert_eq!(pass(&mut table), (true, true));
        table.write(TableWrite { way: 0, index, entry: None }, false);
        assert_eq!(pass(&mut table), (false, true));
    }

    #[test]
    fn a_sweep_takes_as_many_cycles_as_a_way_has_entries_and_one_more() {
        let mut table = table(&table_shape(64, 4, true), &[(0, 7, PacketRoute::Port(1))]);
        assert!(table.is_sweeping(16) && !table.is_sweeping(17));
        assert_eq!(table.look_up(16, 7), None);
        table.sweep(200);
        assert_eq!((table.is_sweeping(216), table.is_sweeping(217), table.look_up(217, 7)), (true, false, None));
    }
}
