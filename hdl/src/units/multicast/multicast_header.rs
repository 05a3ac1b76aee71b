//! Multicast header: tells multicast packets from unicast ones, and whether their group exists.
//!
//! No state; combinational.
//!
//! Source: switch reference, section 4; packet format.

use crate::units::prelude::*;

/// Tells multicast packets from unicast ones, and whether their group exists.
#[block(built: &MulticastShape, number_bits: usize)]
pub struct MulticastHeader {
    /// Address or list of ports of a header.
    pub number: Option<Sig<In, number_bits>, { built.groups.checked_shr(number_bits as u32).unwrap_or(0) == 0 }>,
    /// Multicast bit behind the address or list.
    pub mark: Flag<In>,
    /// The packet is on the mixed VC.
    pub on_mixed: Flag<In>,
    /// The packet is a multicast packet of a group that exists.
    pub multicast: Flag<Out>,
    /// The packet is a multicast packet of a group that does not exist.
    pub unknown: Flag<Out>,

    /// The group of the number exists.
    exists: Flag<Local>,

    number_bits: Param,
    groups: Param<{ built.groups }>,
}

/// Bits of a header with an address of `address_bits`: with the mixed VC, the multicast bit behind it.
pub fn header_bits(shape: &Shape, address_bits: usize) -> usize {
    let whole = shape.dragonfly().map_or(address_bits, |built| built.header().bits as usize);
    whole + usize::from(shape.multicast.is_some())
}

#[kernel]
impl MulticastHeader {
    fn update(&mut self) {
        self.exists.next = true;
        if let Some(number) = &self.number {
            self.exists.next = number.val() < self.groups;
        }
        self.multicast.next = self.mark.val() & self.on_mixed.val() & self.exists.val();
        self.unknown.next = self.mark.val() & self.on_mixed.val() & !self.exists.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_end_where_the_description_says() {
        for (groups, number_bits) in [(2, 1), (5, 3), (8, 3), (200, 16)] {
            let built = MulticastShape { vc: 1, groups, group_bits: clog2(groups) as u32, parity: None };
            let mut bench = Bench::combinational(multicast_header(&built, number_bits));
            for number in [0, 1, groups - 1, groups, groups + 1, 2 * groups, (1 << number_bits) - 1] {
                for (mark, on_mixed) in [(false, true), (true, false), (true, true)] {
                    let number = number & ((1 << number_bits) - 1);
                    bench.number.iter_mut().for_each(|pin| pin.next = number.into());
                    (bench.mark.next, bench.on_mixed.next) = (mark, on_mixed);
                    bench.settle();
                    assert_eq!(bench.multicast.val(), mark && on_mixed && number < groups, "{number} of {groups}");
                    assert_eq!(bench.unknown.val(), mark && on_mixed && number >= groups, "{number} of {groups}");
                }
            }
        }
    }
}
