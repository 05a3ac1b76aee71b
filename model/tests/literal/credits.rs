//! Section 7: credits.

use super::state::*;
use super::*;

impl Literal {
    pub fn count_credits(&mut self, old: &Literal, pins: &Inputs, wires: &mut Wires) {
        let shape = &old.shape;
        let (n, k, d) = (shape.ports, shape.vcs, shape.buffer_flits);
        let Wires { freed, sent, .. } = wires;
        let mask = (1u32 << shape.credit_bits) - 1;
        self.out.rx_credit_valid.clear();
        for e in 0..n * k {
            self.vcs[e].total = (self.vcs[e].total + freed[e]) & mask;
            let absolute = shape.flow_control == FlowControl::Absolute;
            self.out.rx_credit[e] = if absolute { self.vcs[e].total } else { freed[e] } as u16;
            self.out.rx_credit_valid.put(e, freed[e] > 0);
            let (o, v) = (e / k, e % k);
            let (was, now) = (&old.ports[o], &mut self.ports[o]);
            let report = pins.tx_credit_valid.get(e).then_some(pins.tx_credit[e] as u32);
            now.sent[v] = (was.sent[v] + sent[e]) & mask;
            if absolute {
                let available = d as i32 - (was.sent[v].wrapping_sub(was.accepted[v]) & mask) as i32;
                now.x[v] = available - sent[e] as i32;
                if let Some(total) = report {
                    if was.sent[v].wrapping_sub(total) & mask > d {
                        self.out.error_credit |= 1 << o;
                    } else {
                        now.accepted[v] = total;
                    }
                }
            } else {
                now.x[v] = was.available[v] - sent[e] as i32;
                let mut count = report.unwrap_or(0) as i32;
                if was.available[v] + count > d as i32 {
                    self.out.error_credit |= 1 << o;
                    count = 0;
                }
                now.available[v] = was.available[v] - sent[e] as i32 + count;
            }
        }
    }
}
