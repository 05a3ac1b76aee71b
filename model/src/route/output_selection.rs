//! Output selection: behind each route queue a register whose packet goes by one link of a group, or to one of several
//! candidate ports. The choice is made anew in each cycle until the allocator takes it.
//!
//! Source: switch reference, section 5.1; Hirasawa2022, 4.2.4 and 5.2.1.

use crate::allocate::allocator::Allocator;
use crate::bits::{ones, MAX_VCS};
use crate::output::credit_counter::Credits;
use crate::parts::crc_hash::AddressHash;
use crate::registers::apb_registers::Registers;
use crate::registers::link_registers::Method;
use crate::route::route_queue::{Candidates, PacketRoute, RouteResult};
use railyard_spec::Shape;

/// The selectors of a VC's packets that have arrived and are not yet in the selection register, in their order.
#[derive(Clone, Debug)]
struct Selectors {
    places: Vec<u8>,
    read: usize,
    length: usize,
}

impl Selectors {
    fn push(&mut self, selector: u8) {
        assert!(self.length < self.places.len(), "each packet that waits has a flit in the buffer");
        let at = (self.read + self.length) & (self.places.len() - 1);
        self.places[at] = selector;
        self.length += 1;
    }

    fn pop(&mut self) -> u8 {
        debug_assert!(self.length > 0);
        let selector = self.places[self.read];
        self.read = (self.read + 1) & (self.places.len() - 1);
        self.length -= 1;
        selector
    }
}

/// One VC's output selection.
#[derive(Clone, Debug)]
struct SelectionVc {
    selectors: Selectors,
    turn: u8,
    /// The head register of the route queue, if it is there and known.
    head: PacketRoute,
    /// The selection register: route, selector or turn, and output.
    route: PacketRoute,
    selector: u8,
    output: PacketRoute,
}

/// The selection registers of all (port, VC).
#[derive(Clone, Debug)]
pub struct OutputSelection {
    /// At `p * k + v`.
    vcs: Vec<SelectionVc>,
    /// Mask over ports whose head register of VC v is there and known.
    ready: [u64; MAX_VCS],
    /// Mask over ports whose selection register of VC v holds a packet.
    holding: [u64; MAX_VCS],
    /// Those of them whose output follows the credits of the candidates.
    adaptive: [u64; MAX_VCS],
    /// Those of them whose output follows the links of a group.
    grouped: [u64; MAX_VCS],
    /// The hash of link aggregation; without it, selectors are the addresses' low bits.
    hash: Option<AddressHash>,
    vcs_per_port: usize,
}

impl OutputSelection {
    /// For a switch of that shape, if it selects outputs.
    pub fn new(shape: &Shape) -> Option<Self> {
        let address_bits = shape.address_bits().filter(|_| shape.output_selection())?;
        let vc = SelectionVc {
            selectors: Selectors { places: vec![0; shape.buffer_flits as usize], read: 0, length: 0 },
            turn: 0,
            head: PacketRoute::Drop,
            route: PacketRoute::Drop,
            selector: 0,
            output: PacketRoute::Drop,
        };
        Some(OutputSelection {
            vcs: vec![vc; shape.ports * shape.vcs],
            ready: [0; MAX_VCS],
            holding: [0; MAX_VCS],
            adaptive: [0; MAX_VCS],
            grouped: [0; MAX_VCS],
            hash: shape.link_aggregation.as_ref().map(|l| AddressHash::of(l.crc, 0xff, address_bits)),
            vcs_per_port: shape.vcs,
        })
    }

    /// A packet for `address` arrives at route computation: its selector is fixed.
    #[inline]
    pub fn arrive(&mut self, port: usize, vc: usize, address: u64, method: Method) {
        let selector = match &self.hash {
            Some(hash) if method != Method::Residue => hash.set(address) as u8,
            _ => address as u8,
        };
        self.vcs[port * self.vcs_per_port + vc].selectors.push(selector);
    }

    /// The head register of (port, VC) was written. The old head has been taken, or was empty or pending.
    #[inline]
    pub fn head_changed(&mut self, port: usize, vc: usize, head: Option<RouteResult>) {
        if let Some(RouteResult::Known(route)) = head {
            self.vcs[port * self.vcs_per_port + vc].head = route;
            self.ready[vc] |= 1 << port;
        }
    }

