//! Hop choice: output and virtual channel of a packet that knows its minimal port.
//!
//! No state. By the rule `next` the VC is the lowest legal one above that by which the packet came, or else the highest
//! legal one. Which VCs are above is a constant: it depends on the kind of the input port and the VC. Other rules have
//! chosen a VC for each output a cycle ahead ([`vc_choice`](mod@vc_choice)).
//!
//! Source: reference of Dragonfly routing, selection register.

use crate::units::prelude::*;
use railyard_spec::legal::{Letter, PacketClass};
use railyard_spec::misrouting::PortKind;

/// Output and virtual channel of a packet that knows its minimal port.
#[block(shape: &Shape, built: &DragonflyShape, from: PortKind, vc: usize)]
pub struct HopChoice {
    /// A packet is there.
    pub present: Flag<In>,
    /// The result is drop.
    pub dropped: Flag<In>,
    /// No output is chosen for the packet.
    pub waits: Option<Flag<In>, { built.adaptive() }>,
    /// Class, case and port.
    pub way: Sig<In, { hop_bits(shape, built) }>,
    /// The packet requests its escape only.
    pub impatient: Option<Flag<In>, flexible>,
    pub settings: Bare<VcSettings<In, shape, built>>,
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
    /// Place of the legal VCs: class, link class, case.
    place: Sig<Local, { case_bits + 1 }>,
    /// Legal VCs.
    allowed: Sig<Local, vcs>,
    /// VCs above that by which the packet came.
    above: Sig<Local, vcs>,
    /// Legal VCs above that by which the packet came.
    climbing: Sig<Local, vcs>,
    /// Highest legal VC.
    highest: Sig<Local, vcs>,
    /// VC by the rule `next`.
    climbed: Sig<Local, vcs>,
    /// VC to another switch.
    to_switch: Sig<Local, vcs>,
    /// An output is chosen for the packet.
    asks: Flag<Local>,
    /// Place of the preferred VC: output, class, case.
    preferred_place: Option<Sig<Local, { port_bits + case_bits }>, flexible>,

    above_local: Konst<vcs, { above(built, from, vc, PacketClass::Request, Letter::Local) }>,
    above_global: Konst<vcs, { above(built, from, vc, PacketClass::Request, Letter::Global) }>,
    reply_above_local: Konst<vcs, { above(built, from, vc, PacketClass::Reply, Letter::Local) }>,
    reply_above_global: Konst<vcs, { above(built, from, vc, PacketClass::Reply, Letter::Global) }>,
    port_field: Field<0, port_bits>,
    case_field: Field<port_bits, case_bits>,
    port_bits: Number<{ shape.port_bits as usize }>,
    case_bits: Number<{ case_bits(built) }>,
    cases: Number<{ cases(built) }>,
    flexible: Number<bool, { built.flexible_vcs }>,
    has_replies: Number<bool, { built.reference().has_replies() }>,
    first_local: Number<{ built.node_ports }>,
    first_global: Number<{ built.node_ports + built.local_ports }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    came_by: Param<{ from as usize }>,
    came_on: Param<{ vc }>,
}

/// VCs of a class of links whose index is above that of the VC by which a packet came, as a mask.
fn above(built: &DragonflyShape, from: PortKind, vc: usize, class: PacketClass, letter: Letter) -> u32 {
    let came = DragonflyShape::letter(from).map(|letter| (letter, vc));
    let reference = built.reference();
    // The lowest of a mask with one VC is that VC, if it is above.
    let is_above = |u: &usize| reference.above(class, came, letter, 1 << u).is_some();
    (0..reference.vcs(letter)).filter(is_above).fold(0, |mask, u| mask | 1 << u)
}

