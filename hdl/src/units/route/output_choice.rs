//! Output choice: the output of one packet, from its route and from settings and credit as they are in this cycle.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `present`, `dropped` | 1, 1 | there is a packet; its result is drop |
//! | `selector` | 8 | its selector: which link of a group, which candidate of those in order |
//! | `port` | port bits | else: its port, candidate 0 |
//! | `drop_now`, `request` | 1, N | the packet is dropped; its output (one-hot) |
//!
//! With link aggregation of G groups of up to L links:
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `group_set`, `group` | 1, group bits | the packet leaves by a link of this group |
//! | `link_groups` | | the links of the groups: [`LinkGroups`] |
//!
//! With c candidates:
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `candidate`, `candidates` | (c - 1) x port bits, ceil(log2 c) | further candidates, from number 1; how many of them count |
//! | `in_order` | 1 | the selector says which one, not the credit |
//! | `in_use` | N x log2 D + 2 | places in use of the next buffer of output o; with `next_vc` N x k, element o * k + u for VC u |
//! | `leaving` | k | VC on which the packet leaves, one-hot (with `next_vc` only) |
//!
//! No state.
//!
//! Each cycle: ports and number of the links of the group, the remainder of the selector, and the candidates' places in use, each compared
//! with each, are found side by side; the candidate with the fewest places in use is the one with the most credit. What remains is
//! to choose one of L + c ports, and to decode it.
//!
//! Source: switch reference, section 5.1; seed 000 sections 4.2.4 and 5.2.1.

use crate::parts::modulo::{modulo, Modulo};
use crate::rtl::prelude::*;
use crate::units::output::credit_counter::in_use_bits;
use crate::units::route::link_groups::{link_groups, LinkGroups};
use railyard_spec::Shape;

/// Chooses an output; see the head of this file.
#[block]
pub struct OutputChoice {
    pub present: Flag<In>,
    pub dropped: Flag<In>,
    pub selector: Sig<In>,
    pub port: Sig<In>,
    pub group_set: Vec<Flag<In>>,
    pub group: Vec<Sig<In>>,
    #[bare]
    pub link_groups: LinkGroups<In>,
    pub candidate: Vec<Sig<In>>,
    pub candidates: Vec<Sig<In>>,
    pub in_order: Vec<Flag<In>>,
    pub in_use: Vec<Sig<In>>,
    pub leaving: Vec<Sig<In>>,
    pub drop_now: Flag<Out>,
    pub request: Sig<Out>,

    modulo: Modulo,

    links_of: Vec<Sig<Local>>,
    link_of: Vec<Sig<Local>>,
    candidate_port: Vec<Sig<Local>>,
    counts: Vec<Sig<Local>>,
    in_use_there: Vec<Sig<Local>>,
    in_use_of: Vec<Sig<Local>>,
    pick: Vec<Sig<Local>>,
    divisor: Sig<Local>,
    chosen: Sig<Local>,
    dropping: Flag<Local>,

    ports: Param,
    groups: Param,
    most: Param,
    vcs: Param,
    about: About,
}

/// The choice for one packet of a switch of the given shape.
pub fn output_choice(shape: &Shape) -> OutputChoice {
    let (n, port_bits) = (shape.ports, shape.port_bits as usize);
    let linked = usize::from(shape.link_aggregation.is_some());
    let (groups, most) = shape.link_aggregation.as_ref().map_or((0, 0), |l| (l.groups, l.links));
    let group_bits = shape.link_aggregation.as_ref().map_or(1, |l| l.group_bits as usize);
    let link_bits = clog2(most + 1).max(1);
    let several = usize::from(shape.candidates > 1);
    let (c, candidates_bits) = (shape.candidates * several, shape.candidates_bits() as usize);
    let vcs = if shape.next_vc { shape.vcs } else { 1 };
    let next_vc = several * usize::from(shape.next_vc);
    let bits = in_use_bits(shape);
    OutputChoice {
        present: flag().doc("there is a packet"),
        dropped: flag().doc("its result is drop"),
        selector: sig(8).doc("its selector"),
        port: sig(port_bits).doc("its port, candidate 0"),
        group_set: many(linked, || flag().doc("it leaves by a link of a group")),
        group: many(linked, || sig(group_bits).doc("this one")),
        link_groups: link_groups(shape),
        candidate: many(c.saturating_sub(1), || sig(port_bits).doc("further candidates, from number 1")),
        candidates: many(several, || sig(candidates_bits).doc("how many of them count")),
        in_order: many(several, || flag().doc("the selector says which one, not the credit")),
        in_use: many(several * n * vcs, || {
            sig(bits).doc(match shape.next_vc {
                true => "places in use of the next buffer of output o, VC u, element o * k + u",
                false => "places in use of the next buffer of output o",
            })
        }),
        leaving: many(next_vc, || sig(vcs).doc("VC on which the packet leaves, one-hot")),
        drop_now: flag().doc("the packet is dropped"),
        request: sig(n).doc("its output, one-hot"),
        modulo: modulo(),
        links_of: many(linked, || sig(link_bits).doc("links in use of its group")),
        link_of: many(most, || sig(port_bits).doc("ports of the links of its group")),
        candidate_port: many(c, || sig(port_bits).doc("candidates, from number 0")),
        counts: many(several, || sig(c).doc("candidates that count")),
        in_use_there: many(several * n, || sig(bits).doc("places in use at output o, of the VC on which it leaves")),
        in_use_of: many(c, || sig(bits).doc("places in use at the output of each candidate")),
        pick: many(several, || sig(c).doc("candidate chosen, one-hot")),
        divisor: sig(4).doc("how many there are to choose from; 0 stands for 16"),
        chosen: sig(port_bits).doc("port chosen"),
        dropping: flag().doc("it is dropped: it has no route, or its group no link"),
        ports: param(n),
        groups: param(groups),
        most: param(most),
        vcs: param(vcs),
        about: about("output_choice", "The output of one packet, from its route, settings and credit.")
            .param("ports", n)
            .param("groups", groups)
            .param("links", most)
            .param("candidates", shape.candidates)
            .param("vcs", vcs),
    }
}

