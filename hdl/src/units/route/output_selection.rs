//! Output selection of a port: from the routes at the heads of its route queues to requests for outputs.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `arrive`, `arrive_vc` | 1, VC bits | a packet arrives at route computation, on this VC |
//! | `arrive_address` | A | its destination (without link aggregation 8 bits at most: the low ones) |
//! | `head_drop`, `head_routed`, `head_route` | k, k, k x route bits | head of the route queue of each VC: drop, or this [`route`](super::layout) |
//! | `take_head` | k | it is taken |
//! | `drop_now`, `request`, `leave` | k, k x N, k x k | the packet in the selection register of each VC, see [`selection_register`](super::selection_register) |
//! | `take` | k | it is taken |
//! | `method` | 2 | link aggregation: field of `link_selection` |
//! | `link_groups` | | and those of `group`, `group_link`: [`LinkGroups`] |
//! | `in_use` | N x k x log2 D + 2 | places in use of the next buffers, VC v of output o at o * k + v (with candidates only) |
//!
//! Of the mixed VC, if there is one:
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `head_multicast`, `head_group` | 1, group bits | or the head of the route queue is a multicast packet's, of this group |
//! | `multicast_now`, `multicast_group` | 1, group bits | or so is the packet in the selection register |
//!
//! State: a queue of D selectors and a selection register for each VC.
//!
//! Each cycle: the selector of a packet that arrives is made of its address and goes its own way, as results are pending for a while and
//! headers wait: both come out in the order of the packets. It leaves its queue with the head of the route queue. That a head is there two
//! cycles behind the packet's arrival at the earliest is what its queue needs, too.
//!
//! Source: switch reference, section 5.1.

use crate::parts::crc_hash::{crc_hash, CrcHash};
use crate::parts::fifo::{fifo, Fifo};
use crate::rtl::prelude::*;
use crate::units::output::credit_counter::in_use_bits;
use crate::units::route::layout::route_bits;
use crate::units::route::link_groups::{link_groups, LinkGroups};
use crate::units::route::route_head::RouteHead;
use crate::units::route::selection_register::{selection_register, SelectionRegister};
use railyard_spec::Shape;

const RESIDUE: usize = 1;
const IN_TURN: usize = 2;

/// Bits of a selector.
const SELECTOR_BITS: usize = 8;

/// Output selection of a port; see the head of this file.
#[block]
pub struct OutputSelection {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub arrive: Flag<In>,
    pub arrive_vc: Sig<In>,
    pub arrive_address: Sig<In>,
    pub head: RouteHead<In>,
    pub take_head: Sig<Out>,
    pub drop_now: Sig<Out>,
    pub request: Vec<Sig<Out>>,
    pub leave: Vec<Sig<Out>>,
    pub take: Sig<In>,
    pub method: Vec<Sig<In>>,
    #[bare]
    pub link_groups: LinkGroups<In>,
    pub in_use: Vec<Sig<In>>,
    pub head_multicast: Vec<Flag<In>>,
    pub head_group: Vec<Sig<In>>,
    pub multicast_now: Vec<Flag<Out>>,
    pub multicast_group: Vec<Sig<Out>>,

    hash: Vec<CrcHash>,
    selectors: Vec<Fifo>,
    register: Vec<SelectionRegister>,

    arrive_selector: Sig<Local>,

    vcs: Param,
    outputs: Param,
    own_vcs: Param,
    mixed: Param,
    about: About,
}

