//! Explicit contention notification (ECtN): how many packets of a group's routers are for each group.
//!
//! State: a scan over the groups, and the way through three stages behind it; the counts that other routers have sent;
//! for each group whether it is hot. For messages: the gathered counts, the message to be sent, a timer.
//!
//! Each cycle: the packets in front that are for the scanned group are counted, and two cycles later added to the
//! counts of the other routers. So all groups share one sum, and each is looked at once a round. The counts of this
//! switch are gathered on the way, and each message is sent when its last place has been counted.
//!
//! Source: reference of Dragonfly routing, router messages (counts of packets for groups); Fuentes2017, 4.2.1.4.

use crate::units::prelude::*;
use railyard_spec::router_message::RouterMessages;

/// How many packets of a group's routers are for each group.
#[block(built: &RouterMessages, inputs: usize, routers: usize, groups: usize, group_bits: usize)]
pub struct Ectn {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Input VC i has a packet in front.
    pub front: Sig<In, inputs>,
    /// Group of the destination of the packet in front of input VC i.
    pub front_group: Vec<Sig<In, group_bits>, inputs>,
    /// The message that is taken at local port p has counts.
    pub heard: Sig<In, routers>,
    /// Index of the message that is taken at local port p.
    pub heard_index: Vec<Sig<In, BYTE>, routers>,
    /// Payload of the message that is taken at local port p.
    pub heard_payload: Vec<Sig<In, payload_bits>, routers>,
    /// Packets for a group from which on it is hot.
    pub threshold: Sig<In, GROUP_COUNT_BITS>,
    /// Cycles from one round of messages to the next.
    pub period: Sig<In, PERIOD_BITS>,
    /// Group g is hot.
    pub hot: Sig<Out, groups>,
    /// A message becomes due.
    pub due: Flag<Out>,
    /// Counters of the message.
    pub word: Sig<Out, word_bits>,
    /// Index of the message.
    pub index: Sig<Out, BYTE>,

    /// Scan: index of the message.
    scan_index: Reg<index_bits>,
    /// Scan: place in the message.
    scan_place: Reg<place_bits>,
    /// Scan: group.
    scan_group: Reg<number_bits>,
    /// The round is sent.
    sending: FlagReg,
    /// A round is to be sent.
    asked: FlagReg,
    /// Cycles of the period so far.
    timer: Reg<PERIOD_BITS>,
    /// Index of the message, in the stages behind the scan.
    index_stage: Regs<3, index_bits>,
    /// Place in the message, in the stages behind the scan.
    place_stage: Regs<2, place_bits>,
    /// Group, in the stages behind the scan.
    group_stage: Regs<2, number_bits>,
    /// The scan is at the last place of a message that is sent, in the stages behind the scan.
    last_stage: Reg<3>,
    /// Of three input VCs, how many count.
    share: Regs<shares, 2>,
    /// Packets of this switch for the group.
    own: Reg<own_bits>,
    /// Packets of other routers for the group.
    others: Reg<GROUP_COUNT_BITS>,
    /// Counts that router p has sent, element p * M + index.
    received: Regs<{ routers * messages }, word_bits>,
    /// Register of `hot`.
    is_hot: Reg<groups>,
    /// Counts of this switch, as far as they are counted.
    gathered: Reg<word_bits>,
    /// Register of `word`.
    sent_word: Reg<word_bits>,
    /// Register of `index`.
    sent_index: Reg<index_bits>,

