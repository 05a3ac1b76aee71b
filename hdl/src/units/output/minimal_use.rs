//! Minimal use: how many flits of minimal packets are in the next buffers of an output.
//!
//! State: for each VC the flits sent, and those that were not reported free; whether the packet that is being sent is
//! minimal. It looks at the pins, a cycle behind the [credit counters](mod@crate::units::output::credit_counter).
//!
//! Each cycle: a report says how many of the flits sent are still there. An impossible one is ignored.
//!
//! Source: reference of Dragonfly routing, minimal packets; Fuentes2017, 5.2.4 (FlexVC-minCred).

use crate::units::prelude::*;

/// How many flits of minimal packets are in the next buffers of an output.
#[block(shape: &Shape)]
pub struct MinimalUse {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A flit leaves.
    pub tx_valid: Flag<In>,
    /// Virtual channel of the flit.
    pub tx_vc: Sig<In, { shape.vc_bits as usize }>,
    /// The flit is the first of a packet.
    pub tx_head: Flag<In>,
    /// The header of that packet has the mark of minimal ones.
    pub minimal: Flag<In>,
    /// A credit report for VC v arrives.
    pub tx_credit_valid: Vec<Flag<In>, vcs>,
    /// Flits of minimal packets that were freed, for VC v.
    pub tx_min_credit: Vec<Sig<In, bits>, vcs>,
    /// Flits of minimal packets in the next buffer of VC v.
    pub in_use: Vec<Sig<Out, bits>, vcs>,

    sent: Vec<Counter<bits>, vcs>,
    /// Flits of minimal packets sent and not reported free.
    outstanding: Regs<vcs, bits>,
    /// The packet whose head was sent last is minimal.
    is_minimal: FlagReg,

    /// The flit counts, if there is one.
    counts: Flag<Local>,
    /// Flits that are left according to the report for VC v.
    reported: Vec<Sig<Local, bits>, vcs>,
    /// Flits that are left of VC v.
    left: Vec<Sig<Local, bits>, vcs>,

    bits: Number<{ in_use_bits(shape) }>,
    vcs: Param<{ shape.vcs }>,
    depth: Param<{ shape.buffer_flits as usize }>,
}

#[kernel]
impl MinimalUse {
    fn update(&mut self) {
        self.counts.next = self.is_minimal.q.val();
        if self.tx_head.val() {
            self.counts.next = self.minimal.val();
        }
        for v in 0..self.vcs {
            self.sent[v].step.next = false;
            self.reported[v].next = self.sent[v].count.val() - self.tx_min_credit[v].val();
            self.left[v].next = self.outstanding.q[v].val();
            if self.tx_credit_valid[v].val() & (self.reported[v].val() <= self.depth) {
                self.left[v].next = self.reported[v].val();
            }
            self.outstanding.d[v].next = self.left[v].val();
            if self.tx_valid.val() & (self.tx_vc.val() == v) {
                self.is_minimal.d.next = self.counts.val();
                self.sent[v].step.next = self.counts.val();
                if self.counts.val() {
                    self.outstanding.d[v].next = self.left[v].val() + 1;
                }
            }
            self.in_use[v].next = self.outstanding.q[v].val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    fn shape() -> Shape {
        let json = r#"{"name": "d", "ports": 15, "virtual_channels": {"unicast": 3}, "packet": {"max_flits": 4},
            "buffer_flits": 8, "routing": {"kind": "dragonfly", "vcs": {"requests": "lglgl"},
            "adaptive": {"in_transit": true, "ectn": true, "contention": true, "min_credits": true}}}"#;
        Config::from_json(json).unwrap().shape()
    }

    /// The rules of the reference with totals that never wrap: messages between flits, reports that are lost, and
    /// impossible ones.
    #[test]
    fn flits_of_minimal_packets_are_in_use_until_they_are_reported() {
        let shape = shape();
        let mut bench = Bench::new(minimal_use(&shape), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        let mut random = 0x1234_5678_9abc_def1u64;
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        // Flits sent, freed and known to be freed of each VC, and the packet that is being sent.
        let (mut sent, mut freed, mut known) = ([0u64; 3], [0u64; 3], [0u64; 3]);
        let (mut vc, mut left, mut minimal) = (0, 0, false);
        let (mut most, mut messages, mut ignored) = (0, 0, 0);
        for cycle in 0..6000 {
            let message = draw(8) == 0;
            let room = left > 0 || (0..3).all(|v| sent[v] - freed[v] <= 4);
            let valid = message || room && draw(4) > 0;
            let head = message || left == 0;
            let mark = draw(2) == 0;
            if valid && head && !message {
                (vc, left, minimal) = (draw(3) as usize, 1 + draw(4), mark);
            }
            bench.tx_valid.next = valid;
            bench.tx_vc.next = if message { 3usize } else { vc }.into();
            bench.tx_head.next = head;
            bench.minimal.next = mark;
            let mut reports = [None; 3];
            for v in 0..3 {
                freed[v] += u64::from(freed[v] < sent[v] && draw(2) == 0);
                let lie = draw(40) == 0;
                reports[v] = (draw(3) == 0).then(|| if lie { freed[v] + 16 } else { freed[v] });
                bench.tx_credit_valid[v].next = reports[v].is_some();
                bench.tx_min_credit[v].next = (reports[v].unwrap_or(draw(32)) % 32).into();
            }
            bench.settle();
            for v in 0..3 {
                let in_use = sent[v] - known[v];
                assert_eq!(bench.in_use[v].val().to_u128(), u128::from(in_use), "cycle {cycle}, VC {v}");
                most = most.max(in_use);
                match reports[v] {
                    Some(total) if total <= sent[v] => known[v] = total,
                    Some(_) => ignored += 1,
                    None => {}
                }
            }
            bench.cycle();
            messages += u32::from(message && left > 0);
            if valid && !message {
                left -= 1;
                sent[vc] += u64::from(minimal);
            }
        }
        assert!(most == 8 && messages > 100 && ignored > 50, "{most} {messages} {ignored}");
    }
}
