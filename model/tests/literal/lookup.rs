//! Sections 4.2 to 4.5: lookups, from issue to resolving.

use super::state::*;
use railyard_spec::TableShape;

impl Literal {
    pub fn is_sweeping(&self) -> bool {
        self.shape.table().and_then(|t| t.cache.as_ref()).is_some_and(|c| self.sweep <= c.sets)
    }

    /// 4.2 and 4.3
    pub fn look_up(&mut self, old: &Literal, wires: &mut Wires, table: &TableShape) {
        let (shape, t) = (&old.shape, old.t);
        let (n, k) = (shape.ports, shape.vcs);
        (self.out.lookup_hit, self.out.lookup_miss) = (0, 0);
        let per_vc = table.lookups_per_vc;
        let stages = table.reduction.as_ref().map(|r| r.stages as u64);
        let latency = if table.cache.is_some() { 1 + stages.unwrap_or(1) } else { 1 };
        let sweeping = old.is_sweeping();
        if old.flush {
            self.sweep = 0;
            self.ports.iter_mut().for_each(|p| p.cache.iter_mut().for_each(|set| set.fill(None)));
        } else if sweeping {
            self.sweep += 1;
        }
        let enabled = !shape.cache_control() || old.field("cache", "enable") == 1;
        let lookup = |arrived: Arrived| {
            let (tag, set) = old.tag_and_set(arrived.address);
            Op::Lookup { arrived, fresh: enabled && !old.flush, tag, set }
        };
        for p in 0..n {
            // 4.2
            let vc = |v: usize| &old.vcs[p * k + v];
            let mut issued = None;
            let mut arrived = wires.arrivals[p];
            if old.ports[p].filled_in.is_none_or(|f| f + 1 != t) {
                let slots = &old.ports[p].slots;
                let ready = |v: usize| vc(v).headers.front().is_some_and(|h| h.0 + 2 <= t) && vc(v).used < per_vc;
                if let Some(s) = (0..slots.len()).find(|&s| slots[s].valid && slots[s].answered && !slots[s].filling) {
                    issued = Some(Op::Fill { s, set: old.tag_and_set(slots[s].address).1 });
                    self.ports[p].slots[s].filling = true;
                    self.ports[p].filled_in = Some(t);
                } else if let Some(v) = round_robin(k, old.ports[p].pointer, ready) {
                    self.ports[p].pointer = (v + 1) % k;
                    let (_, packet) = self.vcs[p * k + v].headers.pop_front().expect("ready");
                    issued = Some(lookup(packet));
                } else if let Some(packet) = arrived {
                    if vc(packet.v).headers.is_empty() && vc(packet.v).used < per_vc {
                        issued = Some(lookup(packet));
                        arrived = None;
                    }
                }
            }
            if let Some(packet) = arrived {
                self.vcs[p * k + packet.v].headers.push_back((t, packet));
            }
            if let Some(op) = issued {
                if let Op::Lookup { arrived, .. } = op {
                    self.vcs[p * k + arrived.v].used += 1;
                }
                self.ports[p].pipeline.push_back((t + latency, op));
            }
            // Section 5: freeing.
            for v in 0..k {
                let number = v * per_vc + vc(v).oldest;
                if vc(v).head == Some(PENDING) && old.ports[p].slots[number].done {
                    let Slot { entry, selector, .. } = old.ports[p].slots[number];
                    wires.replaced[p * k + v] = Some(result(entry, v, selector));
                    self.ports[p].slots[number] = Slot::default();
                    self.vcs[p * k + v].oldest = (vc(v).oldest + 1) % per_vc;
                    self.vcs[p * k + v].used -= 1;
                }
            }
            // 4.3
            if self.ports[p].pipeline.front().is_none_or(|o| o.0 != t) {
                continue;
            }
            self.uses += 1;
            let uses = self.uses;
            match self.ports[p].pipeline.pop_front().expect("checked").1 {
                Op::Fill { s, set } => {
                    let Slot { tag, entry, fresh, .. } = old.ports[p].slots[s];
                    if entry >= 0 && fresh && table.cache.is_some() && !sweeping {
                        let ways = &mut self.ports[p].cache[set];
                        let victim = match ways.iter().position(|w| w.is_none()) {
                            Some(invalid) => invalid,
                            None => (0..ways.len()).min_by_key(|&w| ways[w].expect("valid").2).expect("a way"),
                        };
                        (wires.filled[p], wires.evicted[p]) = (true, ways[victim].is_some());
                        ways[victim] = Some((tag, entry, uses));
                    }
                    for (at, slot) in self.ports[p].slots.iter_mut().enumerate() {
                        let was = &old.ports[p].slots[at];
                        if was.valid && !was.done && was.primary == s {
                            (slot.done, slot.entry) = (true, entry);
                        }
                    }
                }
                Op::Lookup { arrived: Arrived { v, bad: true, .. }, .. } => {
                    wires.pushed[p * k + v] = Some(DROP);
                    self.vcs[p * k + v].used -= 1;
                }
                Op::Lookup { arrived: Arrived { v, multicast: true, address, .. }, .. } => {
                    wires.pushed[p * k + v] = Some(old.multicast_result(address));
                    self.vcs[p * k + v].used -= 1;
                }
                Op::Lookup { arrived: Arrived { v, address, selector, .. }, fresh, tag, set } => {
                    let found = table
                        .cache
                        .as_ref()
                        .filter(|_| fresh && !sweeping)
                        .and_then(|_| self.ports[p].cache[set].iter_mut().flatten().find(|w| w.0 == tag));
                    if let Some(way) = found {
                        way.2 = uses;
                        wires.pushed[p * k + v] = Some(result(way.1, v, selector));
                        self.vcs[p * k + v].used -= 1;
                        self.out.lookup_hit |= 1 << p;
                        wires.hit[p] = true;
                        continue;
                    }
                    wires.pushed[p * k + v] = Some(PENDING);
                    self.out.lookup_miss |= 1 << p;
                    wires.miss[p] = true;
                    let number = v * per_vc + vc(v).next;
                    self.vcs[p * k + v].next = (vc(v).next + 1) % per_vc;
                    let slots = &old.ports[p].slots;
                    let other = (0..slots.len()).find(|&s| {
                        let slot = &slots[s];
                        fresh && slot.valid && slot.fresh && slot.primary == s && !slot.done && slot.tag == tag
                    });
                    let slot = &mut self.ports[p].slots[number];
                    let primary = other.unwrap_or(number);
                    wires.merged[p] = other.is_some();
                    *slot = Slot { valid: true, fresh, address, tag, primary, selector, ..Slot::default() };
                    if other.is_none() {
                        self.ports[p].requests.push_back(number);
                    }
                }
            }
        }
    }
}
