//! Readings of a switch's pins.

use railyard_model::bits::ones;
use railyard_model::Outputs;

/// Mask over ports at which a flit of a packet leaves: all flits but those on the barrier VC, which is number `vcs`.
#[inline]
pub fn packets_leave(outputs: &Outputs, vcs: usize) -> u64 {
    ones(outputs.tx_valid)
        .filter(|&port| outputs.tx_vc[port] as usize == vcs)
        .fold(outputs.tx_valid, |mask, port| mask & !(1 << port))
}