    /// Input VC i counts, as a number.
    one: Vec<Sig<Local, 2>, { 3 * shares }>,
    /// Sum of this switch so far.
    own_sum: Sig<Local, own_bits>,
    /// Word of router p that has the group.
    row: Vec<Sig<Local, word_bits>, routers>,
    /// Count of router p for the group.
    place_count: Vec<Sig<Local, COUNTER_BITS>, routers>,
    /// Sum of the other routers so far.
    other_sum: Sig<Local, GROUP_COUNT_BITS>,
    /// Count of this switch, as it is sent.
    count: Sig<Local, COUNTER_BITS>,
    /// Packets for the group.
    all: Sig<Local, GROUP_COUNT_BITS>,
    /// Value of `hot` after the current cycle.
    hot_after: Sig<Local, groups>,
    /// Value of `gathered` after the current cycle.
    gathered_after: Sig<Local, word_bits>,
    /// The scan is at the last place of a message.
    at_end: Flag<Local>,
    /// The scan ends a round.
    ends: Flag<Local>,
    /// The timer fires.
    fires: Flag<Local>,
    /// Cycles of the period with the current one.
    timer_after: Sig<Local, { PERIOD_BITS + 1 }>,
    /// Value of `last_stage` after the current cycle.
    last_after: Sig<Local, 3>,

    counter_bits: Number<COUNTER_BITS>,
    most: Number<{ (1 << COUNTER_BITS) - 1 }>,
    last_message: Number<{ messages - 1 }>,
    last_place: Number<{ counters - 1 }>,
    word_bits: Number<{ counters * COUNTER_BITS }>,
    index_bits: Number<{ clog2(messages).max(1) }>,
    place_bits: Number<{ clog2(counters).max(1) }>,
    number_bits: Number<{ clog2(counters * messages).max(group_bits) }>,
    own_bits: Number<{ clog2(inputs + 1).max(COUNTER_BITS) }>,
    shares: Number<{ inputs.div_ceil(3) }>,
    payload_bits: Number<{ built.payload_bits as usize }>,
    routers: Param,
    groups: Param,
    group_bits: Param,
    inputs: Param,
    counters: Param<{ built.counters }>,
    messages: Param<{ built.messages }>,
}

#[kernel]
impl Ectn {
    fn update(&mut self) {
        self.scan();
        self.follow();
        self.count_own();
        self.hear();
        self.count_others();
        self.find_hot();
        self.gather();
        self.time();
    }

    /// One group after the other.
    fn scan(&mut self) {
        self.at_end.next = self.scan_place.q.val() == self.last_place;
        self.ends.next = self.at_end.val() & (self.scan_index.q.val() == self.last_message);
        self.scan_place.d.next = self.scan_place.q.val() + 1;
        self.scan_group.d.next = self.scan_group.q.val() + 1;
        if self.at_end.val() {
            self.scan_place.d.next = 0.into();
            self.scan_index.d.next = self.scan_index.q.val() + 1;
        }
        if self.ends.val() {
            self.scan_index.d.next = 0.into();
            self.scan_group.d.next = 0.into();
        }
    }

    /// The stages behind the scan.
    fn follow(&mut self) {
        self.index_stage.d[0].next = self.scan_index.q.val();
        self.index_stage.d[1].next = self.index_stage.q[0].val();
        self.index_stage.d[2].next = self.index_stage.q[1].val();
        self.place_stage.d[0].next = self.scan_place.q.val();
        self.place_stage.d[1].next = self.place_stage.q[0].val();
        self.group_stage.d[0].next = self.scan_group.q.val();
        self.group_stage.d[1].next = self.group_stage.q[0].val();
        self.last_after.next = self.last_stage.q.val() << 1;
        self.last_after.set(0, self.at_end.val() & self.sending.q.val());
        self.last_stage.d.next = self.last_after.val();
    }

    /// Packets in front of this switch, in two stages.
    fn count_own(&mut self) {
        for i in 0..self.one.len() {
            self.one[i].next = 0.into();
        }
        for i in 0..self.inputs {
            self.one[i].set(
                0,
                self.front.val().get_bit(i) & (unsigned_cast(self.front_group[i].val()) == self.scan_group.q.val()),
            );
        }
        self.own_sum.next = 0.into();
        for s in 0..self.shares {
            self.share.d[s].next = self.one[3 * s].val() + self.one[3 * s + 1].val() + self.one[3 * s + 2].val();
            self.own_sum.next = self.own_sum.val() + unsigned_cast(self.share.q[s].val());
        }
        self.own.d.next = self.own_sum.val();
        self.count.next = unsigned_cast(self.own.q.val());
        if self.own.q.val() > self.most {
            self.count.next = self.most.into();
        }
    }

