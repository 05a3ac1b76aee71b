//! The CAM: answers lookups from the table, after a while, in any order.

use super::stall::{StallProcess, Stalls};
use crate::random::Random;
use railyard_model::{Inputs, Outputs};
use railyard_spec::Route;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest latency; longer ones are cut.
pub const LONGEST_LATENCY: u64 = 1023;

/// How the CAM behaves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cam {
    /// Fewest cycles from an accepted request to its answer; 0 is the same cycle. The thesis has 25.
    #[schemars(range(max = 1023))]
    pub latency_min: u64,
    /// Most cycles. The CAM gives one answer a cycle, so it can take longer.
    #[schemars(range(max = 1023))]
    pub latency_max: u64,
    /// Fewest cycles from one accepted request to the next: 1 for a pipelined CAM, the latency for one lookup at a
    /// time.
    #[schemars(range(min = 1, max = 1023))]
    pub interval: u64,
    /// It accepts nothing now and then.
    pub stalls: Option<Stalls>,
}

impl Default for Cam {
    fn default() -> Cam {
        Cam { latency_min: 25, latency_max: 25, interval: 1, stalls: None }
    }
}

/// What an external CAM does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CamMode {
    /// What the scenario says.
    #[default]
    Usual,
    /// It accepts nothing.
    Deaf,
    /// It accepts requests and does not answer.
    Mute,
}

/// The CAM at work.
#[derive(Clone, Debug)]
pub struct CamResponder {
    random: Random,
    /// Whether it accepts and answers.
    pub mode: CamMode,
    latency: (u64, u64),
    interval: u64,
    /// The first cycle in which the next request is accepted.
    free_from: u64,
    stalls: StallProcess,
    /// (tag, address) by the cycle in which the answer is ready, modulo their number, a power of two.
    calendar: Vec<Vec<(u32, u64)>>,
    ready: Vec<(u32, u64)>,
    waiting: usize,
}

impl CamResponder {
    /// A CAM that was asked nothing yet.
    pub fn new(cam: &Cam, seed: u64) -> CamResponder {
        let mut random = Random::new(seed, 4);
        let (fewest, most) = (cam.latency_min.min(LONGEST_LATENCY), cam.latency_max.min(LONGEST_LATENCY));
        CamResponder {
            stalls: StallProcess::new(1, cam.stalls, &mut random),
            random,
            mode: CamMode::Usual,
            latency: (fewest, most.max(fewest)),
            interval: cam.interval,
            free_from: 0,
            calendar: vec![Vec::new(); (most.max(fewest).max(1) as usize + 1).next_power_of_two()],
            ready: Vec::new(),
            waiting: 0,
        }
    }

    /// The switch was reset: nothing is asked any more.
    pub fn reset(&mut self) {
        self.calendar.iter_mut().for_each(Vec::clear);
        self.ready.clear();
        self.waiting = 0;
        self.free_from = 0;
    }

    /// Whether all requests are answered.
    pub fn is_idle(&self) -> bool {
        self.waiting == 0
    }

    /// Drives the pins except for the answer: whether a request is accepted.
    #[inline]
    pub fn offer(&mut self, now: u64, inputs: &mut Inputs) {
        let is_free = self.stalls.standing(now, &mut self.random) == 0 && now >= self.free_from;
        inputs.cam_request_ready = is_free && self.mode != CamMode::Deaf;
    }

    /// Takes a request that is accepted in this cycle.
    #[inline]
    pub fn accept(&mut self, now: u64, outputs: &Outputs, inputs: &Inputs) {
        self.accept_with(now, self.latency, outputs, inputs);
    }

    /// As [`CamResponder::accept`], when this cycle's answer is already driven: the earliest is that of the next cycle.
    #[inline]
    pub fn accept_later(&mut self, now: u64, outputs: &Outputs, inputs: &Inputs) {
        self.accept_with(now, (self.latency.0.max(1), self.latency.1.max(1)), outputs, inputs);
    }

    #[inline]
    fn accept_with(&mut self, now: u64, latency: (u64, u64), outputs: &Outputs, inputs: &Inputs) {
        if outputs.cam_request_valid && inputs.cam_request_ready {
            let ready = now + self.random.within(latency.0, latency.1);
            let slot = self.slot(ready);
            self.calendar[slot].push((outputs.cam_request_tag, outputs.cam_request_address));
            self.waiting += 1;
            self.free_from = now + self.interval;
        }
    }

    #[inline]
    fn slot(&self, cycle: u64) -> usize {
        cycle as usize & (self.calendar.len() - 1)
    }

