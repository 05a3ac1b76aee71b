//! Section 5.1: output selection.

use super::state::*;

impl Literal {
    /// 5.1: of a packet that arrives.
    pub fn selector(&self, address: u64) -> u8 {
        let bits = self.shape.address_bits().unwrap_or(64);
        match &self.shape.link_aggregation {
            Some(l) if self.field("link_selection", "method") != 1 => l.crc.of(address, bits) as u8,
            _ => address as u8,
        }
    }

    /// 5.1: the output of what a selection register holds.
    fn output(&self, result: i64, selector: u8) -> i64 {
        if result == DROP || result & MULTICAST != 0 {
            return result;
        }
        let field = |low: u32, bits: u32| result >> low & ((1 << bits) - 1);
        let vc_out = field(8, 4);
        let port = |at: i64| if at == 0 { field(0, 8) } else { field(16 + 8 * at as u32, 8) };
        let chosen = if field(12, 1) == 1 {
            let group = field(13, 7) as usize;
            let links = self.field_of("group", group, "links");
            if links == 0 {
                return DROP;
            }
            let most = self.shape.link_aggregation.as_ref().expect("a group").links;
            self.field_of("group_link", group * most + (selector as u32 % links) as usize, "port") as i64
        } else {
            let candidates = field(20, 2);
            let mut at = selector as i64 % (1 + candidates);
            if field(22, 2) == 0 {
                let x = |at: i64| self.ports[port(at) as usize].x[vc_out as usize];
                let largest = (0..=candidates).map(x).max();
                at = (0..=candidates).find(|&at| Some(x(at)) == largest).expect("the largest");
            }
            port(at)
        };
        chosen + 256 * vc_out
    }

    pub fn select_outputs(&mut self, old: &Literal, wires: &mut Wires) {
        let shape = &old.shape;
        let (n, k) = (shape.ports, shape.vcs);
        let Wires { taken, head_taken, .. } = wires;
        head_taken.clone_from(taken);
        if shape.output_selection() {
            for e in 0..n * k {
                let (was, now) = (&old.vcs[e], &mut self.vcs[e]);
                if taken[e] {
                    now.selected = None;
                }
                let there = was.head.filter(|&head| head != PENDING);
                head_taken[e] = there.is_some() && (was.selected.is_none() || taken[e]);
                if let (Some(head), true) = (there, head_taken[e]) {
                    let is_group = head != DROP && head & MULTICAST == 0 && head >> 12 & 1 == 1;
                    if is_group && old.field("link_selection", "method") == 2 {
                        now.selected = Some((head, was.turn));
                        now.turn = was.turn.wrapping_add(1);
                    } else {
                        now.selected = Some((head, (head >> 48) as u8));
                    }
                }
                now.chosen = now.selected.map(|(result, selector)| old.output(result, selector));
            }
        }
    }
}
