//! Hop choice: output and virtual channel of a packet that knows its hop, or takes a candidate of its port instead.
//!
//! No state. By the rule `next` the VC depends on the VC by which the packet came ([`next_vcs`](mod@next_vcs)). Other
//! rules have chosen a VC for each output a cycle ahead ([`vc_choice`](mod@vc_choice)). Whether the packet takes a
//! candidate comes late, so both ways are worked out side by side.
//!
//! Source: reference of Dragonfly routing, selection register.

use crate::units::prelude::*;

/// Output and virtual channel of a packet that knows its hop, or takes a candidate of its port instead.
#[block(shape: &Shape, built: &DragonflyShape)]
pub struct HopChoice {
    /// A packet is there.
    pub present: Flag<In>,
    /// The result is drop.
    pub dropped: Flag<In>,
    /// No output is chosen for the packet.
    pub waits: Option<Flag<In>, adaptive>,
    /// The packet takes the candidate.
    pub departs: Option<Flag<In>, adaptive>,
    /// Output of the candidate, one-hot.
    pub other_request: Option<Sig<In, ports>, adaptive>,
    /// VC by the candidate, one-hot.
    pub other_leave: Option<Sig<In, vcs>, adaptive>,
    /// Class, case and port.
    pub way: Sig<In, { hop_bits(shape, built) }>,
    /// The packet requests its escape only.
    pub impatient: Option<Flag<In>, flexible>,
    /// VC by the rule `next` of packet class q, link class l, case c: element 8 q + 4 l + c.
    pub climbed: Vec<Sig<In, vcs>, { 2 * cases }>,
    /// Rule of choice; 0: next.
    pub rule: Option<Sig<In, { rule_bits(built) }>, flexible>,
    /// VC that the rule prefers at output o for class and case, element o * cases + 4 class + case.
    pub preferred: Vec<Sig<In, vcs>, { ports * cases }, flexible>,
    /// The packet is dropped.
    pub drop_now: Flag<Out>,
    /// Output, one-hot.
    pub request: Sig<Out, ports>,
    /// VC on which the packet leaves, one-hot.
    pub leave: Sig<Out, vcs>,

    /// Output.
    port: Sig<Local, port_bits>,
    /// The output leads to a node.
    to_node: Flag<Local>,
    /// The output leads to another group.
    to_global: Flag<Local>,
    /// Class and case.
    class_case: Sig<Local, case_bits>,
    /// The packet is a reply.
    is_reply: Flag<Local>,
    /// Place of the VC by the rule `next`: class, link class, case.
    place: Sig<Local, { case_bits + 1 }>,
    /// VC to another switch.
    to_switch: Sig<Local, vcs>,
    /// VC by the packet's own hop.
    own_leave: Sig<Local, vcs>,
    /// An output is chosen for the packet.
    asks: Flag<Local>,
    /// The packet's own output, one-hot.
    own_request: Sig<Local, ports>,
    /// Place of the preferred VC: output, class, case.
    preferred_place: Option<Sig<Local, { port_bits + case_bits }>, flexible>,

    port_field: Field<0, port_bits>,
    case_field: Field<port_bits, case_bits>,
    port_bits: Number<{ shape.port_bits as usize }>,
    case_bits: Number<{ case_bits(built) }>,
    cases: Number<{ cases(built) }>,
    adaptive: Number<bool, { built.adaptive() }>,
    flexible: Number<bool, { built.flexible_vcs }>,
    has_replies: Number<bool, { built.reference().has_replies() }>,
    first_local: Number<{ built.node_ports }>,
    first_global: Number<{ built.node_ports + built.local_ports }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
}

#[kernel]
impl HopChoice {
    fn update(&mut self) {
        self.find_output();
        self.climb();
        self.prefer();
        self.ask();
        self.depart();
    }

    fn find_output(&mut self) {
        self.port.next = self.way.val() >> self.port_field.val();
        self.class_case.next = self.way.val() >> self.case_field.val();
        self.to_node.next = self.port.val() < self.first_local;
        self.to_global.next = self.port.val() >= self.first_global;
        self.is_reply.next = false;
        if self.has_replies {
            self.is_reply.next = self.class_case.val().get_bit(2);
        }
    }

