//! Allocator: which input VC is connected to which output.
//!
//! It keeps the requests as masks over inputs, one for each (output, VC), brought up to date when a route queue's head
//! changes. Source: switch reference, section 6; Cao2016, 3.3 (parallel crossbars with 1:N arbiters).

use super::arbiters::Arbiters;
use crate::bits::{ones, MAX_PORTS, MAX_VCS};
use crate::output::credit_counter::Credits;
use crate::output::crossbar::{Crossbar, Grants};
use crate::parts::arbiter::Arbiter;
use crate::route::route_queue::{PacketRoute, RouteResult};
use railyard_spec::Shape;

/// What multicast keeps from unicast packets in a cycle (section 6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Barred {
    /// Mask over inputs whose mixed VC is not eligible.
    pub inputs: u64,
    /// Mask over outputs that packets that leave on the mixed VC do not request.
    pub turns: u64,
    /// Mask over outputs where room is saved: packets that leave on the mixed VC request them only if room for another
    /// one remains.
    pub saved: u64,
    /// Mask over outputs that are not available to anyone.
    pub reserved: u64,
}

/// The requests of all input VCs, and the arbiters.
#[derive(Clone, Debug)]
pub struct Allocator {
    /// Mask over inputs whose head of VC v is output o, at `o * k + v`.
    wants: Vec<u64>,
    /// Mask over outputs that have a request on VC v.
    wanted: [u64; MAX_VCS],
    /// Mask over inputs whose head of VC v is drop.
    drops: [u64; MAX_VCS],
    /// If routes may name the VC on which a packet leaves: for VC v and each u, the mask over inputs whose head of VC v
    /// leaves on u.
    leaves: Option<Box<[[u64; MAX_VCS]; MAX_VCS]>>,
    arbiters: Arbiters,
    /// Mask over inputs whose packets come last at each output.
    last: u64,
    /// Mask over inputs whose mixed VC's head is a multicast packet.
    multicasts: u64,
    /// The group of each such packet.
    groups: [u16; MAX_PORTS],
    barred: Barred,
    /// Index of the mixed VC; out of range if the switch has none.
    mixed: usize,
    ports: usize,
    vcs: usize,
    max_flits: i32,
    /// Room is taken for a whole packet when it is granted: a packet that is being sent needs none.
    takes_room: bool,
}

impl Allocator {
    /// The allocator of a switch of that shape.
    pub fn new(shape: &Shape) -> Self {
        let (n, k) = (shape.ports, shape.vcs);
        Allocator {
            wants: vec![0; n * k],
            wanted: [0; MAX_VCS],
            drops: [0; MAX_VCS],
            leaves: shape.next_vc.then(Box::default),
            arbiters: Arbiters::new(shape),
            last: 0,
            multicasts: 0,
            groups: [0; MAX_PORTS],
            barred: Barred::default(),
            mixed: shape.multicast.map_or(usize::MAX, |built| built.vc),
            ports: n,
            vcs: k,
            max_flits: shape.max_flits as i32,
            takes_room: shape.output_queue_flits.is_some(),
        }
    }

    /// Puts another arbiter in the place of each one among inputs. False if there are none: the crossbar is single, or
    /// the oldest packet wins.
    pub fn replace_input_arbiters(&mut self, make: impl Fn() -> Box<dyn Arbiter>) -> bool {
        self.arbiters.replace_inputs(make)
    }

    /// The head register of (input, VC) was written: its request changes in the next cycle. The old head has been
    /// taken, or was empty or pending.
    #[inline]
    pub fn head_changed(&mut self, input: usize, vc: usize, head: Option<RouteResult>) {
        match head {
            Some(RouteResult::Known(PacketRoute::Port(output))) => self.want(input, vc, output, vc),
            Some(RouteResult::Known(PacketRoute::PortVc(output, vc_out))) => {
                self.want(input, vc, output, vc_out as usize)
            }
            Some(RouteResult::Known(PacketRoute::Drop)) => self.drops[vc] |= 1 << input,
            Some(RouteResult::Known(PacketRoute::Multicast(group))) => {
                debug_assert_eq!(vc, self.mixed);
                self.multicasts |= 1 << input;
                self.groups[input] = group;
            }
            Some(RouteResult::Known(
                PacketRoute::Group(..) | PacketRoute::Candidates(_) | PacketRoute::Dragonfly(_),
            )) => {
                debug_assert!(false, "a route without its output");
            }
            Some(RouteResult::Pending) | None => {}
        }
    }

