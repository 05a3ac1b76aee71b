//! Section 4.4: requests to the CAM and its answers.

use super::state::*;
use super::*;
use railyard_spec::TableShape;

impl Literal {
    pub fn request_and_answer(&mut self, old: &Literal, pins: &Inputs, wires: &mut Wires, table: &TableShape) {
        let from_pins = (table.external_cam && pins.cam_response_valid)
            .then(|| (pins.cam_response_tag, pins.cam_response_hit, old.entry_of_answer(pins)));
        self.answer(old, table);
        self.response = from_pins;
        if table.forwarding_table.is_some() {
            self.pass_table(old, pins, wires, table);
        } else if !old.out.cam_request_valid || pins.cam_request_ready {
            let request = self.next_request(old, table);
            self.load_request(request);
        }
    }

    /// The request of a round robin winner among the ports with an offer: tag and address.
    pub fn next_request(&mut self, old: &Literal, table: &TableShape) -> Option<(u32, u64)> {
        let (shape, per_vc) = (&old.shape, table.lookups_per_vc);
        let p = round_robin(shape.ports, old.cam_pointer, |p| !old.ports[p].requests.is_empty())?;
        self.cam_pointer = (p + 1) % shape.ports;
        let number = self.ports[p].requests.pop_front().expect("an offer");
        self.ports[p].slots[number].requested = true;
        let (v, slot) = (number / per_vc, number % per_vc);
        let tag = (p << (shape.vc_bits + table.slot_bits) | v << table.slot_bits | slot) as u32;
        Some((tag, old.ports[p].slots[number].address))
    }

    pub fn load_request(&mut self, request: Option<(u32, u64)>) {
        self.out.cam_request_valid = request.is_some();
        if let Some(request) = request {
            (self.out.cam_request_tag, self.out.cam_request_address) = request;
        }
    }

    /// The entry of an answer at the pins, if the route exists.
    fn entry_of_answer(&self, pins: &Inputs) -> Option<i64> {
        let shape = &self.shape;
        let (n, k) = (shape.ports, shape.vcs);
        let vc = (shape.next_vc && pins.cam_response_vc_set).then_some(pins.cam_response_vc as i64);
        let groups = shape.link_aggregation.as_ref().map_or(0, |l| l.groups);
        let (port, group) = (pins.cam_response_port, pins.cam_response_group);
        let group_set = groups > 0 && pins.cam_response_group_set;
        let several = shape.candidates > 1;
        let further = if several { pins.cam_response_candidates as usize } else { 0 };
        let candidate = pins.cam_response_candidate;
        let exists = vc.is_none_or(|vc| vc < k as i64)
            && match group_set {
                true => (group as usize) < groups,
                false => {
                    further < shape.candidates
                        && (port as usize) < n
                        && (0..further).all(|i| (candidate[i] as usize) < n)
                }
            };
        let mut entry = port as i64 | vc.map_or(0, |vc| vc + 1) << 8;
        if group_set {
            entry |= 1 << 12 | (group as i64) << 13;
        } else if several {
            entry |= (further as i64) << 20 | (pins.cam_response_in_order as i64) << 22;
            entry |= (0..further).fold(0, |list, i| list | (candidate[i] as i64) << (24 + 8 * i));
        }
        exists.then_some(entry)
    }

    /// The registered answer is applied.
    fn answer(&mut self, old: &Literal, table: &TableShape) {
        let Some((tag, hit, entry)) = old.response else { return };
        let (shape, per_vc) = (&old.shape, table.lookups_per_vc);
        let slot = tag as usize & ((1 << table.slot_bits) - 1);
        let v = tag as usize >> table.slot_bits & ((1 << shape.vc_bits) - 1);
        let p = tag as usize >> (table.slot_bits + shape.vc_bits);
        let number = v * per_vc + slot;
        let asked = p < shape.ports && v < shape.vcs && slot < per_vc && {
            let s = &old.ports[p].slots[number];
            s.valid && s.primary == number && s.requested && !s.answered
        };
        self.out.error_cam |= !asked || hit && entry.is_none();
        if asked {
            let has_default = table.default_route && old.field("default_route", "valid") == 1;
            let result = match (hit, entry) {
                (true, Some(entry)) => entry,
                (false, _) if has_default => old.entry_in("default_route", "default_candidates"),
                _ => DROP,
            };
            let s = &mut self.ports[p].slots[number];
            (s.answered, s.entry) = (true, result);
        }
    }

    /// The entry that registers hold.
    pub fn entry_in(&self, route: &str, candidates: &str) -> i64 {
        let field = |name: &str| self.field(route, name) as i64;
        let vc = if field("vc_set") == 1 { field("vc") + 1 } else { 0 };
        let mut entry = field("port") | vc << 8;
        if field("group_set") == 1 {
            entry |= 1 << 12 | field("group") << 13;
        } else {
            entry |= field("candidates") << 20 | field("in_order") << 22;
            for (i, name) in ["candidate_1", "candidate_2", "candidate_3"].iter().enumerate() {
                if (i as i64) < field("candidates") {
                    entry |= (self.field(candidates, name) as i64) << (24 + 8 * i);
                }
            }
        }
        entry
    }
}
