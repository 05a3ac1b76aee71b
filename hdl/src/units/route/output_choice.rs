//! Output choice: the output of one packet, from its route and from settings and credit as they are in this cycle.
//!
//! No state.
//!
//! Each cycle: ports and number of the links of the group, the remainder of the selector, and the candidates' places in
//! use, each compared with each, are found side by side; the candidate with the fewest places in use is the one with
//! the most credit. What remains is to choose one of L + c ports, and to decode it.
//!
//! Source: switch reference, section 5.1; Hirasawa2022, 4.2.4 and 5.2.1.

use crate::units::prelude::*;

/// The output of one packet, from its route, settings and credit.
#[block(shape: &Shape)]
pub struct OutputChoice {
    /// A packet is there.
    pub present: Flag<In>,
    /// The packet's result is drop.
    pub dropped: Flag<In>,
    /// Selector of the packet.
    pub selector: Sig<In, 8>,
    /// Port of the packet, candidate 0.
    pub port: Sig<In, port_bits>,
    /// The packet leaves by a link of a group.
    pub group_set: Option<Flag<In>, linked>,
    /// Group by whose links the packet leaves.
    pub group: Option<Sig<In, { shape.link_aggregation.as_ref().map_or(1, |l| l.group_bits as usize) }>, linked>,
    pub link_groups: Bare<LinkGroups<In, shape>>,
    /// Further candidates, from number 1.
    pub candidate: Vec<Sig<In, port_bits>, { most_candidates - 1 }>,
    /// Number of further candidates that count.
    pub candidates: Option<Sig<In, { shape.candidates_bits() as usize }>, several>,
    /// The selector chooses the candidate, not the credit.
    pub in_order: Option<Flag<In>, several>,
    /// Places in use of the next buffers.
    #[made(many(if several { ports * vcs } else { 0 }, || {
        sig(in_use_bits(shape)).doc(match shape.next_vc {
            true => "Places in use of the next buffer of output o, VC u, element o * k + u.",
            false => "Places in use of the next buffer of output o.",
        })
    }))]
    pub in_use: Vec<Sig<In>>,
    /// VC on which the packet leaves, one-hot.
    pub leaving: Option<Sig<In, vcs>, { several && shape.next_vc }>,
    /// The packet is dropped.
    pub drop_now: Flag<Out>,
    /// Output of the packet, one-hot.
    pub request: Sig<Out, ports>,

    #[made(modulo(divisor_bits))]
    modulo: Modulo,

    /// Links in use of the packet's group.
    links_of: Option<Sig<Local, { clog2(links + 1).max(1) }>, linked>,
    /// Ports of the links of the packet's group.
    link_of: Vec<Sig<Local, port_bits>, links>,
    /// Candidates, from number 0.
    candidate_port: Vec<Sig<Local, port_bits>, most_candidates, several>,
    /// Candidates that count.
    counts: Option<Sig<Local, most_candidates>, several>,
    /// Places in use at output o, of the VC on which the packet leaves.
    in_use_there: Vec<Sig<Local, { in_use_bits(shape) }>, ports, several>,
    /// Places in use at the output of each candidate.
    in_use_of: Vec<Sig<Local, { in_use_bits(shape) }>, most_candidates, several>,
    /// Candidate chosen, one-hot.
    pick: Option<Sig<Local, most_candidates>, several>,
    /// Number of links or candidates to choose from; 0 stands for 2 to the power of its width.
    divisor: Sig<Local, divisor_bits>,
    /// Port that is chosen.
    chosen: Sig<Local, port_bits>,
    /// The packet is dropped: the packet has no route, or its group has no link.
    dropping: Flag<Local>,

    divisor_bits: Number<{ clog2(links).max(4) }>,
    linked: Number<bool, { shape.link_aggregation.is_some() }>,
    several: Number<bool, { shape.candidates > 1 }>,
    port_bits: Number<{ shape.port_bits as usize }>,
    ports: Param<{ shape.ports }>,
    groups: Param<{ link_counts(shape).0 }>,
    links: Param<{ link_counts(shape).1 }>,
    #[listed(candidates)]
    most_candidates: Param<{ shape.candidates }>,
    vcs: Param<{ named_vcs(shape) }>,
}

#[kernel]
impl OutputChoice {
    fn update(&mut self) {
        self.find_links();
        self.divide();
        self.chosen.next = self.port.val();
        self.find_candidates();
        self.find_in_use();
        self.pick();
        self.choose();
    }

    /// The links of its group.
    fn find_links(&mut self) {
        if let (Some(links_of), Some(group)) = (&mut self.links_of, &self.group) {
            links_of.next = 0.into();
            for j in 0..self.links {
                self.link_of[j].next = 0.into();
            }
            for g in 0..self.groups {
                if group.val() == g {
                    links_of.next = links_of.val() | self.link_groups.links[g].val();
                    for j in 0..self.links {
                        self.link_of[j].next =
                            self.link_of[j].val() | self.link_groups.group_link[g * self.links + j].val();
                    }
                }
            }
        }
    }