#[kernel]
impl OutputChoice {
    fn update(&mut self) {
        // The links of its group.
        for c in 0..self.links_of.len() {
            self.links_of[c].next = 0.into();
            for j in 0..self.most.val() {
                self.link_of[j].next = 0.into();
            }
            for g in 0..self.groups.val() {
                if self.group[c].val() == g {
                    self.links_of[c].next = self.links_of[c].val() | self.link_groups.links[g].val();
                    for j in 0..self.most.val() {
                        self.link_of[j].next =
                            self.link_of[j].val() | self.link_groups.group_link[g * self.most.val() + j].val();
                    }
                }
            }
        }

        // What the selector chooses.
        self.divisor.next = 0.into();
        for c in 0..self.candidates.len() {
            self.divisor.next = unsigned_cast(self.candidates[c].val()) + 1;
        }
        for c in 0..self.links_of.len() {
            if self.group_set[c].val() {
                self.divisor.next = unsigned_cast(self.links_of[c].val());
            }
        }
        self.modulo.number.next = self.selector.val();
        self.modulo.divisor.next = self.divisor.val();

        // A port, or one of the candidates.
        self.chosen.next = self.port.val();
        for c in 0..self.candidates.len() {
            self.candidate_port[0].next = self.port.val();
            for j in 0..self.candidate.len() {
                self.candidate_port[j + 1].next = self.candidate[j].val();
            }
            self.counts[c].next = 1.into();
            for j in 1..self.candidate_port.len() {
                self.counts[c].next = self.counts[c].val().replace_bit(j, self.candidates[c].val() >= j);
            }
            for o in 0..self.in_use_there.len() {
                self.in_use_there[o].next = self.in_use[o * self.vcs.val()].val();
                for l in 0..self.leaving.len() {
                    self.in_use_there[o].next = 0.into();
                    for u in 0..self.vcs.val() {
                        if self.leaving[l].val().get_bit(u) {
                            self.in_use_there[o].next =
                                self.in_use_there[o].val() | self.in_use[o * self.vcs.val() + u].val();
                        }
                    }
                }
            }
            for j in 0..self.candidate_port.len() {
                self.in_use_of[j].next = 0.into();
                for o in 0..self.in_use_there.len() {
                    if self.candidate_port[j].val() == o {
                        self.in_use_of[j].next = self.in_use_of[j].val() | self.in_use_there[o].val();
                    }
                }
            }
            self.pick[c].next = self.counts[c].val();
            for j in 0..self.candidate_port.len() {
                for i in 0..self.candidate_port.len() {
                    if i < j {
                        if self.in_use_of[i].val() <= self.in_use_of[j].val() {
                            self.pick[c].next = self.pick[c].val().replace_bit(j, false);
                        }
                    }
                    if j < i {
                        if self.counts[c].val().get_bit(i) & (self.in_use_of[i].val() < self.in_use_of[j].val()) {
                            self.pick[c].next = self.pick[c].val().replace_bit(j, false);
                        }
                    }
                }
            }
            if self.in_order[c].val() {
                for j in 0..self.candidate_port.len() {
                    self.pick[c].next = self.pick[c].val().replace_bit(j, self.modulo.remainder.val() == j);
                }
            }
            self.chosen.next = 0.into();
            for j in 0..self.candidate_port.len() {
                if self.pick[c].val().get_bit(j) {
                    self.chosen.next = self.chosen.val() | self.candidate_port[j].val();
                }
            }
        }

        // Or a link of its group.
        self.dropping.next = self.dropped.val();
        for c in 0..self.links_of.len() {
            if self.group_set[c].val() {
                self.chosen.next = 0.into();
                for j in 0..self.most.val() {
                    if self.modulo.remainder.val() == j {
                        self.chosen.next = self.chosen.val() | self.link_of[j].val();
                    }
                }
                self.dropping.next = self.dropped.val() | !self.links_of[c].val().any();
            }
        }
        self.drop_now.next = self.present.val() & self.dropping.val();
        self.request.next = 0.into();
        for o in 0..self.ports.val() {
            self.request.next =
                self.request.val().replace_bit(o, self.present.val() & !self.dropping.val() & (self.chosen.val() == o));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{Config, LinkAggregation, Routing, TableRouting};

    /// Section 5.1 in numbers, for any values of the ports.
    #[test]
    fn follows_the_reference() {
        for (n, (ports, vcs, next_vc, candidates, groups)) in [
            (5, 3, false, 1, Some((3, 5))),
            (16, 2, true, 1, Some((16, 16))),
            (5, 3, false, 4, None),
            (5, 3, true, 3, None),
            (6, 2, true, 2, Some((1, 2))),
            (4, 1, false, 4, Some((4, 4))),
        ]
        .into_iter()
        .enumerate()
        {
            let mut config = Config::named("test");
            (config.ports, config.virtual_channels.unicast) = (ports, vcs);
            let link_aggregation =
                groups.map(|(groups, links)| LinkAggregation { groups, links, ..Default::default() });
            config.routing =
                Routing::Table(TableRouting { next_vc, candidates, link_aggregation, ..Default::default() });
            config.check().unwrap_or_else(|faults| panic!("{faults}"));
            let shape = config.shape();
            let mut bench = Bench::combinational(output_choice(&shape));
            let mut random = 7 + n as u64;
            let mut draw = move |n: usize| {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (random >> 33) as usize % n
            };
            let (groups, most) = shape.link_aggregation.as_ref().map_or((1, 1), |l| (l.groups, l.links));
            for round in 0..600 {
                let (present, dropped, selector) = (draw(8) > 0, draw(8) == 0, draw(256));
                let candidate: Vec<usize> = (0..shape.candidates).map(|_| draw(shape.ports)).collect();
                let (further, in_order) = (draw(shape.candidates), draw(2) == 0);
                let (group_set, group) = (shape.link_aggregation.is_some() && draw(2) == 0, draw(groups));
                let links: Vec<usize> = (0..groups).map(|_| draw(most + 1)).collect();
                let ports_of: Vec<usize> = (0..groups * most).map(|_| draw(shape.ports)).collect();
                let in_use: Vec<usize> = (0..shape.ports * shape.vcs).map(|_| draw(4)).collect();
                let width = if next_vc { shape.vcs } else { 1 };
                let leaving = draw(width);
                bench.present.next = present;
                bench.dropped.next = dropped;
                bench.selector.next = selector.into();
                bench.port.next = candidate[0].into();
                for c in 0..bench.group.len() {
                    bench.group_set[c].next = group_set;
                    bench.group[c].next = group.into();
                    for g in 0..groups {
                        bench.link_groups.links[g].next = links[g].into();
                    }
                    for l in 0..groups * most {
                        bench.link_groups.group_link[l].next = ports_of[l].into();
                    }
                }
                for c in 0..bench.candidates.len() {
                    bench.candidates[c].next = further.into();
                    bench.in_order[c].next = in_order;
                    for j in 1..shape.candidates {
                        bench.candidate[j - 1].next = candidate[j].into();
                    }
                    for (o, places) in in_use[..shape.ports * width].iter().enumerate() {
                        bench.in_use[o].next = (*places).into();
                    }
                }
                for c in 0..bench.leaving.len() {
                    bench.leaving[c].next = (1usize << leaving).into();
                }
                bench.settle();
                let output = if dropped || group_set && links[group] == 0 {
                    None
                } else if group_set {
                    Some(ports_of[group * most + selector % links[group]])
                } else if in_order {
                    Some(candidate[selector % (1 + further)])
                } else {
                    let places = |j: &usize| in_use[candidate[*j] * width + leaving];
                    Some(candidate[(0..=further).min_by_key(places).unwrap()])
                };
                let output = output.filter(|_| present);
                assert_eq!(bench.drop_now.val(), present && output.is_none(), "shape {n}, round {round}");
                assert_eq!(bench.request.val().to_u128(), output.map_or(0, |o| 1 << o), "shape {n}, round {round}");
            }
        }
    }
}
