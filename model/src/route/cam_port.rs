//! CAM port: the one request and answer port that the route units of all ports share.
//!
//! Source: switch reference, section 4.4 (Request, Answer).

use crate::bits::MAX_CANDIDATES;
use crate::parts::round_robin_arbiter::RoundRobin;
use crate::route::route_queue::{Candidates, PacketRoute};
use crate::route::route_unit::RouteUnit;
use railyard_spec::Shape;

/// An answer of the CAM, as registered from the pins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CamResponse {
    /// Tag of the request.
    pub tag: u32,
    /// There is a route.
    pub hit: bool,
    /// Its output port.
    pub port: u8,
    /// The VC on which packets leave, if it is not their own.
    pub vc: Option<u8>,
    /// The link aggregation group by which packets leave, if it is not the port.
    pub group: Option<u8>,
    /// Number of further candidate ports.
    pub candidates: u8,
    /// Further candidate ports.
    pub candidate: [u8; MAX_CANDIDATES - 1],
    /// The address alone says which candidate.
    pub in_order: bool,
}

impl CamResponse {
    /// The answer that an address has that route, or none.
    pub fn new(tag: u32, route: Option<PacketRoute>) -> Self {
        let mut response = CamResponse { tag, hit: route.is_some(), ..CamResponse::default() };
        match route.unwrap_or(PacketRoute::Drop) {
            PacketRoute::Port(port) => response.port = port,
            PacketRoute::PortVc(port, vc) => (response.port, response.vc) = (port, Some(vc)),
            PacketRoute::Group(group, vc) => (response.group, response.vc) = (Some(group), vc),
            PacketRoute::Candidates(candidates) => {
                response.candidates = candidates.count() - 1;
                response.port = candidates.port(0);
                response.candidate = std::array::from_fn(|at| candidates.port(at as u8 + 1));
                (response.in_order, response.vc) = (candidates.in_order(), candidates.vc());
            }
            PacketRoute::Multicast(_) | PacketRoute::Dragonfly(_) | PacketRoute::Drop => response.hit = false,
        }
        response
    }
}

/// A request as it stands at the pins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CamRequest {
    /// The port that asks.
    pub port: usize,
    /// Tag to answer with.
    pub tag: u32,
    /// Address to look up.
    pub address: u64,
}

/// What a registered answer did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// The port whose slot is answered now.
    pub port: Option<usize>,
    /// `error_cam` is to be set.
    pub error: bool,
}

/// Request arbiter and response register.
#[derive(Clone, Debug)]
pub struct CamPort {
    arbiter: RoundRobin,
    response: Option<CamResponse>,
    /// The route of addresses without one.
    default_route: PacketRoute,
    /// Ports with an entry in their request queue.
    offers: u64,
    ports: usize,
    vcs: usize,
    vc_bits: u32,
    slot_bits: u32,
    candidates: usize,
    groups: usize,
}

impl CamPort {
    /// The CAM port of a table-routed switch of that shape.
    pub fn new(shape: &Shape) -> Self {
        CamPort {
            arbiter: RoundRobin::new(shape.ports),
            response: None,
            default_route: PacketRoute::Drop,
            offers: 0,
            ports: shape.ports,
            vcs: shape.vcs,
            vc_bits: shape.vc_bits,
            slot_bits: shape.table().map_or(1, |t| t.slot_bits),
            candidates: shape.candidates,
            groups: shape.link_aggregation.as_ref().map_or(0, |l| l.groups),
        }
    }

    /// Ports with an entry in their request queue.
    #[inline]
    pub fn offers(&self) -> u64 {
        self.offers
    }

    /// Port `port` appended to its request queue: it offers from the next cycle on.
    #[inline]
    pub fn offer(&mut self, port: usize) {
        self.offers |= 1 << port;
    }

    /// The route, from the next cycle on, of addresses without one.
    pub fn set_default_route(&mut self, route: PacketRoute) {
        self.default_route = route;
    }

    /// The request register, or T0 of the forwarding table, takes the next request of the ports in `offers` (their
    /// state from before this cycle).
    #[inline]
    pub fn load(&mut self, offers: u64, units: &mut [RouteUnit]) -> Option<CamRequest> {
        if offers == 0 {
            return None;
        }
        let port = self.arbiter.grant(offers);
        let misses = &mut units[port].misses;
        let (vc, slot, address) = misses.request().expect("an offer");
        misses.requested();
        if misses.request().is_none() {
            self.offers &= !(1 << port);
        }
        let tag = ((port as u32) << self.vc_bits | vc as u32) << self.slot_bits | slot as u32;
        Some(CamRequest { port, tag, address })
    }

