//! CAM port: the one request and answer port that the route units of all ports share.
//!
//! Source: switch reference, section 4.4 (Request, Answer).

use crate::arbiter::RoundRobin;
use crate::route_queue::Route;
use crate::route_unit::RouteUnit;
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
    /// Ports with an entry in their request queue.
    offers: u64,
    ports: usize,
    vcs: usize,
    vc_bits: u32,
    slot_bits: u32,
}

impl CamPort {
    /// The CAM port of a table-routed switch of that shape.
    pub fn new(shape: &Shape) -> Self {
        CamPort {
            arbiter: RoundRobin::new(shape.ports),
            response: None,
            offers: 0,
            ports: shape.ports,
            vcs: shape.vcs,
            vc_bits: shape.vc_bits,
            slot_bits: shape.table().map_or(1, |t| t.slot_bits),
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

    /// The request register takes the next request of the ports in `offers` (their state from before this cycle).
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
        let Some(CamResponse { tag, hit, port, vc: vc_out }) = std::mem::replace(&mut self.response, pins) else {
            return Answered::default();
        };
        let asker = (tag >> (self.vc_bits + self.slot_bits)) as usize;
        let vc = (tag >> self.slot_bits & ((1 << self.vc_bits) - 1)) as usize;
        let slot = (tag & ((1 << self.slot_bits) - 1)) as usize;
        let exists = (port as usize) < self.ports && vc_out.is_none_or(|vc| (vc as usize) < self.vcs);
        let result = if hit && exists { Route::new(port, vc_out) } else { Route::Drop };
        let accepted = units.get_mut(asker).is_some_and(|unit| unit.misses.answer(vc, slot, result));
        Answered { port: accepted.then_some(asker), error: !accepted || hit && !exists }
    }

    /// Whether nothing waits for the request register and no answer is registered.
    pub fn is_idle(&self) -> bool {
        self.offers == 0 && self.response.is_none()
    }

    /// Reset.
    pub fn reset(&mut self) {
        self.arbiter = RoundRobin::new(self.ports);
        self.response = None;
        self.offers = 0;
    }
}

#[cfg(test)]
#[allow(clippy::unusual_byte_groupings)] // the fields of a tag
mod tests {
    use super::*;
    use railyard_spec::Config;

    #[test]
    fn asks_for_one_port_after_the_other_and_checks_the_answers() {
        let mut config = Config::named("t");
        config.ports = 3;
        let shape = config.shape();
        let table = shape.table().expect("a table");
        let mut units = vec![RouteUnit::new(table, 2, shape.buffer_flits, 0); 3];
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
            cam.answer(Some(CamResponse { tag, hit, port, vc: None }), &mut units);
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
    fn an_answer_with_a_vc_that_does_not_exist_is_no_route() {
        let mut config = Config::named("t");
        config.virtual_channels.unicast = 3;
        let shape = config.shape();
        let mut units = vec![RouteUnit::new(shape.table().expect("a table"), 3, shape.buffer_flits, 0)];
        let mut cam = CamPort::new(&shape);
        let answers = [(true, Some(2)), (true, Some(3)), (false, Some(3))];
        for address in 0..3 {
            units[0].misses.take(0, address, Some(address));
            units[0].misses.requested();
        }
        for (slot, (hit, vc)) in answers.into_iter().enumerate() {
            cam.answer(Some(CamResponse { tag: slot as u32, hit, port: 1, vc }), &mut units);
            let answered = cam.answer(None, &mut units);
            assert_eq!(answered, Answered { port: Some(0), error: slot == 1 });
            units[0].misses.start_fill(slot);
            let (_, route) = units[0].misses.finish_fill(slot);
            assert_eq!(route, if slot == 0 { Route::PortVc(1, 2) } else { Route::Drop });
        }
    }
}
