//! Section 6: allocation and traversal.

use super::state::*;
use super::*;

impl Literal {
    pub fn traverse(&mut self, old: &Literal, pins: &Inputs, wires: &mut Wires) {
        let (shape, t) = (&old.shape, old.t);
        let (n, k) = (shape.ports, shape.vcs);
        let Wires { freed, finishing, sent, .. } = wires;
        let flitwise = shape.link_arbitration == LinkArbitration::Flit;
        let can_pop = |e: usize| old.vcs[e].buffer.front().is_some_and(|f| f.0 + 2 <= t);
        self.out.tx_valid = 0;
        for o in 0..n {
            let busy = &old.ports[o].busy;
            let with_message =
                |plane: usize| (0..n).any(|o| old.ports[o].busy[plane] == busy[plane] && old.has_message(o));
            let ready = |plane: usize| busy[plane].is_some_and(|(i, v, _)| can_pop(i * k + v)) && !with_message(plane);
            let Some(plane) = round_robin(k, if flitwise { old.ports[o].link_pointer } else { 0 }, ready) else {
                continue;
            };
            if flitwise {
                self.ports[o].link_pointer = (plane + 1) % k;
            }
            let (i, v, u) = busy[plane].expect("ready");
            // A multicast packet's flit goes to all its outputs.
            let first =
                old.vcs[i * k + v].connected != Some(MULTICAST) || (0..o).all(|o| old.ports[o].busy[0] != busy[0]);
            let (_, head, tail, flit) = old.vcs[i * k + v].buffer.front().expect("ready").clone();
            if first {
                self.vcs[i * k + v].buffer.pop_front();
                freed[i * k + v] += 1;
            }
            sent[o * k + u] = 1;
            finishing[i * k + v] = tail;
            if tail {
                self.ports[o].busy[plane] = None;
                self.vcs[i * k + v].connected = None;
            }
            let bit = 1u64 << o;
            self.out.tx_valid |= bit;
            self.out.tx_vc[o] = u as u8;
            self.out.tx_head = self.out.tx_head & !bit | if head { bit } else { 0 };
            self.out.tx_tail = self.out.tx_tail & !bit | if tail { bit } else { 0 };
            self.out.tx_flit[o * pins.words..(o + 1) * pins.words].copy_from_slice(&flit);
        }
        self.send_messages(old, pins.words);
        self.out.drop_valid.clear();
        for e in 0..n * k {
            if old.vcs[e].connected == Some(DROP) && can_pop(e) {
                let (_, _, tail, _) = self.vcs[e].buffer.pop_front().expect("ready");
                freed[e] += 1;
                if tail {
                    finishing[e] = true;
                    self.vcs[e].connected = None;
                    self.out.drop_valid.set(e);
                    self.out.drop_count[e / k] = self.out.drop_count[e / k].wrapping_add(1);
                }
            }
        }
    }

    pub fn allocate(&mut self, old: &Literal, wires: &mut Wires) {
        let shape = &old.shape;
        let (n, k, m) = (shape.ports, shape.vcs, shape.max_flits);
        let flitwise = shape.link_arbitration == LinkArbitration::Flit;
        let finishing = wires.finishing.clone();
        let mixed = shape.multicast.map(|built| built.vc);
        let offer = |e: usize| old.head(e);
        let eligible = |e: usize| {
            (old.vcs[e].connected.is_none() || finishing[e])
                && (mixed != Some(e % k) || old.ports[e / k].fan_out.is_none() && old.group_at_head(e).is_none())
        };
        for e in 0..n * k {
            if offer(e) == Some(DROP) && eligible(e) {
                wires.taken[e] = true;
                self.vcs[e].connected = Some(DROP);
            }
        }
        for o in 0..n {
            let port = &old.ports[o];
            let sending = |u: usize| match flitwise {
                true => port.busy[u].is_some(),
                false => port.busy[0].is_some_and(|b| b.2 == u),
            };
            let waits = |e: usize| offer(e).is_some_and(|to| to >= 0 && to & 255 == o as i64) && eligible(e);
            let leaves_on = |e: usize| (offer(e).expect("a result") >> 8 & 15) as usize;
            let room = |e: usize| port.x[leaves_on(e)] >= m as i32 + sending(leaves_on(e)) as i32;
            let is_saved = old.saved >> o & 1 == 1;
            let leaves_no_room = |u: usize| is_saved && (sending(u) || port.x[u] < 2 * m as i32);
            let held_back =
                |e: usize| mixed == Some(leaves_on(e)) && (port.multicast_turn || leaves_no_room(leaves_on(e)));
            let requests = |i: usize, v: usize| {
                let e = i * k + v;
                waits(e) && room(e) && !held_back(e)
            };
            for e in 0..n * k {
                wires.without_room[e] |= waits(e) && !room(e);
                wires.with_room[e] |= waits(e) && room(e);
            }
            wires.requested[o] = (0..n * k).any(|e| requests(e / k, e % k));
            let free = |plane: usize| !port.reserved && port.busy[plane].is_none_or(|(i, v, _)| finishing[i * k + v]);
            let mut winners = Vec::new();
            if shape.crossbar == Crossbar::Single {
                if free(0) {
                    if let Some(w) = round_robin(n * k, port.vc_pointer, |e| requests(e / k, e % k)) {
                        self.ports[o].vc_pointer = (w + 1) % (n * k);
                        winners.push((w / k, w % k, 0));
                    }
                }
            } else if flitwise {
                for v in (0..k).filter(|&v| free(v)) {
                    if let Some(i) = round_robin(n, port.input_pointers[v], |i| requests(i, v)) {
                        self.ports[o].input_pointers[v] = (i + 1) % n;
                        winners.push((i, v, v));
                    }
                }
            } else if free(0) {
                if let Some(v) = round_robin(k, port.vc_pointer, |v| (0..n).any(|i| requests(i, v))) {
                    let i = round_robin(n, port.input_pointers[v], |i| requests(i, v)).expect("a request");
                    self.ports[o].vc_pointer = (v + 1) % k;
                    self.ports[o].input_pointers[v] = (i + 1) % n;
                    winners.push((i, v, 0));
                }
            }
            for (i, v, plane) in winners {
                wires.taken[i * k + v] = true;
                self.vcs[i * k + v].connected = Some(o as i64);
                self.ports[o].busy[plane] = Some((i, v, leaves_on(i * k + v)));
                wires.granted[o] = self.ports[o].busy[plane];
            }
        }
    }
}