    /// One cycle, after allocation in it and before anything else of it is entered into `registers` and `credits`:
    /// loads the selection registers, chooses the outputs, and tells the allocator. `gone` is the mask over ports whose
    /// selection register of VC v is taken. Gives the mask over ports whose head register of VC v is taken.
    pub fn step(
        &mut self,
        now: u64,
        gone: [u64; MAX_VCS],
        registers: &Registers,
        credits: &Credits,
        allocator: &mut Allocator,
    ) -> [u64; MAX_VCS] {
        let mut taken = [0; MAX_VCS];
        for (vc, heads) in taken[..self.vcs_per_port].iter_mut().enumerate() {
            for mask in [&mut self.holding[vc], &mut self.adaptive[vc], &mut self.grouped[vc]] {
                *mask &= !gone[vc];
            }
            let followed = self.adaptive[vc] | if registers.links_changed() { self.grouped[vc] } else { 0 };
            for port in ones(followed) {
                let chosen = self.choose(now, port, vc, registers, credits);
                let output = &mut self.vcs[port * self.vcs_per_port + vc].output;
                if chosen != *output {
                    allocator.output_changed(port, vc, *output, chosen);
                    *output = chosen;
                }
            }
            *heads = self.ready[vc] & !self.holding[vc];
            for port in ones(*heads) {
                self.load(port, vc, registers);
                let chosen = self.choose(now, port, vc, registers, credits);
                self.vcs[port * self.vcs_per_port + vc].output = chosen;
                allocator.head_changed(port, vc, Some(RouteResult::Known(chosen)));
            }
            self.ready[vc] &= !*heads;
            self.holding[vc] |= *heads;
        }
        taken
    }

    /// Whether the selection register of (port, VC) holds a packet.
    #[inline]
    pub fn holds(&self, port: usize, vc: usize) -> bool {
        self.holding[vc] >> port & 1 == 1
    }

    /// The link aggregation group of what the selection register of (port, VC) holds, if it holds a packet that goes by
    /// one.
    #[inline]
    pub fn group(&self, port: usize, vc: usize) -> Option<u8> {
        match self.vcs[port * self.vcs_per_port + vc].route {
            PacketRoute::Group(group, _) if self.holds(port, vc) => Some(group),
            _ => None,
        }
    }

    /// The head of (port, VC) goes into the selection register.
    #[inline]
    fn load(&mut self, port: usize, vc: usize, registers: &Registers) {
        let state = &mut self.vcs[port * self.vcs_per_port + vc];
        state.route = state.head;
        state.selector = state.selectors.pop();
        match state.route {
            PacketRoute::Group(..) => {
                self.grouped[vc] |= 1 << port;
                if registers.links().method == Method::Turn {
                    state.selector = state.turn;
                    state.turn = state.turn.wrapping_add(1);
                }
            }
            PacketRoute::Candidates(candidates) if !candidates.in_order() => self.adaptive[vc] |= 1 << port,
            PacketRoute::Candidates(_) => {}
            PacketRoute::Port(_)
            | PacketRoute::PortVc(..)
            | PacketRoute::Multicast(_)
            | PacketRoute::Dragonfly(_)
            | PacketRoute::Drop => {}
        }
    }

    /// The output of what (port, VC)'s selection register holds, from the registers and credits as they are.
    #[inline]
    fn choose(&self, now: u64, port: usize, vc: usize, registers: &Registers, credits: &Credits) -> PacketRoute {
        let state = &self.vcs[port * self.vcs_per_port + vc];
        match state.route {
            PacketRoute::Group(group, on) => registers
                .links()
                .port(group, state.selector)
                .map_or(PacketRoute::Drop, |port| PacketRoute::new(port, on)),
            PacketRoute::Candidates(candidates) => {
                let at = if candidates.in_order() {
                    state.selector % candidates.count()
                } else {
                    self.roomiest(now, candidates, vc, credits)
                };
                PacketRoute::new(candidates.port(at), candidates.vc())
            }
            route => route,
        }
    }

    /// The number of the candidate with the most room; the lowest of equals.
    #[inline]
    fn roomiest(&self, now: u64, candidates: Candidates, vc: usize, credits: &Credits) -> u8 {
        let leaves_on = candidates.vc().map_or(vc, usize::from);
        let room = |at: u8| credits.room(candidates.port(at) as usize * self.vcs_per_port + leaves_on, now);
        let mut best = (0, room(0));
        for at in 1..candidates.count() {
            let room = room(at);
            if room > best.1 {
                best = (at, room);
            }
        }
        best.0
    }