    /// Applies the registered answer, if any, and registers the one at the pins.
    #[inline]
    pub fn answer(&mut self, pins: Option<CamResponse>, units: &mut [RouteUnit]) -> Answered {
        let Some(response) = std::mem::replace(&mut self.response, pins) else {
            return Answered::default();
        };
        let CamResponse { tag, hit, .. } = response;
        let asker = (tag >> (self.vc_bits + self.slot_bits)) as usize;
        let vc = (tag >> self.slot_bits & ((1 << self.vc_bits) - 1)) as usize;
        let slot = (tag & ((1 << self.slot_bits) - 1)) as usize;
        let route = self.route(&response);
        let result = if hit { route.unwrap_or(PacketRoute::Drop) } else { self.default_route };
        let accepted = units.get_mut(asker).is_some_and(|unit| unit.misses.answer(vc, slot, result));
        Answered { port: accepted.then_some(asker), error: !accepted || hit && route.is_none() }
    }

    /// The route of an answer, if it exists.
    #[inline]
    fn route(&self, response: &CamResponse) -> Option<PacketRoute> {
        let &CamResponse { port, vc, group, candidates: further, candidate, in_order, .. } = response;
        if vc.is_some_and(|vc| vc as usize >= self.vcs) {
            return None;
        }
        if let Some(group) = group {
            return ((group as usize) < self.groups).then_some(PacketRoute::Group(group, vc));
        }
        let is_port = |port: &u8| (*port as usize) < self.ports;
        if !is_port(&port) || further as usize >= self.candidates {
            return None;
        }
        if further == 0 {
            return Some(PacketRoute::new(port, vc));
        }
        let [first, second, third] = candidate;
        (candidate[..further as usize].iter().all(is_port))
            .then(|| PacketRoute::Candidates(Candidates::new([port, first, second, third], further, in_order, vc)))
    }

    /// Whether nothing waits for the request register and no answer is registered.
    pub fn is_idle(&self) -> bool {
        self.offers == 0 && self.response.is_none()
    }

    /// Reset.
    pub fn reset(&mut self) {
        self.arbiter = RoundRobin::new(self.ports);
        self.response = None;
        self.default_route = PacketRoute::Drop;
        self.offers = 0;
    }
}

#[cfg(test)]
#[allow(clippy::unusual_byte_groupings)] // the fields of a tag
mod tests {
    use super::*;
    use railyard_spec::{Config, LinkAggregation, Routing, TableRouting};

    #[test]
    fn asks_for_one_port_after_the_other_and_checks_the_answers() {
        let mut config = Config::named("t");
        config.ports = 3;
        let shape = config.check().unwrap().shape();
        let table = shape.table().expect("a table");
        let mut units = vec![RouteUnit::new(table, &shape, 0); 3];
        let mut cam = CamPort::new(&shape);
        for (port, vc, address) in [(0, 0, 1), (0, 1, 2), (2, 1, 3)] {
            units[port].misses.take(vc, address, Some(address));
            cam.offer(port);
        }
        assert_eq!(cam.offers(), 0b101);
        let tags: Vec<_> = (0..4).map(|_| cam.load(cam.offers(), &mut units).map(|r| (r.tag, r.address))).collect();
        // {port, VC, slot} with 2, 1 and 2 bits.
        assert_eq!(tags, [Some((0b00_0_00, 1)), Some((0b10_1_00, 3)), Some((0b00_1_00, 2)), None]);

        let mut answer = |tag, hit, port| {
            cam.answer(Some(CamResponse { tag, hit, port, ..Default::default() }), &mut units);
            cam.answer(None, &mut units)
        };
        assert_eq!(answer(0b00_0_00, true, 2), Answered { port: Some(0), error: false });
        assert_eq!(answer(0b00_0_00, true, 2), Answered { port: None, error: true });
        assert_eq!(answer(0b10_1_00, true, 3), Answered { port: Some(2), error: true });
        assert_eq!(answer(0b11_0_00, false, 0), Answered { port: None, error: true });
        assert_eq!(answer(0b00_1_01, false, 0), Answered { port: None, error: true });
        assert_eq!(answer(0b00_1_00, false, 3), Answered { port: Some(0), error: false });
    }

