//! The forwarding table: which address leads to which port.

use super::RouteKinds;
use crate::random::Random;
use railyard_spec::{Route, Shape};

/// A table of all addresses that needs no memory: addresses are numbered by a bijection that the seed picks, and
/// number `i` below a limit leads to port `i` modulo the ports. Up to three quarters of all addresses have a route.
///
/// If there are enough addresses, each source uses some of its own, so that an address tells who sent the packet.
/// (Caches belong to input ports: whether two sources share an address makes no difference to the switch.)
#[derive(Clone, Debug)]
pub struct AddressMap {
    ports: u64,
    bits: u32,
    mask: u64,
    /// Sources with addresses of their own: all, or 1 for none.
    sources: u64,
    /// Numbers below it have a route.
    limit: u64,
    /// Addresses of each (source, port).
    each: u64,
    /// Those of them in regular use.
    used: u64,
    /// Ports by which all routes are turned on since the start.
    turn: u64,
    /// A port that no route leads by any more, and the one in its place.
    detour: Option<(u8, u8)>,
    kinds: RouteKinds,
    mix: u64,
    odd: [u64; 2],
    inverse: [u64; 2],
}

impl AddressMap {
    /// The table of a switch; `per_port` addresses of each port are in regular use, as far as there are so many.
    pub fn new(shape: &Shape, bits: u32, per_port: u64, seed: u64) -> AddressMap {
        AddressMap::with_routes(shape, bits, per_port, u64::MAX, seed)
    }

    /// The same with at most so many routes (but one of each port).
    pub fn with_routes(shape: &Shape, bits: u32, per_port: u64, most: u64, seed: u64) -> AddressMap {
        let mut random = Random::new(seed, 0xadd2);
        let ports = shape.ports as u64;
        let mask = u64::MAX >> (64 - bits);
        let routed = (mask / 4 * 3).min(most).max(ports);
        let sources = if routed >= 4 * ports * ports { ports } else { 1 };
        let each = routed / (ports * sources);
        let odd = [random.bits() | 1, random.bits() | 1];
        AddressMap {
            ports,
            bits,
            mask,
            sources,
            limit: each * ports * sources,
            each,
            used: per_port.clamp(1, each),
            turn: 0,
            detour: None,
            kinds: RouteKinds::new(shape),
            mix: random.bits() & mask,
            odd,
            inverse: odd.map(inverse),
        }
    }

    /// The address of a number.
    #[inline]
    fn address(&self, number: u64) -> u64 {
        let x = (number ^ self.mix).wrapping_mul(self.odd[0]) & self.mask;
        let x = x ^ x >> self.bits.div_ceil(2);
        x.wrapping_mul(self.odd[1]) & self.mask
    }

    /// The number of an address.
    #[inline]
    fn number(&self, address: u64) -> u64 {
        let x = address.wrapping_mul(self.inverse[1]) & self.mask;
        let x = x ^ x >> self.bits.div_ceil(2);
        (x.wrapping_mul(self.inverse[0]) & self.mask) ^ self.mix
    }

    /// What the CAM knows of an address.
    #[inline]
    pub fn route(&self, address: u64) -> Option<Route> {
        let number = self.number(address);
        // Scattered, so that sources and ports have routes of all kinds.
        let bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16;
        let port = ((number + self.turn) % self.ports) as u8;
        let route = (number < self.limit).then(|| self.kinds.route(port, bits))?;
        Some(self.detour.map_or(route, |(port, detour)| route.around(port, detour)))
    }