#[kernel]
impl HopChoice {
    fn update(&mut self) {
        self.find_output();
        self.find_legal();
        self.climb();
        self.prefer();
        self.ask();
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

    /// Masks of class, link class and case.
    fn find_legal(&mut self) {
        self.place.next = unsigned_cast(self.class_case.val());
        self.place.set(2, self.to_global.val());
        if self.has_replies {
            self.place.set(3, self.is_reply.val());
        }
        self.allowed.next = self.settings.legal[self.place.val()].val();
        if self.to_global.val() {
            self.above.next = self.above_global.val();
        } else {
            self.above.next = self.above_local.val();
        }
        if self.is_reply.val() {
            if self.to_global.val() {
                self.above.next = self.reply_above_global.val();
            } else {
                self.above.next = self.reply_above_local.val();
            }
        }
    }

    /// The rule `next`.
    fn climb(&mut self) {
        self.climbing.next = self.allowed.val() & self.above.val();
        self.highest.next = 0.into();
        for u in 0..self.vcs {
            if self.allowed.val().get_bit(u) {
                self.highest.next = 0.into();
                self.highest.set(u, true);
            }
        }
        self.climbed.next = self.climbing.val() & (!self.climbing.val() + 1);
        if !self.climbing.val().any() {
            self.climbed.next = self.highest.val();
        }
    }

    /// Another rule, unless the packet asks for its escape.
    fn prefer(&mut self) {
        self.to_switch.next = self.climbed.val();
        if let (Some(rule), Some(impatient), Some(place)) =
            (&self.settings.rule, &self.impatient, &mut self.preferred_place)
        {
            place.next = unsigned_cast(self.class_case.val());
            place.set(self.case_bits, self.port.val());
            if rule.val().any() & !impatient.val() {
                self.to_switch.next = self.preferred[place.val()].val();
            }
        }
    }

    fn ask(&mut self) {
        self.leave.next = self.to_switch.val();
        if self.to_node.val() {
            self.leave.next = 0.into();
            self.leave.set(0, !self.is_reply.val());
            if self.has_replies {
                self.leave.set(1, self.is_reply.val());
            }
        }
        self.drop_now.next = self.present.val() & self.dropped.val();
        self.asks.next = self.present.val() & !self.dropped.val() & self.leave.val().any();
        if let Some(waits) = &self.waits {
            if waits.val() {
                self.asks.next = false;
            }
        }
        self.request.next = 0.into();
        for o in 0..self.ports {
            self.request.set(o, self.asks.val() & (self.port.val() == o));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    /// Against `Reference::next`, for packets from everywhere, with masks by chance.
    #[test]
    fn the_vc_is_that_of_the_rule() {
        let json = r#"{"name": "d", "ports": 7, "virtual_channels": {"unicast": 5}, "routing": {"kind": "dragonfly",
            "vcs": {"requests": "lglgl", "replies": "lgl"},
            "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}}}"#;
        let shape = Config::from_json(json).unwrap().shape();
        let built = shape.dragonfly().unwrap();
        let mut random = 11u64;
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((random >> 33) % n) as usize
        };
        for from in [PortKind::Node, PortKind::Local, PortKind::Global] {
            for vc in 0..shape.vcs {
                let mut bench = Bench::combinational(hop_choice(&shape, built, from, vc));
                for _ in 0..60 {
                    let (port, case, reply) = (draw(7), draw(4), draw(2));
                    let class = PacketClass::ALL[reply];
                    let letter = DragonflyShape::letter(built.kind(port));
                    let masks: Vec<usize> =
                        (0..16).map(|place| draw(1 << built.reference().vcs(Letter::ALL[place >> 2 & 1]))).collect();
                    let dropped = draw(8) == 0;
                    bench.present.next = true;
                    bench.dropped.next = dropped;
                    bench.way.next = (reply << 5 | case << 3 | port).into();
                    (0..16).for_each(|place| bench.settings.legal[place].next = masks[place].into());
                    bench.settle();
                    let came = DragonflyShape::letter(from).map(|letter| (letter, vc));
                    let expected = match letter {
                        None => Some(reply),
                        Some(letter) => {
                            let mask = masks[8 * reply + 4 * letter as usize + case] as u16;
                            built.reference().next(class, came, letter, mask)
                        }
                    };
                    let expected = expected.filter(|_| !dropped);
                    let request = expected.map_or(0, |_| 1u32 << port);
                    assert_eq!((bench.request.val(), bench.drop_now.val()), (request.into(), dropped));
                    if let Some(expected) = expected {
                        assert_eq!(bench.leave.val(), 1 << expected, "{from:?} {vc}: {class:?} {port} {case}");
                    }
                }
            }
        }
    }
}