    #[test]
    fn what_has_no_route_takes_the_default_route() {
        let shape = Config::named("t").check().unwrap().shape();
        let mut units = vec![RouteUnit::new(shape.table().expect("a table"), &shape, 0)];
        let mut cam = CamPort::new(&shape);
        cam.set_default_route(PacketRoute::Port(9));
        for (slot, (hit, port, route)) in
            [(false, 3, PacketRoute::Port(9)), (true, 3, PacketRoute::Port(3)), (true, 16, PacketRoute::Drop)]
                .into_iter()
                .enumerate()
        {
            units[0].misses.take(0, 5, None);
            units[0].misses.requested();
            cam.answer(Some(CamResponse { tag: slot as u32, hit, port, ..CamResponse::default() }), &mut units);
            assert_eq!(cam.answer(None, &mut units).error, port == 16);
            units[0].misses.start_fill(slot);
            assert_eq!(units[0].misses.finish_fill(slot).1, route);
        }
    }

    #[test]
    fn a_route_as_an_answer() {
        let mut config = Config::named("t");
        let link_aggregation = Some(LinkAggregation::default());
        config.routing = Routing::Table(TableRouting { candidates: 4, link_aggregation, ..Default::default() });
        let cam = CamPort::new(&config.check().unwrap().shape());
        let candidates = |further, vc| PacketRoute::Candidates(Candidates::new([5, 7, 15, 1], further, true, vc));
        let ports = [
            PacketRoute::Port(5),
            PacketRoute::PortVc(5, 1),
            PacketRoute::Group(3, None),
            PacketRoute::Group(2, Some(1)),
        ];
        for route in ports.into_iter().chain([candidates(1, None), candidates(3, Some(0))]) {
            let response = CamResponse::new(77, Some(route));
            assert_eq!((response.tag, response.hit, cam.route(&response)), (77, true, Some(route)));
        }
        assert_eq!(CamResponse::new(7, None), CamResponse { tag: 7, ..CamResponse::default() });
    }

    #[test]
    fn groups_and_candidates_must_exist() {
        let mut config = Config::named("t");
        config.ports = 6;
        config.virtual_channels.unicast = 3;
        let link_aggregation = Some(LinkAggregation { groups: 5, ..Default::default() });
        config.routing = Routing::Table(TableRouting { candidates: 3, link_aggregation, ..Default::default() });
        let cam = CamPort::new(&config.check().unwrap().shape());
        let answer = CamResponse { port: 5, candidate: [6, 6, 0], ..Default::default() };
        let route = |change: &dyn Fn(&mut CamResponse)| {
            let mut response = answer;
            change(&mut response);
            cam.route(&response)
        };
        let group = |group, vc| Some(PacketRoute::Group(group, vc));
        assert_eq!(route(&|_| {}), Some(PacketRoute::Port(5)), "what does not count need not exist");
        assert_eq!(route(&|r| r.candidates = 1), None);
        assert_eq!(route(&|r| (r.candidates, r.candidate) = (2, [0, 6, 0])), None);
        assert_eq!(route(&|r| (r.candidates, r.candidate) = (3, [0, 1, 2])), None, "three of them: two further ones");
        let two = Candidates::new([5, 0, 4, 0], 2, true, Some(2));
        let change = |r: &mut CamResponse| {
            (r.candidates, r.candidate, r.in_order, r.vc) = (2, [0, 4, 6], true, Some(2));
        };
        assert_eq!(route(&change), Some(PacketRoute::Candidates(two)));
        assert_eq!(route(&|r| (r.group, r.port, r.candidates) = (Some(4), 7, 3)), group(4, None));
        assert_eq!(route(&|r| (r.group, r.vc) = (Some(0), Some(1))), group(0, Some(1)));
        assert_eq!(route(&|r| r.group = Some(5)), None);
        assert_eq!(route(&|r| (r.group, r.vc) = (Some(0), Some(3))), None);
    }

    #[test]
    fn an_answer_with_a_vc_that_does_not_exist_is_no_route() {
        let mut config = Config::named("t");
        config.virtual_channels.unicast = 3;
        let shape = config.check().unwrap().shape();
        let mut units = vec![RouteUnit::new(shape.table().expect("a table"), &shape, 0)];
        let mut cam = CamPort::new(&shape);
        let answers = [(true, Some(2)), (true, Some(3)), (false, Some(3))];
        for address in 0..3 {
            units[0].misses.take(0, address, Some(address));
            units[0].misses.requested();
        }
        for (slot, (hit, vc)) in answers.into_iter().enumerate() {
            cam.answer(Some(CamResponse { tag: slot as u32, hit, port: 1, vc, ..Default::default() }), &mut units);
            let answered = cam.answer(None, &mut units);
            assert_eq!(answered, Answered { port: Some(0), error: slot == 1 });
            units[0].misses.start_fill(slot);
            let (_, route) = units[0].misses.finish_fill(slot);
            assert_eq!(route, if slot == 0 { PacketRoute::PortVc(1, 2) } else { PacketRoute::Drop });
        }
    }
}