    /// The rule `next`.
    fn climb(&mut self) {
        self.place.next = unsigned_cast(self.class_case.val());
        self.place.set(2, self.to_global.val());
        if self.has_replies {
            self.place.set(3, self.is_reply.val());
        }
        self.to_switch.next = self.climbed[self.place.val()].val();
    }

    /// Another rule, unless the packet asks for its escape.
    fn prefer(&mut self) {
        if let (Some(rule), Some(impatient), Some(place)) = (&self.rule, &self.impatient, &mut self.preferred_place) {
            place.next = unsigned_cast(self.class_case.val());
            place.set(self.case_bits, self.port.val());
            if rule.val().any() & !impatient.val() {
                self.to_switch.next = self.preferred[place.val()].val();
            }
        }
    }

    fn ask(&mut self) {
        self.own_leave.next = self.to_switch.val();
        if self.to_node.val() {
            self.own_leave.next = 0.into();
            self.own_leave.set(0, !self.is_reply.val());
            if self.has_replies {
                self.own_leave.set(1, self.is_reply.val());
            }
        }
        self.drop_now.next = self.present.val() & self.dropped.val();
        self.asks.next = self.present.val() & !self.dropped.val() & self.own_leave.val().any();
        self.own_request.next = 0.into();
        for o in 0..self.ports {
            self.own_request.set(o, self.asks.val() & (self.port.val() == o));
        }
        self.request.next = self.own_request.val();
        self.leave.next = self.own_leave.val();
    }

    /// The packet waits, or takes the candidate.
    fn depart(&mut self) {
        if let (Some(waits), Some(departs), Some(other_request), Some(other_leave)) =
            (&self.waits, &self.departs, &self.other_request, &self.other_leave)
        {
            if departs.val() {
                self.leave.next = other_leave.val();
                self.request.next = 0.into();
                if self.present.val() & !self.dropped.val() & other_leave.val().any() {
                    self.request.next = other_request.val();
                }
            } else if waits.val() {
                self.request.next = 0.into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    /// A table of VCs by chance: the packet's own hop, a candidate's, or none.
    #[test]
    fn the_vc_is_that_of_the_hop() {
        let json = r#"{"name": "d", "ports": 7, "virtual_channels": {"unicast": 5}, "routing": {"kind": "dragonfly",
            "vcs": {"requests": "lglgl", "replies": "lgl"}, "adaptive": {"in_transit": true},
            "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}}}"#;
        let shape = Config::from_json(json).unwrap().shape();
        let mut random = 11u64;
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((random >> 33) % n) as usize
        };
        let mut bench = Bench::combinational(hop_choice(&shape, shape.dragonfly().unwrap()));
        for _ in 0..500 {
            let (port, case, reply, other) = (draw(7), draw(4), draw(2), draw(7));
            let vcs: Vec<usize> = (0..16).map(|_| (1 << draw(6)) & 31).collect();
            let (present, dropped, waits, departs) = (draw(8) != 0, draw(8) == 0, draw(3) == 0, draw(3) == 0);
            let other_leave = (1usize << draw(6)) & 31;
            (bench.present.next, bench.dropped.next) = (present, dropped);
            bench.way.next = (reply << 5 | case << 3 | port).into();
            (0..16).for_each(|place| bench.climbed[place].next = vcs[place].into());
            bench.waits.as_mut().unwrap().next = waits;
            bench.departs.as_mut().unwrap().next = departs;
            bench.other_request.as_mut().unwrap().next = (1u32 << other).into();
            bench.other_leave.as_mut().unwrap().next = other_leave.into();
            bench.settle();
            let own = if port < 2 { 1 << reply } else { vcs[8 * reply + 4 * usize::from(port >= 5) + case] };
            let (to, leave) = if departs { (other, other_leave) } else { (port, own) };
            let asks = present && !dropped && leave != 0 && (departs || !waits);
            assert_eq!(bench.request.val(), if asks { 1usize << to } else { 0 });
            assert_eq!(bench.drop_now.val(), present && dropped);
            assert_eq!(bench.leave.val(), leave, "{port} {case}");
        }
    }
}