    /// The addresses in regular use, those of all sources and ports by turns.
    pub fn used(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.used * self.ports * self.sources).map(|number| self.address(number))
    }

    /// All addresses that have a route.
    pub fn routed(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.limit).map(|number| self.address(number))
    }

    /// The output port of an address.
    #[inline]
    pub fn port(&self, address: u64) -> Option<u8> {
        self.route(address).map(|route| route.port)
    }

    /// Changes the table: every address that has a route now leads `ports` ports further on.
    pub fn turn(&mut self, ports: u64) {
        self.turn = (self.turn + ports) % self.ports;
    }

    /// Changes the table: what led by `port` now leads by `detour`.
    pub fn lead_around(&mut self, port: u8, detour: u8) {
        self.detour = Some((port, detour));
    }

    /// Whether an address tells its source.
    pub fn has_source(&self) -> bool {
        self.sources > 1
    }

    /// The source that uses an address, if it has a route and sources have addresses of their own.
    #[inline]
    pub fn source(&self, address: u64) -> Option<u8> {
        let number = self.number(address);
        (self.has_source() && number < self.limit).then(|| (number / self.ports % self.sources) as u8)
    }

    #[inline]
    fn nth(&self, n: u64, source: u8, port: u8) -> u64 {
        let turned = (u64::from(port) + self.ports - self.turn) % self.ports;
        self.address((n * self.sources + u64::from(source) % self.sources) * self.ports + turned)
    }

    /// One of the addresses of `port` that `source` uses regularly.
    #[inline]
    pub fn draw_used(&self, source: u8, port: u8, random: &mut Random) -> u64 {
        self.nth(random.below(self.used), source, port)
    }

    /// One of all addresses of `port` that `source` can use.
    pub fn draw_any(&self, source: u8, port: u8, random: &mut Random) -> u64 {
        self.nth(random.below(self.each), source, port)
    }

    /// An address that differs from `address` in one bit: one that `source` can use if there is one, else
    /// one without a route. Hardware that doesn't compare all bits takes one for the other.
    pub fn twin(&self, address: u64, source: u8, random: &mut Random) -> Option<u64> {
        let first = random.below(u64::from(self.bits));
        let flipped = |i: u64| address ^ 1 << ((first + i) % u64::from(self.bits));
        let candidates = (0..u64::from(self.bits)).map(flipped);
        let has_route = |address: &u64| self.route(*address).is_some();
        let usable = |address: &u64| self.source(*address).is_none_or(|owner| owner == source);
        let routed = candidates.clone().find(|address| has_route(address) && usable(address));
        routed.or_else(|| candidates.clone().find(|address| !has_route(address)))
    }

    /// An address without a route.
    pub fn draw_unroutable(&self, random: &mut Random) -> u64 {
        self.address(random.within(self.limit, self.mask))
    }
}

/// The inverse of an odd number modulo 2^64 by Newton's method: each step doubles the good bits, starting with 3.
fn inverse(odd: u64) -> u64 {
    (0..5).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    fn map(ports: u32, bits: u32, seed: u64) -> AddressMap {
        AddressMap::new(&Config { ports, ..Config::named("map") }.check().unwrap().shape(), bits, 4, seed)
    }

    #[test]
    fn the_cam_answers_what_was_drawn() {
        for (ports, bits) in [(2, 8), (64, 8), (16, 24), (5, 13), (64, 64), (3, 33)] {
            let map = self::map(ports, bits, 9);
            let mut random = Random::new(1, 0);
            for i in 0..3_000 {
                let port = (i % ports) as u8;
                let source = (i / 7 % ports) as u8;
                for address in [map.draw_used(source, port, &mut random), map.draw_any(source, port, &mut random)] {
                    assert_eq!(map.port(address), Some(port), "{ports} ports, {bits} bits");
                    assert_eq!(map.source(address), map.has_source().then_some(source));
                    assert!(address <= map.mask);
                }
                assert_eq!(map.port(map.draw_unroutable(&mut random)), None);
            }
        }
    }

    #[test]
    fn a_turned_table_leads_elsewhere_and_is_still_drawn_right() {
        let mut map = self::map(6, 16, 1);
        (map.kinds.named_vcs, map.used) = (2, 40);
        let mut random = Random::new(1, 0);
        let address = map.draw_used(2, 5, &mut random);
        map.turn(3);
        assert_eq!((map.port(address), map.source(address)), (Some(2), Some(2)));
        let drawn = (0..200).map(|_| map.draw_used(2, 5, &mut random));
        let routes: std::collections::BTreeSet<_> =
            drawn.map(|a| map.route(a).unwrap()).map(|r| (r.port, r.next_vc)).collect();
        assert_eq!(routes.into_iter().collect::<Vec<_>>(), [(5, None), (5, Some(0)), (5, Some(1))]);
    }

    #[test]
    fn numbers_and_addresses_are_one_to_one() {
        for bits in [8, 9, 16] {
            let map = self::map(7, bits, 1);
            let mut seen = vec![false; 1 << bits];
            for number in 0..1 << bits {
                let address = map.address(number);
                assert!(!std::mem::replace(&mut seen[address as usize], true));
                assert_eq!(map.number(address), number);
            }
        }
    }

    #[test]
    fn twins_differ_in_one_bit() {
        let (map, mut random) = (self::map(16, 24, 1), Random::new(1, 0));
        for i in 0..=255u8 {
            let (source, port) = (i % 16, i / 16);
            let address = map.draw_used(source, port, &mut random);
            if let Some(twin) = map.twin(address, source, &mut random) {
                assert_eq!((address ^ twin).count_ones(), 1);
                assert!(map.port(twin).is_none() || map.source(twin) == Some(source));
            }
        }
    }

    #[test]
    fn as_many_addresses_as_asked_for() {
        let (map, mut random) = (self::map(16, 24, 1), Random::new(1, 0));
        let drawn: std::collections::BTreeSet<u64> = (0..1_000).map(|_| map.draw_used(5, 3, &mut random)).collect();
        assert_eq!(drawn.len(), 4);
    }
}
