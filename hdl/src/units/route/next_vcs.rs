//! Next VCs: the virtual channels by the rule `next`, for all hops of the packets of an input VC.
//!
//! No state. The VC of a hop is the lowest legal one above that by which the packet came, or else the highest legal
//! one. Which VCs are above is a constant: it depends on the kind of the input port and the VC.
//!
//! Source: reference of Dragonfly routing, rules.

use crate::units::prelude::*;
use railyard_spec::legal::{Letter, PacketClass};
use railyard_spec::misrouting::PortKind;

/// The virtual channels by the rule `next`, for all hops of the packets of an input VC.
#[block(shape: &Shape, built: &DragonflyShape, from: PortKind, vc: usize, link_cases: usize)]
pub struct NextVcs {
    /// Legal VCs of packet class q, link class l, case c of n: element (2 q + l) n + c.
    pub legal: Vec<Sig<In, vcs>, places>,
    /// VC, one-hot, in the same order; zero if there is no legal one.
    pub climbed: Vec<Sig<Out, vcs>, places>,

    /// VCs above that by which the packet came.
    above: Vec<Sig<Local, vcs>, places>,
    /// Legal VCs above that by which the packet came.
    climbing: Vec<Sig<Local, vcs>, places>,
    /// Highest legal VC.
    highest: Vec<Sig<Local, vcs>, places>,

    above_local: Konst<vcs, { above(built, from, vc, PacketClass::Request, Letter::Local) }>,
    above_global: Konst<vcs, { above(built, from, vc, PacketClass::Request, Letter::Global) }>,
    reply_above_local: Konst<vcs, { above(built, from, vc, PacketClass::Reply, Letter::Local) }>,
    reply_above_global: Konst<vcs, { above(built, from, vc, PacketClass::Reply, Letter::Global) }>,
    places: Number<{ 2 * built.packet_classes().len() * link_cases }>,
    has_replies: Number<bool, { built.reference().has_replies() }>,
    vcs: Param<{ shape.vcs }>,
    came_by: Param<{ from as usize }>,
    came_on: Param<{ vc }>,
    link_cases: Param,
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
impl NextVcs {
    fn update(&mut self) {
        for c in 0..self.link_cases {
            self.above[c].next = self.above_local.val();
            self.above[self.link_cases + c].next = self.above_global.val();
            if self.has_replies {
                self.above[2 * self.link_cases + c].next = self.reply_above_local.val();
                self.above[3 * self.link_cases + c].next = self.reply_above_global.val();
            }
        }
        for e in 0..self.places {
            self.climbing[e].next = self.legal[e].val() & self.above[e].val();
            self.highest[e].next = 0.into();
            for u in 0..self.vcs {
                if self.legal[e].val().get_bit(u) {
                    self.highest[e].next = 0.into();
                    self.highest[e].set(u, true);
                }
            }
            self.climbed[e].next = self.climbing[e].val() & (!self.climbing[e].val() + 1);
            if !self.climbing[e].val().any() {
                self.climbed[e].next = self.highest[e].val();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::legal::CASES;
    use railyard_spec::Config;

    /// Against `Reference::next`, for packets from everywhere, with masks by chance.
    #[test]
    fn the_vcs_are_those_of_the_rule() {
        let json = r#"{"name": "d", "ports": 7, "virtual_channels": {"unicast": 5}, "routing": {"kind": "dragonfly",
            "vcs": {"requests": "lglgl", "replies": "lgl"},
            "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}}}"#;
        let shape = Config::from_json(json).unwrap().shape();
        let built = shape.dragonfly().unwrap();
        let mut random = 11u64;
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        for from in [PortKind::Node, PortKind::Local, PortKind::Global] {
            let vcs = |letter| built.reference().vcs(letter);
            for vc in 0..DragonflyShape::letter(from).map_or(shape.vcs, vcs) {
                let mut bench = Bench::combinational(next_vcs(&shape, built, from, vc, CASES.len()));
                for _ in 0..30 {
                    let masks: Vec<u64> = (0..16).map(|place| draw(1 << vcs(Letter::ALL[place >> 2 & 1]))).collect();
                    (0..16).for_each(|place| bench.legal[place].next = masks[place].into());
                    bench.settle();
                    for (place, &mask) in masks.iter().enumerate() {
                        let (class, letter) = (PacketClass::ALL[place >> 3], Letter::ALL[place >> 2 & 1]);
                        let came = DragonflyShape::letter(from).map(|letter| (letter, vc));
                        let expected = built.reference().next(class, came, letter, mask as u16);
                        let expected = expected.map_or(0usize, |vc| 1 << vc);
                        assert_eq!(bench.climbed[place].val(), expected, "{from:?} {vc}: {place} of {mask:b}");
                    }
                }
            }
        }
    }
}