    /// Reset: all registers empty, all turns 0.
    pub fn reset(&mut self) {
        for vc in &mut self.vcs {
            (vc.selectors.read, vc.selectors.length, vc.turn) = (0, 0, 0);
        }
        for masks in [&mut self.ready, &mut self.holding, &mut self.adaptive, &mut self.grouped] {
            *masks = [0; MAX_VCS];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::crossbar::{Crossbar, Grants};
    use crate::pins::Apb;
    use railyard_spec::{Config, LinkAggregation, Routing, TableRouting};

    struct Bench {
        selection: OutputSelection,
        registers: Registers,
        credits: Credits,
        allocator: Allocator,
        crossbar: Crossbar,
        now: u64,
    }

    impl Bench {
        /// Two groups of up to three links, four candidates, 8 ports, 2 VCs.
        fn new() -> Bench {
            let mut config = Config::named("t");
            config.ports = 8;
            let link_aggregation = Some(LinkAggregation { groups: 2, links: 3, ..Default::default() });
            config.routing =
                Routing::Table(TableRouting { candidates: 4, next_vc: true, link_aggregation, ..Default::default() });
            let shape = config.check().unwrap().shape();
            Bench {
                selection: OutputSelection::new(&shape).expect("selects outputs"),
                registers: Registers::new(&shape),
                credits: Credits::new(&shape),
                allocator: Allocator::new(&shape),
                crossbar: Crossbar::new(&shape),
                now: 10,
            }
        }

        fn write(&mut self, paddr: u16, pwdata: u32) {
            for penable in [false, true] {
                self.registers.step(&Apb { psel: true, penable, pwrite: true, paddr, pwdata });
                assert!(!self.registers.pslverr);
            }
        }

        /// A packet of port 0 arrives and its route is in the head register.
        fn head(&mut self, vc: usize, address: u64, route: PacketRoute) {
            self.selection.arrive(0, vc, address, self.registers.links().method);
            self.selection.head_changed(0, vc, Some(RouteResult::Known(route)));
        }

        /// A cycle in which the allocator takes what is in the selection registers of port 0's VCs in `taken`. Gives
        /// the VCs whose head is taken.
        fn step(&mut self, taken: &[usize]) -> Vec<usize> {
            let mut gone = [0; MAX_VCS];
            for &vc in taken {
                gone[vc] |= 1;
            }
            let heads = self.selection.step(self.now, gone, &self.registers, &self.credits, &mut self.allocator);
            self.now += 1;
            (0..2).filter(|&vc| heads[vc] == 1).collect()
        }

        fn output(&self, vc: usize) -> PacketRoute {
            self.selection.vcs[vc].output
        }

        /// What the allocator grants, once: (input, VC, output).
        fn granted(&mut self) -> Vec<(usize, usize, usize)> {
            let mut grants = Grants::default();
            self.allocator.clone().allocate(self.now, &self.crossbar, &self.credits, &mut grants);
            grants.list().collect()
        }

        fn use_up(&mut self, output: usize, vc: usize, flits: usize) {
            (0..flits).for_each(|_| self.credits.sent(output * 2 + vc));
        }
    }

    #[test]
    fn a_switch_without_it_has_none() {
        assert!(OutputSelection::new(&Config::named("t").check().unwrap().shape()).is_none());
    }

    #[test]
    fn a_head_is_taken_when_the_register_is_empty_or_taken() {
        let mut b = Bench::new();
        assert!(b.step(&[]).is_empty());
        b.head(1, 0, PacketRoute::Port(3));
        assert_eq!(b.step(&[]), [1]);
        assert_eq!(b.granted(), [(0, 1, 3)]);
        b.selection.head_changed(0, 1, Some(RouteResult::Pending));
        assert!(b.step(&[]).is_empty(), "pending, and the register is full");
        b.head(1, 0, PacketRoute::PortVc(4, 0));
        assert!(b.step(&[]).is_empty());
        assert_eq!(b.step(&[1]), [1]);
        assert_eq!(b.output(1), PacketRoute::PortVc(4, 0));
        b.head(0, 0, PacketRoute::Drop);
        assert_eq!(b.step(&[1]), [0]);
        assert_eq!(b.output(0), PacketRoute::Drop);
    }

    #[test]
    fn a_group_has_links_by_crc_residue_or_turn() {
        let mut b = Bench::new();
        for (link, port) in [5, 6, 7].into_iter().enumerate() {
            b.write(0x800 + 4 * (3 + link as u16), port);
        }
        b.write(0x84, 3);
        let crc = LinkAggregation::default().hash.crc();
        let mut outputs = |method, addresses: [u64; 4]| {
            b.write(0x40, method);
            addresses.map(|address| {
                b.head(0, address, PacketRoute::Group(1, Some(1)));
                assert_eq!(b.step(&[0]), [0]);
                b.output(0)
            })
        };
        let by_crc = |address| PacketRoute::PortVc(5 + (crc.of(address, 24) as u8 % 3), 1);
        assert_eq!(outputs(0, [1, 2, 0x99, 0xabcdef]), [1, 2, 0x99, 0xabcdef].map(by_crc));
        let by_residue = |address: u64| PacketRoute::PortVc(5 + (address as u8 % 3), 1);
        assert_eq!(outputs(1, [1, 2, 0x99, 0xabcdef]), [1, 2, 0x99, 0xabcdef].map(by_residue));
        assert_eq!(outputs(2, [7; 4]), [5, 6, 7, 5].map(|port| PacketRoute::PortVc(port, 1)));
        // The turn stays where it is while another method is at work, and is the VC's.
        outputs(1, [7; 4]);
        assert_eq!(outputs(2, [7; 4]), [6, 7, 5, 6].map(|port| PacketRoute::PortVc(port, 1)));
        b.head(1, 0, PacketRoute::Group(1, None));
        b.step(&[]);
        assert_eq!(b.output(1), PacketRoute::Port(5));
        b.head(0, 0, PacketRoute::Port(2));
        b.step(&[0]);
        assert_eq!(b.selection.vcs[0].turn, 8, "only packets for a group count");
        b.selection.reset();
        assert_eq!(b.selection.vcs[0].turn, 0);
    }

    #[test]
    fn a_selector_is_that_of_the_method_when_its_packet_arrived() {
        let mut b = Bench::new();
        for link in 0..3 {
            b.write(0x800 + 4 * link, 1 + link as u32);
        }
        b.write(0x80, 3);
        b.write(0x40, 1);
        b.selection.arrive(0, 0, 4, Method::Residue);
        b.selection.arrive(0, 0, 5, Method::Residue);
        b.write(0x40, 0);
        b.selection.head_changed(0, 0, Some(RouteResult::Known(PacketRoute::Group(0, None))));
        b.step(&[]);
        assert_eq!(b.output(0), PacketRoute::Port(2));
        b.selection.head_changed(0, 0, Some(RouteResult::Known(PacketRoute::Group(0, None))));
        b.step(&[0]);
        assert_eq!(b.output(0), PacketRoute::Port(3));
    }

    #[test]
    fn a_waiting_packet_follows_the_links() {
        let mut b = Bench::new();
        for link in 0..3 {
            b.write(0x800 + 4 * link, 1 + link as u32);
        }
        b.head(0, 0, PacketRoute::Group(0, None));
        b.step(&[]);
        assert_eq!(b.output(0), PacketRoute::Drop, "no link is in use");
        b.write(0x80, 1);
        b.step(&[]);
        assert_eq!((b.output(0), b.granted()), (PacketRoute::Port(1), vec![(0, 0, 1)]));
        b.write(0x800, 6);
        b.step(&[]);
        assert_eq!((b.output(0), b.granted()), (PacketRoute::Port(6), vec![(0, 0, 6)]));
        b.write(0x80, 0);
        b.step(&[]);
        assert_eq!((b.output(0), b.granted()), (PacketRoute::Drop, vec![]));
        // Taken; links that change then do not bring it back.
        b.write(0x80, 2);
        b.step(&[0]);
        assert!(b.selection.holding == [0; MAX_VCS] && b.selection.grouped == [0; MAX_VCS]);
    }

    #[test]
    fn the_candidate_with_the_most_room_on_the_vc_out_the_lowest_of_equals() {
        let mut b = Bench::new();
        let candidates = |vc| PacketRoute::Candidates(Candidates::new([2, 7, 4, 0], 2, false, vc));
        b.use_up(2, 0, 1);
        b.head(0, 0, candidates(None));
        b.head(1, 1, candidates(None));
        b.step(&[]);
        assert_eq!(
            (b.output(0), b.output(1)),
            (PacketRoute::Port(7), PacketRoute::Port(2)),
            "7 and 4 are equal; VC 1 is free"
        );
        assert_eq!(b.granted(), [(0, 1, 2), (0, 0, 7)]);
        b.use_up(7, 0, 3);
        b.step(&[]);
        assert_eq!(b.output(0), PacketRoute::Port(4));
        b.use_up(4, 0, 4);
        b.step(&[]);
        assert_eq!((b.output(0), b.granted()), (PacketRoute::Port(2), vec![(0, 0, 2)]), "one grant an output");
        // A report counts one cycle later, as for the allocator.
        assert!(b.credits.report(7 * 2, b.now, 3));
        b.now += 1;
        b.step(&[]);
        assert_eq!(b.output(0), PacketRoute::Port(2));
        b.step(&[]);
        assert_eq!(b.output(0), PacketRoute::Port(7));
        b.head(1, 1, candidates(Some(0)));
        b.step(&[1]);
        assert_eq!(b.output(1), PacketRoute::PortVc(7, 0));
    }

    #[test]
    fn in_order_the_address_says_which_candidate() {
        let mut b = Bench::new();
        b.write(0x40, 1);
        for (address, port) in [(0, 2), (1, 7), (2, 4), (3, 2), (0x105, 4)] {
            b.use_up(port, 0, 5);
            b.head(0, address, PacketRoute::Candidates(Candidates::new([2, 7, 4, 0], 2, true, None)));
            b.step(&[0]);
            assert_eq!(b.output(0), PacketRoute::Port(port as u8));
        }
    }
}