    /// The output of (input, VC), which has not been taken, is chosen anew: from the next cycle on it is `to`, not
    /// `from`.
    #[inline]
    pub fn output_changed(&mut self, input: usize, vc: usize, from: PacketRoute, to: PacketRoute) {
        self.give_up(input, vc, from);
        self.head_changed(input, vc, Some(RouteResult::Known(to)));
    }

    /// (Input, VC), which has not been taken, asks for `from` no more, from the next cycle on.
    #[inline]
    pub fn give_up(&mut self, input: usize, vc: usize, from: PacketRoute) {
        match from {
            PacketRoute::Port(output) | PacketRoute::PortVc(output, _) => self.withdraw(input, vc, output as usize),
            PacketRoute::Drop
            | PacketRoute::Group(..)
            | PacketRoute::Candidates(_)
            | PacketRoute::Multicast(_)
            | PacketRoute::Dragonfly(_) => self.drops[vc] &= !(1 << input),
        }
    }

    #[inline]
    fn want(&mut self, input: usize, vc: usize, output: u8, vc_out: usize) {
        self.wants[output as usize * self.vcs + vc] |= 1 << input;
        self.wanted[vc] |= 1 << output;
        if let Some(leaves) = &mut self.leaves {
            for (u, mask) in leaves[vc].iter_mut().enumerate() {
                *mask = *mask & !(1 << input) | ((u == vc_out) as u64) << input;
            }
        } else {
            debug_assert_eq!(vc, vc_out, "routes can't name a VC");
        }
    }

    /// Mask over inputs whose mixed VC's head is a multicast packet.
    #[inline]
    pub fn multicast_heads(&self) -> u64 {
        self.multicasts
    }

    /// The groups of those packets, by input.
    #[inline]
    pub fn multicast_groups(&self) -> &[u16; MAX_PORTS] {
        &self.groups
    }

    /// Such heads of `inputs` are taken.
    #[inline]
    pub fn take_multicast(&mut self, inputs: u64) {
        self.multicasts &= !inputs;
    }

    /// Whether the head of any input VC, but for those whose fan-out register holds a packet, is for `output` and
    /// leaves on the mixed VC.
    pub fn has_head_on_mixed(&self, output: usize) -> bool {
        (0..self.vcs).any(|vc| self.on_mixed(vc) & self.wants[output * self.vcs + vc] & !self.barred_inputs(vc) != 0)
    }

    /// Mask over inputs whose head of `vc`, if it is for an output, leaves on the mixed VC.
    #[inline]
    fn on_mixed(&self, vc: usize) -> u64 {
        match &self.leaves {
            Some(leaves) => leaves[vc][self.mixed],
            None if vc == self.mixed => !0,
            None => 0,
        }
    }

    /// Mask over inputs whose `vc` is not eligible whatever its head.
    #[inline]
    fn barred_inputs(&self, vc: usize) -> u64 {
        if vc == self.mixed {
            self.barred.inputs
        } else {
            0
        }
    }

    /// Packets of these inputs, a mask, come last at each output in the cycle that follows.
    #[inline]
    pub fn put_last(&mut self, inputs: u64) {
        self.last = inputs;
    }

    /// A packet is in the selection register of (input, VC) from cycle `new` on, and would have had age 0 in cycle
    /// `made`.
    #[inline]
    pub fn rank(&mut self, input: usize, vc: usize, made: i64, new: u64) {
        if let Arbiters::Oldest(ranking) = &mut self.arbiters {
            ranking.enter(input, vc, made, new);
        }
    }

    /// What multicast keeps from unicast packets in the cycle that follows.
    #[inline]
    pub fn bar(&mut self, barred: Barred) {
        self.barred = barred;
    }

    /// Inputs whose `vc` can be connected to what its head is for.
    #[inline]
    fn free_inputs(&self, crossbar: &Crossbar, vc: usize) -> u64 {
        crossbar.free_inputs(vc) & !self.barred_inputs(vc)
    }

    /// Allocates in cycle `now`, after traversal. The connections are set up by [`Crossbar::connect`].
    #[inline]
    pub fn allocate(&mut self, now: u64, crossbar: &Crossbar, credits: &Credits, grants: &mut Grants) {
        let k = self.vcs;
        for vc in 0..k {
            let dropped = self.drops[vc] & self.free_inputs(crossbar, vc);
            self.drops[vc] &= !dropped;
            grants.dropped[vc] = dropped;
        }
        match &self.arbiters {
            Arbiters::ParallelPacket { .. } | Arbiters::Oldest(_) => {
                self.parallel_packet(now, crossbar, credits, grants)
            }
            Arbiters::ParallelFlit { .. } => self.parallel_flit(now, crossbar, credits, grants),
            Arbiters::Single { .. } => self.single(now, crossbar, credits, grants),
        }
    }

