//! Section 6.1: multicast by the global resource bulletin.

use super::state::*;

impl Literal {
    /// What the fan-out register of a port wants.
    pub fn wants(&self, p: usize) -> u64 {
        self.ports[p].fan_out.filter(|f| f.is_waiting(self.t) && !f.granted).map_or(0, |f| f.mask)
    }

    /// What it holds: of what it wants, each output for which no other one lacks room for it.
    fn holds(&self, p: usize) -> u64 {
        let Some(built) = self.shape.multicast else { return 0 };
        let wanted = self.wants(p);
        let packets = |o: usize| if p != self.favoured && self.saved >> o & 1 == 1 { 2 } else { 1 };
        let needs = |o: usize| packets(o) * self.shape.max_flits as i32;
        let lacks_room = |o: usize| wanted >> o & 1 == 1 && self.ports[o].x[built.vc] < needs(o);
        let may_hold = |o: usize| wanted >> o & 1 == 1 && !(0..self.shape.ports).any(|q| q != o && lacks_room(q));
        (0..self.shape.ports).filter(|&o| may_hold(o)).fold(0, |mask, o| mask | 1 << o)
    }

    /// Grants and starts. `self` has the connections of unicast packets of this cycle.
    pub fn multicast(&mut self, old: &Literal, wires: &mut Wires) {
        let Some(built) = old.shape.multicast else { return };
        let (n, k, t, mixed) = (old.shape.ports, old.shape.vcs, old.t, built.vc);
        let m = old.shape.max_flits as i32;
        let outputs = |mask: u64| (0..n).filter(move |o| mask >> o & 1 == 1);

        let requests = |i: usize| {
            let wanted = old.wants(i);
            wanted != 0
                && outputs(wanted).all(|o| old.ports[o].bulletin && old.ports[o].multicast_turn)
                && (i == old.favoured
                    || outputs(wanted)
                        .all(|o| old.claim >> o & 1 == 0 && (old.saved >> o & 1 == 0 || old.ports[o].spare)))
        };
        let granted = round_robin(n, old.multicast_pointer, requests);
        let taken = granted.map_or(0, |i| old.wants(i));
        if let Some(i) = granted {
            self.multicast_pointer = (i + 1) % n;
            self.ports[i].fan_out.as_mut().expect("it requests").granted = true;
            outputs(taken).for_each(|o| self.ports[o].reserved = true);
        }

        // Granted to a unicast packet that leaves on the mixed VC, in this cycle.
        let unicast: Vec<bool> = (0..n).map(|o| wires.granted[o].is_some_and(|(_, _, u)| u == mixed)).collect();
        for i in 0..n {
            let e = i * k + mixed;
            let Some(f) = old.ports[i].fan_out else { continue };
            let free = old.vcs[e].connected.is_none() || wires.finishing[e];
            let is_free = |o: usize| old.ports[o].busy[0].is_none_or(|(i, v, _)| wires.finishing[i * k + v]);
            if f.granted && free && outputs(f.mask).all(is_free) {
                self.vcs[e].connected = Some(MULTICAST);
                for o in outputs(f.mask) {
                    self.ports[o].busy[0] = Some((i, mixed, mixed));
                    self.ports[o].reserved = false;
                }
                (wires.let_go[i], wires.started[i]) = (true, true);
            }
            if f.is_to_be_dropped(t) && free {
                self.vcs[e].connected = Some(DROP);
                wires.let_go[i] = true;
            }
            let wants = old.wants(i) != 0 && granted != Some(i);
            wires.multicast_stalls[i] = wants || f.granted && !wires.started[i];
        }

        for o in 0..n {
            let was = &old.ports[o];
            let needed = match was.busy[0] {
                Some((i, v, u)) if u == mixed => {
                    if wires.finishing[i * k + v] {
                        m + 1
                    } else {
                        2 * m
                    }
                }
                _ => m,
            };
            let is_granted = taken >> o & 1 == 1;
            let starts = (0..n).any(|i| wires.started[i] && old.ports[i].fan_out.is_some_and(|f| f.mask >> o & 1 == 1));
            self.ports[o].yields = starts || was.yields && wires.requested[o] && wires.granted[o].is_none();
            self.ports[o].bulletin =
                !was.reserved && !is_granted && !unicast[o] && was.x[mixed] >= needed && !self.ports[o].yields;
            let is_busy_on_mixed = was.busy[0].is_some_and(|(_, _, u)| u == mixed);
            self.ports[o].spare = self.ports[o].bulletin && !is_busy_on_mixed && was.x[mixed] >= 2 * m;
            let held = (0..n).any(|i| old.holds(i) >> o & 1 == 1);
            let waits = |e: usize| {
                let fan_out_is_empty = old.ports[e / k].fan_out.is_none();
                (e % k != mixed || fan_out_is_empty)
                    && old.head(e).is_some_and(|head| {
                        head >= 0 && head & MULTICAST == 0 && head & 255 == o as i64 && head >> 8 & 15 == mixed as i64
                    })
            };
            let at_once = (old.claim & old.saved) >> o & 1 == 1;
            self.ports[o].multicast_turn = if is_granted || !held {
                false
            } else {
                was.multicast_turn || at_once || !(0..n * k).any(waits) || unicast[o]
            };
        }

        let wanted = old.wants(old.favoured);
        if wanted == 0 || granted == Some(old.favoured) {
            self.favoured = (old.favoured + 1) % n;
            (self.waited, self.claim, self.saved) = (0, 0, 0);
        } else {
            self.claim = old.holds(old.favoured);
            self.waited = (old.waited + 1).min(64 * m);
            self.saved = if old.waited == 64 * m { wanted } else { 0 };
        }
    }
}