/// Output selection of a port of a switch of the given shape, which has it.
pub fn output_selection(shape: &Shape) -> OutputSelection {
    let (n, k, vc_bits) = (shape.ports, shape.vcs, shape.vc_bits as usize);
    let links = shape.link_aggregation.as_ref();
    let linked = usize::from(links.is_some());
    let whole = shape.address_bits().expect("output selection is for packets with a destination address") as usize;
    let address_bits = if linked == 1 { whole } else { whole.min(SELECTOR_BITS) };
    let (groups, most) = links.map_or((0, 0), |l| (l.groups, l.links));
    let several = usize::from(shape.candidates > 1);
    let mixed = usize::from(shape.multicast.is_some());
    let mixed_bits = shape.multicast.map_or(1, |built| built.group_bits as usize);
    OutputSelection {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        arrive: flag().doc("a packet arrives at route computation"),
        arrive_vc: sig(vc_bits).doc("on this VC"),
        arrive_address: sig(address_bits).doc("its destination address, as far as selectors are made of it"),
        head: RouteHead {
            drop: sig(k).doc("the head of the route queue is there and is drop"),
            request: Array::default(),
            vc: Array::default(),
            routed: many(1, || sig(k).doc("it is there and is a route")),
            route: many(k, || sig(route_bits(shape)).doc("this one")),
            multicast: Array::default(),
            group: Array::default(),
        },
        take_head: sig(k).doc("the head is taken"),
        drop_now: sig(k).doc("the VC's next packet is dropped"),
        request: many(k, || sig(n).doc("or this is its output, one-hot")),
        leave: many(usize::from(shape.next_vc) * k, || sig(k).doc("VC on which it leaves, one-hot")),
        take: sig(k).doc("it is taken"),
        method: many(linked, || sig(2).doc("how links are selected: 0 CRC, 1 residue, 2 in turn")),
        link_groups: link_groups(shape),
        in_use: many(several * n * k, || {
            sig(in_use_bits(shape)).doc("places in use of the next buffer of output o, VC v, element o * k + v")
        }),
        head_multicast: many(mixed, || flag().doc("of the mixed VC: or a multicast packet's")),
        head_group: many(mixed, || sig(mixed_bits).doc("this group")),
        multicast_now: many(mixed, || flag().doc("of the mixed VC: or it is a multicast packet")),
        multicast_group: many(mixed, || sig(mixed_bits).doc("of this group")),
        hash: links
            .map(|l| crc_hash(address_bits, SELECTOR_BITS.min(l.crc.bits as usize), l.crc))
            .into_iter()
            .collect(),
        selectors: many(k, || fifo(shape.buffer_flits as usize, SELECTOR_BITS)),
        register: (0..k).map(|v| selection_register(shape, v)).collect(),
        arrive_selector: sig(SELECTOR_BITS).doc("selector of the packet that arrives"),
        vcs: param(k),
        outputs: param(several * n),
        own_vcs: param(if shape.next_vc { 0 } else { k }),
        mixed: param(shape.multicast.map_or(0, |built| built.vc)),
        about: about("output_selection", "From the routes at the heads of route queues to requests for outputs.")
            .param("ports", n)
            .param("vcs", k)
            .param("groups", groups)
            .param("links", most)
            .param("candidates", shape.candidates)
            .param("buffer_flits", shape.buffer_flits as usize)
            .constant("RESIDUE", RESIDUE)
            .constant("IN_TURN", IN_TURN),
    }
}

