//! Header assembly: collects the destination address where it is wider than a flit.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `store` | k | a flit is stored on this VC (one-hot) |
//! | `number`, `last` | log2 M, 1 | its number in its packet; it is the last |
//! | `flit` | W | its bits |
//! | `arrive` | 1 | the header is complete, or the packet ended before it was: the packet arrives at route computation |
//! | `malformed` | 1 | it ended before |
//! | `address` | A | the destination |
//!
//! State: the first H - 1 flits of the packet that is being stored, for each VC.
//!
//! Each cycle: a flit with a number below H - 1 is kept; flit H - 1 completes the address.
//!
//! Source: switch reference, section 3 (header); packet format.

use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// Collects an address of several flits; see the head of this file.
#[block]
pub struct HeaderAssembly {
    pub clock: ClockIn,
    pub store: Sig<In>,
    pub number: Sig<In>,
    pub last: Flag<In>,
    pub flit: Sig<In>,
    pub arrive: Flag<Out>,
    pub malformed: Flag<Out>,
    pub address: Sig<Out>,

    kept: Regs,

    part: Vec<Sig<Local>>,

    vcs: Param,
    earlier: Param,
    flit_bits: Param,
    rest: Field,
    about: About,
}

/// Header assembly of one port: only where the header has more than one flit.
pub fn header_assembly(shape: &Shape, address_bits: usize) -> HeaderAssembly {
    let (k, w) = (shape.vcs, shape.flit_bits as usize);
    let header_flits = address_bits.div_ceil(w);
    assert!(header_flits > 1, "a header of one flit needs no assembly");
    let earlier = header_flits - 1;
    HeaderAssembly {
        clock: clock(),
        store: sig(k).doc("a flit is stored on VC v"),
        number: sig(clog2(shape.max_flits as usize).max(1)).doc("its number in its packet, from 0"),
        last: flag().doc("it is the last of its packet"),
        flit: sig(w).doc("its bits"),
        arrive: flag().doc("the packet arrives at route computation"),
        malformed: flag().doc("it ended before its header did"),
        address: sig(address_bits).doc("its destination"),
        kept: regs_no_reset(k * earlier, w).doc("header flits that came before, by VC and number"),
        part: many(earlier, || sig(w).doc("header flits that came before, of the flit's VC")),
        vcs: param(k),
        earlier: param(earlier),
        flit_bits: param(w),
        rest: field(earlier * w, address_bits - earlier * w),
        about: about("header_assembly", "Collects a destination address that is wider than a flit.")
            .param("vcs", k)
            .param("flit_bits", w)
            .param("address_bits", address_bits)
            .param("max_flits", shape.max_flits as usize),
    }
}

#[kernel]
impl HeaderAssembly {
    fn update(&mut self) {
        for j in 0..self.kept.d.len() {
            self.kept.d[j].next = self.kept.q[j].val();
        }
        self.malformed.next = self.last.val() & (self.number.val() < self.earlier.val());
        self.arrive.next = self.store.val().any() & ((self.number.val() == self.earlier.val()) | self.malformed.val());
        self.address.next = 0.into();
        for n in 0..self.earlier.val() {
            self.part[n].next = 0.into();
            for v in 0..self.vcs.val() {
                if self.store.val().get_bit(v) {
                    self.part[n].next = self.kept.q[v * self.earlier.val() + n].val();
                }
                if self.store.val().get_bit(v) & (self.number.val() == n) {
                    self.kept.d[v * self.earlier.val() + n].next = self.flit.val();
                }
            }
            self.address.next = self.address.val().replace_bit(n * self.flit_bits.val(), self.part[n].val());
        }
        self.address.next = self.address.val().replace_bit(self.rest.val(), unsigned_cast(self.flit.val()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    #[test]
    fn puts_flits_together() {
        let mut config = Config::named("test");
        config.flit_bits = 16;
        let shape = config.shape();
        let mut bench = Bench::new(header_assembly(&shape, 40), |b| &mut b.clock);
        for (n, (flit, arrive)) in [(0x1111u32, false), (0x2222, false), (0xff33, true)].into_iter().enumerate() {
            bench.store.next = 2.into();
            bench.number.next = n.into();
            bench.flit.next = flit.into();
            bench.settle();
            assert_eq!(bench.arrive.val(), arrive);
            if arrive {
                assert_eq!(bench.address.val().to_u128(), 0x33_2222_1111);
            }
            bench.cycle();
        }
    }
}