    /// What the selector chooses.
    fn divide(&mut self) {
        self.divisor.next = 0.into();
        if let Some(candidates) = &self.candidates {
            self.divisor.next = unsigned_cast(candidates.val()) + 1;
        }
        if let (Some(group_set), Some(links_of)) = (&self.group_set, &self.links_of) {
            if group_set.val() {
                self.divisor.next = unsigned_cast(links_of.val());
            }
        }
        self.modulo.number.next = self.selector.val();
        self.modulo.divisor.next = self.divisor.val();
    }

    /// The candidates that count.
    fn find_candidates(&mut self) {
        if let (Some(counts), Some(candidates)) = (&mut self.counts, &self.candidates) {
            self.candidate_port[0].next = self.port.val();
            for j in 0..self.candidate.len() {
                self.candidate_port[j + 1].next = self.candidate[j].val();
            }
            counts.next = 1.into();
            for j in 1..self.candidate_port.len() {
                counts.set(j, candidates.val() >= j);
            }
        }
    }

    /// Places in use at the outputs of the candidates.
    fn find_in_use(&mut self) {
        for o in 0..self.in_use_there.len() {
            self.in_use_there[o].next = self.in_use[o * self.vcs].val();
            if let Some(leaving) = &self.leaving {
                self.in_use_there[o].next = 0.into();
                for u in 0..self.vcs {
                    if leaving.val().get_bit(u) {
                        self.in_use_there[o].next = self.in_use_there[o].val() | self.in_use[o * self.vcs + u].val();
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
    }

    /// The candidate with the most credit, the first of several; or that which the selector says.
    fn pick(&mut self) {
        if let (Some(counts), Some(pick), Some(in_order)) = (&self.counts, &mut self.pick, &self.in_order) {
            pick.next = counts.val();
            for j in 0..self.candidate_port.len() {
                for i in 0..self.candidate_port.len() {
                    if i < j {
                        if self.in_use_of[i].val() <= self.in_use_of[j].val() {
                            pick.set(j, false);
                        }
                    }
                    if j < i {
                        if counts.val().get_bit(i) & (self.in_use_of[i].val() < self.in_use_of[j].val()) {
                            pick.set(j, false);
                        }
                    }
                }
            }
            if in_order.val() {
                for j in 0..self.candidate_port.len() {
                    pick.set(j, self.modulo.remainder.val() == j);
                }
            }
            self.chosen.next = 0.into();
            for j in 0..self.candidate_port.len() {
                if pick.val().get_bit(j) {
                    self.chosen.next = self.chosen.val() | self.candidate_port[j].val();
                }
            }
        }
    }

    /// Or a link of its group.
    fn choose(&mut self) {
        self.dropping.next = self.dropped.val();
        if let (Some(group_set), Some(links_of)) = (&self.group_set, &self.links_of) {
            if group_set.val() {
                self.chosen.next = 0.into();
                for j in 0..self.links {
                    if self.modulo.remainder.val() == j {
                        self.chosen.next = self.chosen.val() | self.link_of[j].val();
                    }
                }
                self.dropping.next = self.dropped.val() | !links_of.val().any();
            }
        }
        self.drop_now.next = self.present.val() & self.dropping.val();
        self.request.next = 0.into();
        for o in 0..self.ports {
            self.request.set(o, self.present.val() & !self.dropping.val() & (self.chosen.val() == o));
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
            (26, 2, false, 2, Some((2, 24))),
            (64, 2, false, 1, Some((1, 64))),
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
            let shape = config.check().unwrap().shape();
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
                if bench.group.is_some() {
                    bench.group_set.iter_mut().for_each(|pin| pin.next = group_set);
                    bench.group.iter_mut().for_each(|pin| pin.next = group.into());
                    for g in 0..groups {
                        bench.link_groups.links[g].next = links[g].into();
                    }
                    for l in 0..groups * most {
                        bench.link_groups.group_link[l].next = ports_of[l].into();
                    }
                }
                if bench.candidates.is_some() {
                    bench.candidates.iter_mut().for_each(|pin| pin.next = further.into());
                    bench.in_order.iter_mut().for_each(|pin| pin.next = in_order);
                    for j in 1..shape.candidates {
                        bench.candidate[j - 1].next = candidate[j].into();
                    }
                    for (o, places) in in_use[..shape.ports * width].iter().enumerate() {
                        bench.in_use[o].next = (*places).into();
                    }
                }
                bench.leaving.iter_mut().for_each(|pin| pin.next = (1usize << leaving).into());
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