#[kernel]
impl OutputSelection {
    fn update(&mut self) {
        // Selectors.
        self.arrive_selector.next = unsigned_cast(self.arrive_address.val());
        for h in 0..self.hash.len() {
            self.hash[h].address.next = self.arrive_address.val();
            if self.method[h].val() != RESIDUE {
                self.arrive_selector.next = unsigned_cast(self.hash[h].index.val());
            }
        }
        for v in 0..self.vcs.val() {
            self.selectors[v].push.next = self.arrive.val() & (self.arrive_vc.val() == v);
            self.selectors[v].push_data.next = self.arrive_selector.val();
            self.selectors[v].pop.next = self.register[v].take_head.val();
        }

        // Selection registers.
        self.take_head.next = 0.into();
        self.drop_now.next = 0.into();
        for v in 0..self.vcs.val() {
            self.register[v].head_drop.next = self.head.drop.val().get_bit(v);
            self.register[v].head_routed.next = self.head.routed[0].val().get_bit(v);
            self.register[v].head_route.next = self.head.route[v].val();
            self.register[v].head_selector.next = self.selectors[v].front.val();
            self.register[v].take.next = self.take.val().get_bit(v);
            self.take_head.next = self.take_head.val().replace_bit(v, self.register[v].take_head.val());
            self.drop_now.next = self.drop_now.val().replace_bit(v, self.register[v].drop_now.val());
            self.request[v].next = self.register[v].request.val();
            for c in 0..self.method.len() {
                self.register[v].in_turn[c].next = self.method[c].val() == IN_TURN;
            }
            self.link_groups.link(&mut self.register[v].link_groups);
        }
        for v in 0..self.leave.len() {
            self.register[v].own_vc[0].next = v.into();
            self.leave[v].next = self.register[v].leave[0].val();
            for o in 0..self.in_use.len() {
                self.register[v].in_use[o].next = self.in_use[o].val();
            }
        }
        for v in 0..self.own_vcs.val() {
            for o in 0..self.outputs.val() {
                self.register[v].in_use[o].next = self.in_use[o * self.vcs.val() + v].val();
            }
        }
        for c in 0..self.head_multicast.len() {
            self.register[self.mixed.val()].head_multicast[c].next = self.head_multicast[c].val();
            self.register[self.mixed.val()].head_group[c].next = self.head_group[c].val();
            self.multicast_now[c].next = self.register[self.mixed.val()].multicast_now[c].val();
            self.multicast_group[c].next = self.register[self.mixed.val()].multicast_group[c].val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::route::layout::route_layout;
    use railyard_spec::{Config, LinkAggregation, Routing, TableRouting};
    use std::collections::VecDeque;

    const LINKS: usize = 3;

    /// A packet: its selector; `None`: drop, else its port, or its group.
    #[derive(Clone, Copy)]
    struct Packet {
        selector: usize,
        result: Option<Result<usize, usize>>,
    }

    /// Section 5.1 for groups, cycle by cycle: selectors stay with their packets, turns, links that are taken out of a group.
    #[test]
    fn packets_leave_by_links_of_their_groups() {
        let mut config = Config::named("test");
        (config.ports, config.virtual_channels.unicast, config.buffer_flits) = (8, 2, Some(8));
        config.packet.max_flits = 2;
        let link_aggregation = Some(LinkAggregation { groups: 2, links: LINKS as u32, ..Default::default() });
        config.routing = Routing::Table(TableRouting { link_aggregation, ..Default::default() });
        config.check().unwrap_or_else(|faults| panic!("{faults}"));
        let shape = config.shape();
        let layout = route_layout(&shape);
        let crc = shape.link_aggregation.as_ref().unwrap().crc;
        let mut bench = Bench::new(output_selection(&shape), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        let mut random = 3u64;
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((random >> 33) % n) as usize
        };
        // Packets that have arrived, with the cycle; the head is there two cycles behind at the earliest.
        let mut waiting: Vec<VecDeque<(usize, Packet)>> = vec![VecDeque::new(); 2];
        let mut held: Vec<Option<Packet>> = vec![None; 2];
        let mut turn = [0usize; 2];
        let (mut links, mut ports) = ([LINKS; 2], [1, 2, 3, 4, 5, 6]);
        let (mut method, mut taken) = (0, 0);
        for cycle in 0..4000 {
            if draw(50) == 0 {
                method = draw(3);
            }
            if draw(10) == 0 {
                links[draw(2)] = draw(LINKS as u64 + 1);
                ports[draw(6)] = draw(8);
            }
            let (vc, address) = (draw(2), draw(1 << 24) as u64);
            let arrive = waiting[vc].len() < 7 && draw(2) == 0;
            let hash = (crc.of(address, 24) & 255) as usize;
            let selector = if method == 1 { address as usize & 255 } else { hash };
            let result = (draw(6) > 0).then(|| if draw(3) > 0 { Err(draw(2)) } else { Ok(draw(8)) });
            bench.arrive.next = arrive;
            bench.arrive_vc.next = vc.into();
            bench.arrive_address.next = address.into();
            bench.method[0].next = method.into();
            (0..2).for_each(|g| bench.link_groups.links[g].next = links[g].into());
            (0..6).for_each(|l| bench.link_groups.group_link[l].next = ports[l].into());
            let (mut drops, mut routed, mut take) = (0u32, 0u32, 0u32);
            let mut head = [None; 2];
            for v in 0..2 {
                let front = waiting[v].front().filter(|(at, _)| at + 2 <= cycle && draw(5) > 0);
                head[v] = front.map(|(_, packet)| *packet);
                let stale = layout.group_set + draw(2);
                let mut route = 1usize << stale & ((1 << layout.bits) - 1);
                match head[v].map(|packet| packet.result) {
                    Some(None) => drops |= 1 << v,
                    Some(Some(result)) => {
                        routed |= 1 << v;
                        route = match result {
                            Ok(port) => port | draw(2) << layout.group,
                            Err(group) => draw(8) | group << layout.group | 1 << layout.group_set,
                        };
                    }
                    None => {}
                }
                bench.head.route[v].next = route.into();
                take |= u32::from(held[v].is_some() && draw(3) == 0) << v;
            }
            bench.head.drop.next = drops.into();
            bench.head.routed[0].next = routed.into();
            bench.take.next = take.into();
            bench.settle();
            let mut loaded = 0u32;
            for v in 0..2 {
                let taking = take >> v & 1 == 1;
                taken += usize::from(taking);
                if taking {
                    held[v] = None;
                }
                if let (None, Some(mut packet)) = (held[v], head[v]) {
                    loaded |= 1 << v;
                    waiting[v].pop_front();
                    if matches!(packet.result, Some(Err(_))) && method == 2 {
                        packet.selector = turn[v];
                        turn[v] = (turn[v] + 1) % 256;
                    }
                    held[v] = Some(packet);
                }
            }
            assert_eq!(bench.take_head.val().to_u128(), u128::from(loaded), "cycle {cycle}");
            bench.cycle();
            for (v, held) in held.iter().enumerate() {
                let output = held.map(|packet| match packet.result? {
                    Ok(port) => Some(port),
                    Err(group) if links[group] == 0 => None,
                    Err(group) => Some(ports[group * LINKS + packet.selector % links[group]]),
                });
                assert_eq!(bench.drop_now.val().get_bit(v), output == Some(None), "cycle {cycle}, VC {v}");
                let request = output.flatten().map_or(0, |port| 1 << port);
                assert_eq!(bench.request[v].val().to_u128(), request, "cycle {cycle}, VC {v}");
            }
            if arrive {
                waiting[vc].push_back((cycle, Packet { selector, result }));
            }
        }
        assert!(taken > 1000, "{taken} packets");
    }
}