    /// The inputs that request output `output` on `vc`: eligible, and with room in the next buffer.
    #[inline]
    fn requests(&self, now: u64, crossbar: &Crossbar, credits: &Credits, output: usize, vc: usize) -> u64 {
        let mut eligible = self.wants[output * self.vcs + vc] & self.free_inputs(crossbar, vc);
        let has_turn = self.barred.turns >> output & 1 == 0;
        let may_start = self.barred.saved >> output & 1 == 0 || self.has_spare_room(now, crossbar, credits, output);
        if !(has_turn && may_start) {
            eligible &= !self.on_mixed(vc);
        }
        self.with_room(now, crossbar, credits, output, vc, eligible)
    }

    /// Whether `output` has room on the mixed VC for two maximum packets, and sends none.
    #[inline]
    pub fn has_spare_room(&self, now: u64, crossbar: &Crossbar, credits: &Credits, output: usize) -> bool {
        !crossbar.is_sending(output, self.mixed)
            && credits.room(output * self.vcs + self.mixed, now) >= 2 * self.max_flits
    }

    /// Whether any input VC requests `output` in cycle `now`. After allocation: those that were granted an output do
    /// not count.
    pub fn is_requested(&self, now: u64, crossbar: &Crossbar, credits: &Credits, output: usize) -> bool {
        (0..self.vcs).any(|vc| self.requests(now, crossbar, credits, output, vc) != 0)
    }

    /// Those of `eligible` inputs for whose packet to `output` there is room in the next buffer.
    #[inline]
    fn with_room(
        &self,
        now: u64,
        crossbar: &Crossbar,
        credits: &Credits,
        output: usize,
        vc: usize,
        eligible: u64,
    ) -> u64 {
        if eligible == 0 {
            return 0;
        }
        let has_room = |vc_out: usize| {
            let is_sending = !self.takes_room && crossbar.is_sending(output, vc_out);
            let needed = self.max_flits + is_sending as i32;
            credits.room(output * self.vcs + vc_out, now) >= needed
        };
        match &self.leaves {
            None if has_room(vc) => eligible,
            None => 0,
            Some(leaves) => (0..self.vcs)
                .filter(|&vc_out| eligible & leaves[vc][vc_out] != 0 && has_room(vc_out))
                .fold(0, |mask, vc_out| mask | eligible & leaves[vc][vc_out]),
        }
    }

    /// Of each VC, the inputs that are eligible for an output in cycle `now` and find no room behind it, and those that
    /// find some.
    pub fn waiting(&self, now: u64, crossbar: &Crossbar, credits: &Credits) -> ([u64; MAX_VCS], [u64; MAX_VCS]) {
        let (mut without_room, mut with_room) = ([0; MAX_VCS], [0; MAX_VCS]);
        for vc in 0..self.vcs {
            for output in ones(self.wanted[vc]) {
                let eligible = self.wants[output * self.vcs + vc] & self.free_inputs(crossbar, vc);
                let found = self.with_room(now, crossbar, credits, output, vc, eligible);
                without_room[vc] |= eligible & !found;
                with_room[vc] |= eligible & found;
            }
        }
        (without_room, with_room)
    }

    #[inline]
    fn withdraw(&mut self, input: usize, vc: usize, output: usize) {
        let wants = &mut self.wants[output * self.vcs + vc];
        *wants &= !(1 << input);
        if *wants == 0 {
            self.wanted[vc] &= !(1 << output);
        }
    }

    #[inline]
    fn grant(&mut self, grants: &mut Grants, input: usize, vc: usize, output: usize) {
        self.withdraw(input, vc, output);
        grants.inputs[vc] |= 1 << input;
        let vc_out = match &self.leaves {
            None => vc,
            Some(leaves) => leaves[vc].iter().position(|mask| mask >> input & 1 == 1).expect("it leaves on some VC"),
        };
        grants.add_on(input, vc, output, vc_out);
    }

    /// Outputs, but for reserved ones, that have a request.
    #[inline]
    fn wanted_outputs(&self) -> u64 {
        self.wanted[..self.vcs].iter().fold(0, |any, w| any | w) & !self.barred.reserved
    }

    #[inline]
    fn parallel_packet(&mut self, now: u64, crossbar: &Crossbar, credits: &Credits, grants: &mut Grants) {
        for output in ones(self.wanted_outputs() & crossbar.partly_free_outputs()) {
            let (mut requests, mut any) = ([0; MAX_VCS], 0);
            for (vc, mask) in requests[..self.vcs].iter_mut().enumerate() {
                if !crossbar.is_free(output, vc) {
                    continue;
                }
                *mask = self.requests(now, crossbar, credits, output, vc);
                any |= *mask;
            }
            if any == 0 {
                continue;
            }
            let (input, vc) = self.winner(now, output, requests, any);
            self.grant(grants, input, vc, output);
        }
    }