    /// Collects what is ready in this cycle. To be called in every cycle, after [`CamResponder::accept`].
    #[inline]
    pub fn collect(&mut self, now: u64) {
        let slot = self.slot(now);
        if !self.calendar[slot].is_empty() {
            let due = &mut self.calendar[slot];
            self.ready.append(due);
        }
    }

    /// Drives an answer, one of those ready at random. `known` gives the route of an address, if it is known.
    #[inline]
    pub fn answer(&mut self, inputs: &mut Inputs, known: impl FnOnce(u64) -> Option<Route>) {
        if !self.ready.is_empty() && self.mode != CamMode::Mute {
            let (tag, address) = self.ready.swap_remove(self.random.below(self.ready.len() as u64) as usize);
            self.waiting -= 1;
            let route = known(address);
            inputs.cam_answer(tag, route.map(|route| route.port));
            let next_vc = route.and_then(|route| route.next_vc);
            inputs.cam_response_vc_set = next_vc.is_some();
            inputs.cam_response_vc = next_vc.unwrap_or(0);
            let route = route.unwrap_or_default();
            inputs.cam_response_group_set = route.group.is_some();
            inputs.cam_response_group = route.group.unwrap_or(0);
            inputs.cam_response_candidates = route.more;
            inputs.cam_response_candidate = route.candidates;
            inputs.cam_response_in_order = route.in_order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{AddressMap, AddressTable};
    use railyard_spec::Config;

    #[test]
    fn answers_each_request_once_with_its_port_in_time() {
        let shape = Config::named("cam").check().unwrap().shape();
        let map = AddressMap::new(&shape, 24, 4, 1);
        let table = AddressTable::new(&shape, 4, 0, 1).unwrap();
        let stalls = Some(Stalls { share: 0.3, cycles: 5.0 });
        let cam = Cam { latency_min: 10, latency_max: 30, stalls, ..Cam::default() };
        let mut responder = CamResponder::new(&cam, 1);
        let (mut outputs, mut inputs) = (Outputs::new(&shape), Inputs::new(&shape));
        let mut random = Random::new(8, 0);
        let mut asked = std::collections::BTreeMap::new();
        let (mut answers, mut refused, mut out_of_order) = (0, 0, 0);
        for now in 0..3_000u64 {
            inputs.idle();
            outputs.cam_request_valid = now < 2_500 && now % 3 == 0;
            outputs.cam_request_tag = now as u32;
            let port = random.below(16) as u8;
            let unknown = random.below(10) == 0;
            outputs.cam_request_address =
                if unknown { map.draw_unroutable(&mut random) } else { map.draw_any(0, port, &mut random) };
            responder.offer(now, &mut inputs);
            responder.accept(now, &outputs, &inputs);
            if outputs.cam_request_valid && inputs.cam_request_ready {
                asked.insert(now as u32, (!unknown).then_some(port));
            } else if outputs.cam_request_valid {
                refused += 1;
            }
            responder.collect(now);
            responder.answer(&mut inputs, |address| table.known(address));
            if inputs.cam_response_valid {
                answers += 1;
                let tag = inputs.cam_response_tag;
                out_of_order += u32::from(*asked.keys().next().unwrap() < tag);
                let port = inputs.cam_response_hit.then_some(inputs.cam_response_port);
                assert_eq!(asked.remove(&tag), Some(port));
                assert!((10..40).contains(&(now - u64::from(tag))), "{}", now - u64::from(tag));
            }
        }
        assert!(responder.is_idle() && asked.is_empty());
        assert!(answers > 500 && refused > 100 && out_of_order > 100, "{answers} {refused} {out_of_order}");
    }

    #[test]
    fn one_lookup_at_a_time_is_accepted_every_latency() {
        let shape = Config::named("cam").check().unwrap().shape();
        let cam = Cam { interval: 25, ..Cam::default() };
        let mut responder = CamResponder::new(&cam, 1);
        let (mut outputs, mut inputs) = (Outputs::new(&shape), Inputs::new(&shape));
        outputs.cam_request_valid = true;
        let (mut accepted, mut answered) = (Vec::new(), Vec::new());
        for now in 0..100 {
            inputs.idle();
            responder.offer(now, &mut inputs);
            responder.accept(now, &outputs, &inputs);
            responder.collect(now);
            responder.answer(&mut inputs, |_| None);
            accepted.extend(inputs.cam_request_ready.then_some(now));
            answered.extend(inputs.cam_response_valid.then_some(now));
        }
        assert_eq!((accepted, answered), (vec![0, 25, 50, 75], vec![25, 50, 75]));
    }
}
