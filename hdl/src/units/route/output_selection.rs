//! Output selection of a port: from the routes at the heads of its route queues to requests for outputs.
//!
//! State: a queue of D selectors and a selection register for each VC.
//!
//! Each cycle: the selector of a packet that arrives is made of its address and goes its own way, as results are
//! pending for a while and headers wait: both come out in the order of the packets. It leaves its queue with the head
//! of the route queue. That a head is there two cycles behind the packet's arrival at the earliest is what its queue
//! needs, too.
//!
//! Source: switch reference, section 5.1.

use crate::units::prelude::*;

const RESIDUE: usize = 1;
const IN_TURN: usize = 2;

/// Bits of a selector.
const SELECTOR_BITS: usize = 8;

/// From the routes at the heads of route queues to requests for outputs.
#[block(shape: &Shape)]
pub struct OutputSelection {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A packet arrives at route computation.
    pub arrive: Flag<In>,
    /// VC of the packet.
    pub arrive_vc: Sig<In, { shape.vc_bits as usize }>,
    /// Destination address of the packet, as far as selectors depend on it.
    pub arrive_address: Sig<In, address_bits>,
    #[made(RouteHead {
        drop: sig(vcs).doc("The head of the route queue is there and is drop."),
        routed: Some(sig(vcs).doc("The head of the route queue is there and is a route.")),
        route: many(vcs, || sig(route_bits(shape))),
        ..RouteHead::plain()
    })]
    pub head: RouteHead<In>,
    /// The head is taken.
    pub take_head: Sig<Out, vcs>,
    /// The VC's next packet is dropped.
    pub drop_now: Sig<Out, vcs>,
    /// Output of the VC's next packet, one-hot.
    pub request: Vec<Sig<Out, ports>, vcs>,
    /// VC on which the next packet leaves, one-hot.
    pub leave: Vec<Sig<Out, vcs>, vcs, next_vc>,
    /// The next packet is taken.
    pub take: Sig<In, vcs>,
    pub settings: Bare<Option<LinkSettings<In, shape>, { shape.link_aggregation.is_some() }>>,
    /// Places in use of the next buffer of output o, VC v, element o * k + v.
    pub in_use: Vec<Sig<In, { in_use_bits(shape) }>, { ports * vcs }, { shape.candidates > 1 }>,
    /// The head of the mixed VC is a multicast packet's.
    pub head_multicast: Option<Flag<In>, multicast>,
    /// Group of the multicast packet at the head.
    pub head_group: Option<Sig<In, group_bits>, multicast>,
    /// The next packet of the mixed VC is a multicast packet.
    pub multicast_now: Option<Flag<Out>, multicast>,
    /// Group of the next packet of the mixed VC.
    pub multicast_group: Option<Sig<Out, group_bits>, multicast>,

    #[made({
        let crc = shape.link_aggregation.as_ref().map(|built| built.crc);
        crc.map(|crc| crc_hash(address_bits, SELECTOR_BITS.min(crc.bits as usize), crc))
    })]
    hash: Option<CrcHash>,
    selectors: Vec<Fifo<buffer_flits, SELECTOR_BITS>, vcs>,
    #[made((0..vcs).map(|v| selection_register(shape, v)).collect())]
    register: Vec<SelectionRegister>,

    /// Selector of the packet that arrives.
    arrive_selector: Sig<Local, SELECTOR_BITS>,

    address_bits: Number<{ selector_address_bits(shape) }>,
    multicast: Number<bool, { shape.multicast.is_some() }>,
    group_bits: Number<{ shape.multicast.map_or(1, |built| built.group_bits as usize) }>,
    mixed: Number<{ shape.multicast.map_or(0, |built| built.vc) }>,
    next_vc: Number<bool, { shape.next_vc }>,

    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    groups: Param<{ link_counts(shape).0 }>,
    links: Param<{ link_counts(shape).1 }>,
    candidates: Param<{ shape.candidates }>,
    buffer_flits: Param<{ shape.buffer_flits as usize }>,
}

