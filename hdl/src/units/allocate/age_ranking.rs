//! Age ranking: which of each two packets that wait in a switch stands before the other.
//!
//! State: a bit for each pair of packets, kept from the cycle in which the later one of the two was new.
//!
//! Each cycle: what is new stands behind all others. The ages of a new packet and of each other one are compared, for
//! the cycles that follow. Two packets that wait age alike, so the answer stays right.
//!
//! Source: reference of Dragonfly routing, ranking.

use crate::units::prelude::*;
use num_bigint::BigUint;

/// Which packets stand before each other one. The order of packets i < j is bit (j * j - j) / 2 + i of the ranking: i
/// stands before j.
#[block(waiting: usize, nodes: usize, age_bits: usize, transit: bool)]
#[requires(nodes < waiting, "packets of other switches have the last numbers")]
pub struct AgeRanking {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Age of packet i.
    pub age: Vec<Sig<In, age_bits>, waiting>,
    /// Packet i is new.
    pub fresh: Sig<In, waiting>,
    /// Packets from other switches stand before those from nodes.
    pub transit_first: Option<Flag<In>, transit>,
    /// Packets that stand before packet i.
    pub ahead: Vec<Sig<Out, waiting>, waiting>,

    /// Order of each pair, unless one of it is new.
    ranked: Reg<pairs, { (BigUint::from(1u8) << pairs) - 1u8 }>,

    /// Order of each pair, unless one of it is new.
    order: Vec<Flag<Local>, pairs>,
    /// Order of each pair.
    order_now: Vec<Flag<Local>, pairs>,
    /// Order of each pair in the next cycle, unless one of it is new then.
    order_after: Vec<Flag<Local>, pairs>,
    /// Order of all pairs in the next cycle.
    after: Sig<Local, pairs>,

    others: Number<{ waiting - 1 }>,
    pairs: Number<{ waiting * (waiting - 1) / 2 }>,

    waiting: Param,
    nodes: Param,
    age_bits: Param,
}

#[kernel]
impl AgeRanking {
    fn update(&mut self) {
        for k in 0..self.pairs {
            self.order[k].next = self.ranked.q.val().get_bit(k);
            self.order_now[k].next = false;
        }
        self.rank();
        self.put_new_last();
        self.put_transit_first();
        self.show();
    }

    /// The older one, or else the one that is not new, or else the lower number.
    fn rank(&mut self) {
        for j in 0..self.waiting {
            for i in 0..self.others {
                if i < j {
                    self.order_after[(j * j - j) / 2 + i].next = self.order[(j * j - j) / 2 + i].val();
                    if self.fresh.val().get_bit(j) {
                        self.order_after[(j * j - j) / 2 + i].next = self.age[i].val() >= self.age[j].val();
                    } else if self.fresh.val().get_bit(i) {
                        self.order_after[(j * j - j) / 2 + i].next = self.age[i].val() > self.age[j].val();
                    }
                }
            }
        }
        self.after.next = 0.into();
        for k in 0..self.pairs {
            self.after.set(k, self.order_after[k].val());
        }
        self.ranked.d.next = self.after.val();
    }

    /// What is new stands behind; of two new ones the lower number is before.
    fn put_new_last(&mut self) {
        for j in 0..self.waiting {
            for i in 0..self.others {
                if i < j {
                    self.order_now[(j * j - j) / 2 + i].next = self.fresh.val().get_bit(j)
                        | (self.order[(j * j - j) / 2 + i].val() & !self.fresh.val().get_bit(i));
                }
            }
        }
    }

    fn put_transit_first(&mut self) {
        if let Some(transit_first) = &self.transit_first {
            if transit_first.val() {
                for j in self.nodes..self.waiting {
                    for i in 0..self.nodes {
                        self.order_now[(j * j - j) / 2 + i].next = false;
                    }
                }
            }
        }
    }

    fn show(&mut self) {
        for i in 0..self.waiting {
            self.ahead[i].next = 0.into();
        }
        for j in 0..self.waiting {
            for i in 0..self.others {
                if i < j {
                    self.ahead[j].set(i, self.order_now[(j * j - j) / 2 + i].val());
                    self.ahead[i].set(j, !self.order_now[(j * j - j) / 2 + i].val());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet that waits: its age, and whether it is new.
    #[derive(Clone, Copy)]
    struct Waiting {
        age: u32,
        fresh: bool,
    }

    /// Against a list into which packets are put in their second cycle, behind all that are as old.
    #[test]
    fn packets_are_put_behind_those_as_old() {
        const GREATEST: u32 = 15;
        let (waiting, nodes) = (7usize, 3usize);
        let mut bench = Bench::new(age_ranking(waiting, nodes, 4, true), |b| &mut b.clock);
        bench.reset.next = true;
        (0..waiting).for_each(|i| bench.age[i].next = 0.into());
        bench.fresh.next = 0.into();
        bench.transit_first.as_mut().unwrap().next = false;
        bench.cycle();
        bench.reset.next = false;
        let mut packets: Vec<Option<Waiting>> = vec![None; waiting];
        let (mut ranking, mut random) = (Vec::<usize>::new(), 0x9e37_79b9_7f4a_7c15u64);
        for cycle in 0..3000 {
            let transit_first = cycle / 50 % 2 == 1;
            for (i, packet) in packets.iter().enumerate() {
                bench.age[i].next = packet.map_or(cycle & 15, |packet| packet.age).into();
            }
            let fresh = packets.iter().enumerate().map(|(i, p)| u64::from(p.is_some_and(|p| p.fresh)) << i);
            bench.fresh.next = fresh.sum::<u64>().into();
            bench.transit_first.as_mut().unwrap().next = transit_first;
            bench.settle();
            let new = (0..waiting).filter(|i| packets[*i].is_some_and(|packet| packet.fresh));
            let mut all = ranking.iter().copied().chain(new.clone()).collect::<Vec<_>>();
            if transit_first {
                all.sort_by_key(|i| *i < nodes);
            }
            for (place, first) in all.iter().enumerate() {
                for second in &all[place + 1..] {
                    let at = |i: usize, j: usize| bench.ahead[j].val().get_bit(i);
                    let bits = (at(*first, *second), at(*second, *first));
                    assert_eq!(bits, (true, false), "cycle {cycle}: {first} before {second} in {all:?}");
                }
            }
            let age = |i: usize| packets[i].unwrap().age;
            for i in new {
                let place = ranking.iter().position(|other| age(*other) < age(i)).unwrap_or(ranking.len());
                ranking.insert(place, i);
            }
            bench.cycle();
            for i in 0..waiting {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let (leaves, comes, age) = (random >> 40 & 3 == 0, random >> 45 & 1 == 1, (random >> 50) as u32 & 15);
                packets[i] = match packets[i] {
                    Some(packet) if !leaves => Some(Waiting { age: (packet.age + 1).min(GREATEST), fresh: false }),
                    _ => {
                        ranking.retain(|other| *other != i);
                        comes.then_some(Waiting { age, fresh: true })
                    }
                };
            }
        }
    }
}