    /// The winner of an output, as (input, VC), among requests of some inputs: of those that come last only if there
    /// are no others.
    #[inline]
    fn winner(&mut self, now: u64, output: usize, mut requests: [u64; MAX_VCS], inputs: u64) -> (usize, usize) {
        let is_second = inputs & !self.last == 0;
        if !is_second && self.last != 0 {
            requests.iter_mut().for_each(|mask| *mask &= !self.last);
        }
        match &mut self.arbiters {
            Arbiters::ParallelPacket { sets } => sets[usize::from(is_second)].grant(output, &requests),
            Arbiters::Oldest(ranking) => ranking.first(now, &requests),
            Arbiters::ParallelFlit { .. } | Arbiters::Single { .. } => unreachable!("other arbiters"),
        }
    }

    #[inline]
    fn parallel_flit(&mut self, now: u64, crossbar: &Crossbar, credits: &Credits, grants: &mut Grants) {
        for vc in 0..self.vcs {
            for output in ones(self.wanted[vc] & crossbar.free_outputs(vc)) {
                let requests = self.requests(now, crossbar, credits, output, vc);
                if requests == 0 {
                    continue;
                }
                let Arbiters::ParallelFlit { inputs } = &mut self.arbiters else { unreachable!() };
                let input = inputs[output * self.vcs + vc].grant(requests);
                self.grant(grants, input, vc, output);
            }
        }
    }

    #[inline]
    fn single(&mut self, now: u64, crossbar: &Crossbar, credits: &Credits, grants: &mut Grants) {
        for output in ones(self.wanted_outputs() & crossbar.free_outputs(0)) {
            let mut requests = [0; MAX_VCS];
            for (vc, mask) in requests[..self.vcs].iter_mut().enumerate() {
                *mask = self.requests(now, crossbar, credits, output, vc);
            }
            if requests == [0; MAX_VCS] {
                continue;
            }
            let Arbiters::Single { all } = &mut self.arbiters else { unreachable!() };
            let (input, vc) = all[output].pick(&requests);
            all[output].advance((input, vc));
            self.grant(grants, input, vc, output);
        }
    }