/// Bits of an address that selectors depend on: all of them through the hash of link aggregation, otherwise the lowest.
fn selector_address_bits(shape: &Shape) -> usize {
    let whole = shape.address_bits().expect("output selection is for packets with a destination address") as usize;
    match shape.link_aggregation {
        Some(_) => whole,
        None => whole.min(SELECTOR_BITS),
    }
}

#[kernel]
impl OutputSelection {
    fn update(&mut self) {
        self.select();
        self.hold();
        self.leave();
        self.hand_groups_on();
    }

    /// The selector of the packet that arrives.
    fn select(&mut self) {
        self.arrive_selector.next = unsigned_cast(self.arrive_address.val());
        if let (Some(hash), Some(settings)) = (&mut self.hash, &self.settings) {
            hash.address.next = self.arrive_address.val();
            if settings.method.val() != RESIDUE {
                self.arrive_selector.next = unsigned_cast(hash.index.val());
            }
        }
        for v in 0..self.vcs {
            self.selectors[v].push.next = self.arrive.val() & (self.arrive_vc.val() == v);
            self.selectors[v].push_data.next = self.arrive_selector.val();
            self.selectors[v].pop.next = self.register[v].take_head.val();
        }
    }

    /// Selection registers.
    fn hold(&mut self) {
        self.take_head.next = 0.into();
        self.drop_now.next = 0.into();
        for v in 0..self.vcs {
            let register = &mut self.register[v];
            register.head_drop.next = self.head.drop.val().get_bit(v);
            if let Some(routed) = &self.head.routed {
                register.head_routed.next = routed.val().get_bit(v);
            }
            register.head_route.next = self.head.route[v].val();
            register.head_selector.next = self.selectors[v].front.val();
            register.take.next = self.take.val().get_bit(v);
            self.take_head.set(v, register.take_head.val());
            self.drop_now.set(v, register.drop_now.val());
            self.request[v].next = register.request.val();
            if let (Some(settings), Some(in_turn)) = (&mut self.settings, &mut register.in_turn) {
                in_turn.next = settings.method.val() == IN_TURN;
                settings.groups.link(&mut register.link_groups);
            }
        }
    }

    /// The VC on which a packet leaves, whose places in use count.
    fn leave(&mut self) {
        for v in 0..self.vcs {
            let register = &mut self.register[v];
            if let (Some(own_vc), Some(leave)) = (&mut register.own_vc, &register.leave) {
                own_vc.next = v.into();
                self.leave[v].next = leave.val();
            }
            for o in 0..register.in_use.len() {
                if self.next_vc {
                    register.in_use[o].next = self.in_use[o].val();
                } else {
                    register.in_use[o].next = self.in_use[o * self.vcs + v].val();
                }
            }
        }
    }

    /// Multicast packets pass by their group.
    fn hand_groups_on(&mut self) {
        self.head_multicast.link(&mut self.register[self.mixed].head_multicast);
        self.head_group.link(&mut self.register[self.mixed].head_group);
        self.multicast_now.link(&mut self.register[self.mixed].multicast_now);
        self.multicast_group.link(&mut self.register[self.mixed].multicast_group);
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

    /// Section 5.1 for groups, cycle by cycle: selectors stay with their packets, turns, links that are taken out of a
    /// group.
    #[test]
    fn packets_leave_by_links_of_their_groups() {
        let mut config = Config::named("test");
        (config.ports, config.virtual_channels.unicast, config.buffer_flits) = (8, 2, Some(8));
        config.packet.max_flits = 2;
        let link_aggregation = Some(LinkAggregation { groups: 2, links: LINKS as u32, ..Default::default() });
        config.routing = Routing::Table(TableRouting { link_aggregation, ..Default::default() });
        let shape = config.check().unwrap().shape();
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
            bench.settings.as_mut().unwrap().method.next = method.into();
            (0..2).for_each(|g| bench.settings.as_mut().unwrap().groups.links[g].next = links[g].into());
            (0..6).for_each(|l| bench.settings.as_mut().unwrap().groups.group_link[l].next = ports[l].into());
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
            bench.head.routed.as_mut().unwrap().next = routed.into();
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
