//! What multicast packets and outputs have to do with each other, as bundles.
//!
//! Source: switch reference, section 6.1.

use crate::units::prelude::*;

/// State of the outputs, and of the unicast packets that want them.
#[bundle(ports: usize)]
pub struct OutputState<D: Side> {
    /// Output o has room for a packet on the mixed VC behind what is being sent.
    pub room: Sig<D, ports>,
    /// The next buffer of output o has room for a packet on the mixed VC.
    pub credit: Sig<D, ports>,
    /// The next buffer of output o has room for two packets on the mixed VC.
    pub credit_two: Sig<D, ports>,
    /// Output o is not sending on the mixed VC, and two packets have room there.
    pub mixed_spare: Sig<D, ports>,
    /// Outputs that unicast packets of input i wait for, to leave on the mixed VC.
    pub mixed_waiting: Vec<Sig<D, ports>, ports>,
    /// A unicast packet that leaves on the mixed VC gets output o.
    pub mixed_grant: Sig<D, ports>,
    /// A unicast packet requests output o, and no packet gets the output.
    pub passed_over: Sig<D, ports>,
}

/// What multicast packets claim of the outputs.
#[bundle(ports: usize)]
pub struct Claims<D: Side> {
    /// Multicast packets have their turn at output o.
    pub turn: Sig<D, ports>,
    /// Output o is reserved for a multicast packet.
    pub reserved: Sig<D, ports>,
    /// Other packets start on the mixed VC at output o only if room for a packet remains.
    pub saved: Sig<D, ports>,
}