    /// Reset: no requests, all arbiters at their start.
    pub fn reset(&mut self, shape: &Shape) {
        debug_assert_eq!(self.ports, shape.ports);
        self.wants.fill(0);
        self.wanted = [0; MAX_VCS];
        self.drops = [0; MAX_VCS];
        self.arbiters.reset();
        self.last = 0;
        self.multicasts = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{Config, Crossbar as CrossbarKind, LinkArbitration, Routing, TableRouting};

    struct Bench {
        allocator: Allocator,
        crossbar: Crossbar,
        credits: Credits,
    }

    impl Bench {
        fn new(crossbar: CrossbarKind, link_arbitration: LinkArbitration) -> Bench {
            Bench::with(crossbar, link_arbitration, false)
        }

        fn with(crossbar: CrossbarKind, link_arbitration: LinkArbitration, next_vc: bool) -> Bench {
            let mut config = Config::named("t");
            config.ports = 4;
            (config.crossbar, config.link_arbitration) = (crossbar, link_arbitration);
            config.routing = Routing::Table(TableRouting { next_vc, ..TableRouting::default() });
            let shape = config.check().unwrap().shape();
            Bench { allocator: Allocator::new(&shape), crossbar: Crossbar::new(&shape), credits: Credits::new(&shape) }
        }

        fn want(&mut self, input: usize, vc: usize, output: u8) {
            self.allocator.head_changed(input, vc, Some(RouteResult::Known(PacketRoute::Port(output))));
        }

        /// Allocates, without connecting: the winners as (input, VC, output).
        fn winners(&mut self) -> Vec<(usize, usize, usize)> {
            let mut grants = Grants::default();
            self.allocator.allocate(5, &self.crossbar, &self.credits, &mut grants);
            grants.list().collect()
        }
    }

    #[test]
    fn packet_wise_one_winner_an_output() {
        let mut b = Bench::new(CrossbarKind::Parallel, LinkArbitration::Packet);
        for (input, vc) in [(0, 0), (1, 0), (1, 1), (3, 1)] {
            b.want(input, vc, 2);
        }
        let order: Vec<_> = (0..5).map(|_| b.winners()).collect();
        assert_eq!(order, [vec![(0, 0, 2)], vec![(1, 1, 2)], vec![(1, 0, 2)], vec![(3, 1, 2)], vec![]]);
    }

    #[test]
    fn flit_wise_one_winner_a_plane() {
        let mut b = Bench::new(CrossbarKind::Parallel, LinkArbitration::Flit);
        for (input, vc) in [(0, 0), (1, 0), (1, 1), (3, 1)] {
            b.want(input, vc, 2);
        }
        assert_eq!(b.winners(), [(0, 0, 2), (1, 1, 2)]);
        assert_eq!(b.winners(), [(1, 0, 2), (3, 1, 2)]);
    }

    #[test]
    fn single_goes_by_requester_number() {
        let mut b = Bench::new(CrossbarKind::Single, LinkArbitration::Packet);
        for (input, vc) in [(0, 0), (1, 0), (1, 1), (3, 1)] {
            b.want(input, vc, 2);
        }
        let order: Vec<_> = (0..4).map(|_| b.winners()).collect();
        assert_eq!(order, [[(0, 0, 2)], [(1, 0, 2)], [(1, 1, 2)], [(3, 1, 2)]]);
    }

    #[test]
    fn no_request_without_room_for_a_whole_packet() {
        let mut b = Bench::new(CrossbarKind::Parallel, LinkArbitration::Packet);
        b.want(0, 0, 2);
        for _ in 0..25 {
            b.credits.sent(2 * 2);
        }
        assert_eq!(b.winners(), []);
        assert!(b.credits.report(2 * 2, 4, 1));
        assert_eq!(b.winners(), [], "a report of the cycle before does not count yet");
        b.want(1, 1, 2);
        assert_eq!(b.winners(), [(1, 1, 2)], "the other VC has room");
        let mut grants = Grants::default();
        b.allocator.allocate(6, &b.crossbar, &b.credits, &mut grants);
        assert_eq!(grants.list().collect::<Vec<_>>(), [(0, 0, 2)]);
    }

    #[test]
    fn room_is_that_of_the_vc_on_which_a_packet_leaves() {
        for crossbar in [CrossbarKind::Parallel, CrossbarKind::Single] {
            let mut b = Bench::with(crossbar, LinkArbitration::Packet, true);
            for _ in 0..25 {
                b.credits.sent(2 * 2);
            }
            let on = |port, vc| Some(RouteResult::Known(PacketRoute::PortVc(port, vc)));
            b.want(0, 0, 2);
            b.allocator.head_changed(1, 1, on(2, 0));
            assert_eq!(b.winners(), [], "no room on VC 0");
            b.allocator.head_changed(3, 0, on(2, 1));
            let mut grants = Grants::default();
            b.allocator.allocate(5, &b.crossbar, &b.credits, &mut grants);
            assert_eq!(grants.list().collect::<Vec<_>>(), [(3, 0, 2)]);
            b.crossbar.connect(&grants);
            assert!(b.crossbar.is_sending(2, 1) && !b.crossbar.is_sending(2, 0));
            // While a packet leaves on VC 1, room there is needed for a flit more.
            b.crossbar.finish(2, 0);
            for _ in 0..24 {
                b.credits.sent(2 * 2 + 1);
            }
            b.allocator.head_changed(2, 0, on(2, 1));
            assert_eq!(b.winners(), []);
            assert!(b.credits.report(2 * 2 + 1, 3, 1));
            assert_eq!(b.winners(), [(2, 0, 2)]);
        }
    }

    #[test]
    fn an_output_chosen_anew_takes_the_old_ones_place() {
        let mut b = Bench::new(CrossbarKind::Parallel, LinkArbitration::Packet);
        b.want(0, 1, 2);
        b.want(3, 1, 2);
        b.allocator.output_changed(0, 1, PacketRoute::Port(2), PacketRoute::Port(3));
        b.allocator.output_changed(3, 1, PacketRoute::Port(2), PacketRoute::Drop);
        b.allocator.output_changed(3, 1, PacketRoute::Drop, PacketRoute::Port(1));
        assert_eq!(b.winners(), [(3, 1, 1), (0, 1, 3)]);
        assert_eq!(b.winners(), []);
    }

    #[test]
    fn drops_need_no_output() {
        let mut b = Bench::new(CrossbarKind::Parallel, LinkArbitration::Packet);
        for input in [0, 3] {
            b.allocator.head_changed(input, 1, Some(RouteResult::Known(PacketRoute::Drop)));
        }
        let mut grants = Grants::default();
        b.allocator.allocate(5, &b.crossbar, &b.credits, &mut grants);
        assert_eq!(grants.dropped[..2], [0, 0b1001]);
    }
}