    /// What other routers have sent stays until they send anew.
    fn hear(&mut self) {
        for p in 0..self.routers {
            for m in 0..self.messages {
                if self.heard.val().get_bit(p) & (self.heard_index[p].val() == m) {
                    self.received.d[p * self.messages + m].next = unsigned_cast(self.heard_payload[p].val());
                }
            }
        }
    }

    /// Packets in front of the other routers, in the stage behind the scan.
    fn count_others(&mut self) {
        self.other_sum.next = 0.into();
        for p in 0..self.routers {
            self.row[p].next = 0.into();
            for m in 0..self.messages {
                if self.index_stage.q[0].val() == m {
                    self.row[p].next = self.row[p].val() | self.received.q[p * self.messages + m].val();
                }
            }
            self.place_count[p].next = 0.into();
            for c in 0..self.counters {
                if self.place_stage.q[0].val() == c {
                    self.place_count[p].next =
                        self.place_count[p].val() | unsigned_cast(self.row[p].val() >> (c * self.counter_bits));
                }
            }
            self.other_sum.next = self.other_sum.val() + unsigned_cast(self.place_count[p].val());
        }
        self.others.d.next = self.other_sum.val();
    }

    fn find_hot(&mut self) {
        self.all.next = self.others.q.val() + unsigned_cast(self.count.val());
        self.hot_after.next = self.is_hot.q.val();
        for g in 0..self.groups {
            if self.group_stage.q[1].val() == g {
                self.hot_after.set(g, self.all.val() >= self.threshold.val());
            }
        }
        self.is_hot.d.next = self.hot_after.val();
        self.hot.next = self.is_hot.q.val();
    }

    /// The counts of this switch, and the message when its last one is there.
    fn gather(&mut self) {
        self.gathered_after.next = self.gathered.q.val();
        for c in 0..self.counters {
            if self.place_stage.q[1].val() == c {
                for b in 0..self.counter_bits {
                    self.gathered_after.set(c * self.counter_bits + b, self.count.val().get_bit(b));
                }
            }
        }
        self.gathered.d.next = self.gathered_after.val();
        self.due.next = self.last_stage.q.val().get_bit(2);
        if self.last_stage.q.val().get_bit(2) {
            self.sent_word.d.next = self.gathered.q.val();
            self.sent_index.d.next = self.index_stage.q[2].val();
        }
        self.word.next = self.sent_word.q.val();
        self.index.next = unsigned_cast(self.sent_index.q.val());
    }

