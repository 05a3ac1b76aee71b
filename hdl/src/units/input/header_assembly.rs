//! Header assembly: collects the destination address where it is wider than a flit.
//!
//! State: the first H - 1 flits of the packet that is being stored, for each VC.
//!
//! Each cycle: a flit with a number below H - 1 is kept; flit H - 1 completes the address.
//!
//! Source: switch reference, section 3 (header); packet format.

use crate::units::prelude::*;

/// Collects a destination address that is wider than a flit.
#[block(shape: &Shape, address_bits: usize)]
#[requires(earlier > 0, "a header of one flit needs no assembly")]
pub struct HeaderAssembly {
    pub clock: ClockIn,
    /// A flit is stored on VC v.
    pub store: Sig<In, vcs>,
    /// Number of the flit in its packet, from 0.
    pub number: Sig<In, { clog2(shape.max_flits as usize).max(1) }>,
    /// The flit is the last of its packet.
    pub last: Flag<In>,
    /// Bits of the flit.
    pub flit: Sig<In, flit_bits>,
    /// The packet arrives at route computation.
    pub arrive: Flag<Out>,
    /// The packet ended before its header did.
    pub malformed: Flag<Out>,
    /// Destination of the packet.
    pub address: Sig<Out, address_bits>,

    /// Header flits that came before, by VC and number.
    kept: Regs<{ vcs * earlier }, flit_bits, NoReset>,

    /// Header flits that came before, of the flit's VC.
    part: Vec<Sig<Local, flit_bits>, earlier>,

    earlier: Number<{ address_bits.div_ceil(flit_bits) - 1 }>,
    rest: Field<{ earlier * flit_bits }, { address_bits - earlier * flit_bits }>,

    vcs: Param<{ shape.vcs }>,
    flit_bits: Param<{ shape.flit_bits as usize }>,
    address_bits: Param,
    max_flits: Param<{ shape.max_flits as usize }>,
}

#[kernel]
impl HeaderAssembly {
    fn update(&mut self) {
        for j in 0..self.kept.d.len() {
            self.kept.d[j].next = self.kept.q[j].val();
        }
        self.malformed.next = self.last.val() & (self.number.val() < self.earlier);
        self.arrive.next = self.store.val().any() & ((self.number.val() == self.earlier) | self.malformed.val());
        self.address.next = 0.into();
        for n in 0..self.earlier {
            self.part[n].next = 0.into();
            for v in 0..self.vcs {
                if self.store.val().get_bit(v) {
                    self.part[n].next = self.kept.q[v * self.earlier + n].val();
                }
                if self.store.val().get_bit(v) & (self.number.val() == n) {
                    self.kept.d[v * self.earlier + n].next = self.flit.val();
                }
            }
            self.address.set(n * self.flit_bits, self.part[n].val());
        }
        self.address.set(self.rest.val(), unsigned_cast(self.flit.val()));
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
        let shape = config.check().unwrap().shape();
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
