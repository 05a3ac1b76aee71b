//! Sections 4.1 and 4.6: source routing, and the port map.

use super::state::*;

impl Literal {
    /// A destination with `coordinate` and `bound` as they are.
    pub fn compared(&self, destination: u64) -> [u64; 3] {
        [destination, self.wide("coordinate_low", "coordinate_high"), self.wide("bound_low", "bound_high")]
    }

    /// 4.6.
    pub fn key(&self, compared: [u64; 3]) -> Option<u64> {
        let reduction = self.shape.reduction()?;
        let bits = self.shape.address_bits()?;
        let w = self.field("reduction", "chunk_bits");
        let chunk =
            |x: u64, j: u32| (0..w).filter(|b| j * w + b < bits).fold(0, |sum, b| sum | (x >> (j * w + b) & 1) << b);
        let [d, c, b] = compared.map(|x| move |j: u32| chunk(x, j));
        let chunks = bits.div_ceil(w);
        let g = reduction.digit_bits;
        match self.field("reduction", "topology") {
            1 => {
                let Some(i) = (0..chunks).find(|&i| d(i) != c(i)) else { return Some(0) };
                let (plus, crosses) = if reduction.full_radix {
                    let positions = 1 << w;
                    let steps = (d(i) + positions - c(i)) % positions;
                    let is_near = steps < positions / 2 || steps == positions / 2 && c(i) % 2 == 0;
                    let torus = self.field("reduction", "torus") == 1;
                    let plus = if torus { is_near } else { d(i) > c(i) };
                    (plus, torus && plus != (d(i) > c(i)))
                } else {
                    let wrap = self.field("wrap", "value") >> i & 1 == 1;
                    ((d(i) > c(i)) ^ (d(i) > b(i)) ^ wrap, (d(i) > b(i)) ^ wrap)
                };
                let base =
                    if crosses && self.field("reduction", "dateline") == 1 { 1 << reduction.cube_key_bits } else { 0 };
                Some(base + if plus { 2 * (i as u64 + 1) } else { 2 * (i as u64 + 1) + 1 })
            }
            2 => {
                let level = self.field("reduction", "level");
                let up = (level + 1..chunks).any(|j| d(j) != c(j));
                Some(if up { (1 << g) + d(level) } else { d(level) })
            }
            3 if d(2) != c(2) => Some(2 * (1 << g) + d(2)),
            3 if d(1) != c(1) => Some((1 << g) + d(1)),
            3 => Some(d(0)),
            _ => None,
        }
    }

    /// 4.5: tag and set of an address.
    pub fn tag_and_set(&self, address: u64) -> (u64, usize) {
        let Some(cache) = self.shape.table().and_then(|t| t.cache.as_ref()) else { return (address, 0) };
        let bits = self.shape.address_bits().expect("a table");
        match self.key(self.compared(address)) {
            Some(key) => (key, key as usize & (cache.sets - 1)),
            None => (address, cache.crc.of(address, bits) as usize & (cache.sets - 1)),
        }
    }

    /// 4.6, from keys to results; `s` stages.
    pub fn map_keys(&mut self, old: &Literal, wires: &mut Wires, s: u64) {
        let (n, k, t) = (old.shape.ports, old.shape.vcs, old.t);
        let Wires { arrivals, pushed, .. } = wires;
        for p in 0..n {
            if let Some(packet) = arrivals[p] {
                let compared = old.compared(packet.address);
                self.ports[p].reducing.push_back(Reducing { arrived: t, packet, compared, key: None });
            }
            for packet in self.ports[p].reducing.iter_mut().filter(|packet| packet.arrived + s - 1 == t) {
                packet.key = old.key(packet.compared);
            }
            if old.ports[p].reducing.front().is_some_and(|packet| packet.arrived + s == t) {
                let Reducing { packet, key, .. } = self.ports[p].reducing.pop_front().expect("checked");
                let map = |field: &str| old.field_of("map", key.expect("a key") as usize, field) as i64;
                let entry = match packet.bad || key.is_none() || map("valid") == 0 {
                    _ if packet.multicast => old.multicast_result(packet.address),
                    true => DROP,
                    false => {
                        let in_pairs = old.shape.algorithmic().is_some_and(|a| a.vc_pairs);
                        let named = if in_pairs { packet.v as i64 / 2 * 2 + map("vc") % 2 } else { map("vc") };
                        let vc = if map("vc_set") == 1 { named + 1 } else { 0 };
                        map("port") | vc << 8 | map("group_set") << 12 | map("group") << 13
                    }
                };
                pushed[p * k + packet.v] = Some(result(entry, packet.v, packet.selector));
            }
        }
    }

    /// 4: of a multicast packet.
    pub fn multicast_result(&self, group: u64) -> i64 {
        let groups = self.shape.multicast.expect("a mixed VC").groups as u64;
        if group < groups {
            MULTICAST | group as i64
        } else {
            DROP
        }
    }

    /// 4.1
    pub fn read_routes(&mut self, old: &Literal, wires: &mut Wires) {
        let (n, k) = (old.shape.ports, old.shape.vcs);
        let Wires { arrivals, pushed, .. } = wires;
        for p in 0..n {
            if let Some(Arrived { v, multicast, address, .. }) = arrivals[p] {
                let entry = match multicast {
                    true => old.multicast_result(address),
                    false if (address as usize) < n => address as i64,
                    false => DROP,
                };
                pushed[p * k + v] = Some(result(entry, v, 0));
            }
        }
    }
}
