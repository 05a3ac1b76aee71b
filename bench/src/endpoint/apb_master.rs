//! A requester at an APB port.

use railyard_model::{Apb, Inputs};

/// One transfer at a time, each in two cycles: setup phase and access phase. `P` says what a transfer is for.
#[derive(Clone, Debug)]
pub struct ApbMaster<P> {
    /// The transfer whose access phase is next.
    transfer: Option<(Apb, P)>,
}

impl<P> Default for ApbMaster<P> {
    fn default() -> ApbMaster<P> {
        ApbMaster { transfer: None }
    }
}

impl<P> ApbMaster<P> {
    /// A write, as [`ApbMaster::begin`] takes it.
    pub fn write(address: u32, value: u32) -> Apb {
        Apb { psel: true, penable: false, pwrite: true, paddr: address as u16, pwdata: value }
    }

    /// A read.
    pub fn read(address: u32) -> Apb {
        Apb { pwrite: false, ..ApbMaster::<P>::write(address, 0) }
    }

    /// The transfer whose access phase is next, if there is one.
    pub fn transfer(&self) -> Option<&(Apb, P)> {
        self.transfer.as_ref()
    }

    /// Drives the access phase of the transfer that is under way, and gives it. Its data and its error are at the
    /// outputs of this cycle.
    #[inline]
    pub fn finish(&mut self, inputs: &mut Inputs) -> Option<(Apb, P)> {
        let (setup, purpose) = self.transfer.take()?;
        inputs.apb = Apb { penable: true, ..setup };
        Some((setup, purpose))
    }

    /// Drives the setup phase of a transfer; none is under way.
    #[inline]
    pub fn begin(&mut self, setup: Apb, purpose: P, inputs: &mut Inputs) {
        inputs.apb = setup;
        self.transfer = Some((setup, purpose));
    }

    /// Forgets the transfer under way: the switch is in reset.
    pub fn reset(&mut self) {
        self.transfer = None;
    }
}
