//! Section 3: input unit.

use super::state::*;
use super::*;

impl Literal {
    pub fn store(&mut self, old: &Literal, pins: &Inputs, wires: &mut Wires) {
        let (shape, t) = (&old.shape, old.t);
        let (n, k, d, m) = (shape.ports, shape.vcs, shape.buffer_flits, shape.max_flits);
        let Wires { freed, stored, arrivals, .. } = wires;
        for p in 0..n {
            if pins.rx_valid >> p & 1 == 0 {
                continue;
            }
            let (v, bit) = (pins.rx_vc[p] as usize, 1u64 << p);
            let (head, tail) = (pins.rx_head & bit != 0, pins.rx_tail & bit != 0);
            let flit = &pins.rx_flit[p * pins.words..(p + 1) * pins.words];
            if self.is_barrier_vc(v) {
                continue;
            }
            if v >= k {
                self.out.error_vc |= bit;
                continue;
            }
            let e = p * k + v;
            let (was, now) = (&old.vcs[e], &mut self.vcs[e]);
            let occupancy = was.buffer.len() as u32;
            // (number, head, tail) of the flit as it is stored.
            let store = if !head && was.discarding {
                now.discarding = !tail;
                None
            } else if !head && !was.open {
                self.out.error_framing |= bit;
                None
            } else if head && was.open {
                self.out.error_framing |= bit;
                (now.open, now.discarding) = (false, !tail);
                Some((was.length, false, true))
            } else {
                if head && was.discarding {
                    self.out.error_framing |= bit;
                    now.discarding = false;
                }
                if head && (occupancy >= d || occupancy >= d - 1 && !tail) {
                    self.out.error_overflow |= bit;
                    now.discarding = !tail;
                    None
                } else {
                    let number = if head { 0 } else { was.length };
                    let over = !tail && !head && occupancy >= d - 1;
                    let long = !tail && number == m - 1;
                    if over {
                        self.out.error_overflow |= bit;
                    }
                    if long {
                        self.out.error_length |= bit;
                    }
                    if over || long {
                        (now.open, now.discarding) = (false, true);
                        Some((number, head, true))
                    } else {
                        (now.open, now.length) = (!tail, number + 1);
                        Some((number, head, tail))
                    }
                }
            };
            let Some((number, head, tail)) = store else {
                freed[e] += 1;
                continue;
            };
            let mut kept = flit.to_vec();
            let (bits, header_flits) = match &shape.routing {
                RoutingShape::Table(table) => (table.address_bits, table.header_flits),
                RoutingShape::Algorithmic(a) => (a.address_bits, a.header_flits),
                RoutingShape::Dragonfly(d) => (d.header().bits, 1),
                RoutingShape::Source(_) => (shape.port_bits, 1),
            };
            if number < header_flits {
                let low = number * shape.flit_bits;
                let width = bits.saturating_sub(low).min(shape.flit_bits);
                let part = if width == 0 { 0 } else { packet::field(flit, 0, width) << low };
                now.address = part | if number == 0 { 0 } else { was.address };
            }
            // The multicast bit is the one behind the address, or behind the list of ports.
            if number == header_flits - 1 {
                let behind = match &shape.routing {
                    RoutingShape::Source(s) => s.route_bits,
                    _ => bits,
                };
                let is_mixed = shape.multicast.is_some_and(|built| built.vc == v);
                now.multicast = is_mixed && packet::field(flit, behind - number * shape.flit_bits, 1) == 1;
            }
            let multicast = now.multicast && number == header_flits - 1;
            if let (RoutingShape::Source(s), true) = (&shape.routing, multicast) {
                let beyond = (64..s.route_bits).any(|at| packet::field(flit, at, 1) == 1);
                now.address = if beyond { u64::MAX } else { packet::field(flit, 0, s.route_bits.min(64)) };
            }
            if let (RoutingShape::Source(s), true, false) = (&shape.routing, head, multicast) {
                for at in 0..s.route_bits {
                    let from = at + shape.port_bits;
                    let value = if from < s.route_bits { packet::field(flit, from, 1) } else { 0 };
                    packet::set_field(&mut kept, at, 1, value);
                }
            }
            now.buffer.push_back((t, head, tail, kept));
            stored[e] = true;
            if number == header_flits - 1 {
                let (address, selector) = (now.address, old.selector(now.address));
                arrivals[p] = Some(Arrived { v, bad: false, multicast, address, selector });
            } else if tail && number < header_flits - 1 {
                self.out.error_length |= bit;
                arrivals[p] = Some(Arrived { v, bad: true, multicast: false, address: now.address, selector: 0 });
            }
        }
    }
}
