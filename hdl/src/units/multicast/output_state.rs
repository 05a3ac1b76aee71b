//! What multicast packets and outputs have to do with each other, as bundles.
//!
//! Source: switch reference, section 6.1.

use crate::rtl::prelude::*;

/// State of the outputs, and of the unicast packets that want them.
#[bundle]
pub struct OutputState<D: Side> {
    /// Output o has room for a packet on the mixed VC behind what is being sent.
    pub room: Sig<D>,
    /// The next buffer of output o has room for a packet on the mixed VC.
    pub credit: Sig<D>,
    /// The next buffer of output o has room for two packets on the mixed VC.
    pub credit_two: Sig<D>,
    /// Output o is not sending on the mixed VC, and two packets have room there.
    pub mixed_spare: Sig<D>,
    /// Outputs that unicast packets of input i wait for, to leave on the mixed VC.
    pub mixed_waiting: Vec<Sig<D>>,
    /// A unicast packet that leaves on the mixed VC gets output o.
    pub mixed_grant: Sig<D>,
    /// A unicast packet requests output o, and no packet gets the output.
    pub passed_over: Sig<D>,
}

/// [`OutputState`] of a switch of `ports` ports.
pub fn output_state<D: Side>(ports: usize) -> OutputState<D> {
    OutputState {
        room: sig(ports),
        credit: sig(ports),
        credit_two: sig(ports),
        mixed_spare: sig(ports),
        mixed_waiting: many(ports, || sig(ports)),
        mixed_grant: sig(ports),
        passed_over: sig(ports),
    }
}

/// What multicast packets claim of the outputs.
#[bundle]
pub struct Claims<D: Side> {
    /// Multicast packets have their turn at output o.
    pub turn: Sig<D>,
    /// Output o is reserved for a multicast packet.
    pub reserved: Sig<D>,
    /// Other packets start on the mixed VC at output o only if room for a packet remains.
    pub saved: Sig<D>,
}

/// [`Claims`] in a switch of `ports` ports.
pub fn claims<D: Side>(ports: usize) -> Claims<D> {
    Claims { turn: sig(ports), reserved: sig(ports), saved: sig(ports) }
}