    /// Which rounds are sent.
    fn time(&mut self) {
        self.timer_after.next = unsigned_cast(self.timer.q.val());
        self.timer_after.next = self.timer_after.val() + 1;
        self.fires.next = self.timer_after.val() >= unsigned_cast(self.period.val());
        self.timer.d.next = unsigned_cast(self.timer_after.val());
        if self.fires.val() {
            self.timer.d.next = 0.into();
        }
        self.asked.d.next = self.fires.val() | self.asked.q.val();
        if self.ends.val() {
            self.asked.d.next = false;
            self.sending.d.next = self.fires.val() | self.asked.q.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All of it with plain numbers: rounds of messages, counts that are heard and hot groups.
    #[test]
    fn counts_are_those_of_the_reference() {
        let mut random = 5u64;
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        for (groups, counters) in [(9usize, 4usize), (5, 5), (7, 2)] {
            let (inputs, routers, messages) = (20usize, 3usize, groups.div_ceil(counters));
            let payload_bits = 4 * counters as u32;
            let built = RouterMessages { counts: true, saturation: false, counters, messages, payload_bits };
            let mut bench = Bench::new(ectn(&built, inputs, routers, groups, 4), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            let all = counters * messages;
            let mut received = vec![vec![0u64; all]; routers];
            // By cycle: what is in front, what was heard, the scan.
            let (mut own, mut heard) = (vec![], vec![]);
            let (mut scan, mut timer, mut asked, mut sending) = (0usize, 0u64, false, false);
            let (mut hot, mut counts) = (0u64, vec![0u64; counters]);
            let (mut word, mut index) = (0u64, 0usize);
            let mut stages: Vec<(usize, bool)> = vec![];
            let (mut hots, mut sent) = (0, 0);
            for cycle in 0..8000usize {
                let favourite = (cycle / 200) as u64 % groups as u64;
                let front = draw(1 << 20);
                let to: Vec<u64> = (0..inputs).map(|_| if draw(3) == 0 { draw(16) } else { favourite }).collect();
                let (threshold, period) = (draw(30), [0, 1, 7, 40][cycle / 100 % 4]);
                bench.front.next = front.into();
                (0..inputs).for_each(|i| bench.front_group[i].next = to[i].into());
                bench.threshold.next = threshold.into();
                bench.period.next = period.into();
                let mut flags = 0u64;
                let mut taken = vec![];
                for p in 0..routers {
                    let (m, payload) = (draw(messages as u64) as usize, draw(1 << payload_bits));
                    bench.heard_index[p].next = m.into();
                    bench.heard_payload[p].next = payload.into();
                    if draw(6) == 0 {
                        flags |= 1 << p;
                        taken.push((p, m, payload));
                    }
                }
                bench.heard.next = flags.into();
                bench.settle();
                assert_eq!(bench.hot.val().to_u128(), u128::from(hot), "cycle {cycle}");
                assert_eq!(bench.word.val().to_u128(), u128::from(word), "cycle {cycle}");
                assert_eq!(bench.index.val(), index);
                let due = cycle >= 3 && stages[cycle - 3].1;
                assert_eq!(bench.due.val(), due, "cycle {cycle}");

                // What the scan sees in this cycle.
                stages.push((scan, scan % counters == counters - 1 && sending));
                own.push((0..inputs).filter(|&i| front >> i & 1 == 1 && to[i] == scan as u64).count() as u64);
                // One cycle behind: what others have told.
                let behind = if cycle >= 1 { stages[cycle - 1].0 } else { 0 };
                heard.push(received.iter().map(|row| row[behind]).sum::<u64>());
                // Three cycles behind: the message.
                if due {
                    word = counts.iter().rev().fold(0, |word, count| word << 4 | count);
                    index = stages[cycle - 3].0 / counters;
                    sent += 1;
                }
                // Two cycles behind.
                if cycle >= 2 {
                    let (group, count) = (stages[cycle - 2].0, own[cycle - 2].min(15));
                    if group < groups {
                        let is_hot = count + heard[cycle - 1] >= threshold;
                        let others: u64 = !(1u64 << group);
                        hot = hot & others | u64::from(is_hot) << group;
                    }
                    counts[group % counters] = count;
                } else {
                    let others: u64 = !1u64;
                    hot = hot & others | u64::from(threshold == 0);
                }
                for (p, m, payload) in taken {
                    (0..counters).for_each(|c| received[p][m * counters + c] = payload >> (4 * c) & 15);
                }
                let fires = timer + 1 >= period;
                timer = if fires { 0 } else { timer + 1 };
                let ends = scan == all - 1;
                if ends {
                    sending = fires || asked;
                }
                asked = !ends && (fires || asked);
                scan = (scan + 1) % all;
                hots += hot.count_ones();
                bench.cycle();
            }
            assert!(hots > 4000 && sent > 400, "{hots} {sent}");
        }
    }
}
