//! Crossbar: takes the flits of all input VCs to the outputs.
//!
//! Parallel: one N x N plane for each VC; an output takes from the plane whose packet it is sending. Single: one kN x N
//! plane for all. Selects are the owner registers of the allocators, so nothing waits for allocation.
//!
//! With output queues each plane has its own way to each output.
//!
//! Source: switch reference, sections 6 and 6.2; Cao2016, 3.3 (parallel crossbars).

use crate::units::prelude::*;
use railyard_spec::Crossbar as Structure;

/// Takes the flits of all input VCs to the outputs.
#[block(shape: &Shape)]
pub struct Crossbar {
    /// Flit that VC v of input i would pop: {head, tail, flit}.
    pub beat: Vec<Sig<In, width>, { vcs * ports }>,
    /// Input that output o is connected to on VC v, one-hot.
    pub owner: Vec<Sig<In, ports>, { ports * vcs }>,
    /// Output o gets a flit of VC v.
    pub sent: Vec<Flag<In>, { ports * vcs }, gated>,
    /// Flit for output o: {head, tail, flit}.
    pub out: Vec<Sig<Out, width>, ports, { !queued }>,
    /// Flit for output o in plane p, element o * k + p: {head, tail, flit}.
    pub by_plane: Vec<Sig<Out, width>, { ports * vcs }, queued>,

    plane: Vec<CrossbarPlane<{ shared * ports }, ports, width>, planes>,

    /// Input that output o takes in plane p, one-hot.
    select: Vec<Sig<Local, { shared * ports }>, { planes * ports }>,

    gated: Number<bool, { shape.crossbar == Structure::Parallel && !queued }>,
    queued: Number<bool, { has_queues(shape) }>,
    shared: Number<{ vcs / planes }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    planes: Param<{ planes_of(shape) }>,
    width: Param<{ shape.stored_bits() as usize + 2 }>,
}

/// Planes of the crossbar: one for each VC, or one for all.
fn planes_of(shape: &Shape) -> usize {
    match shape.crossbar {
        Structure::Parallel => shape.vcs,
        Structure::Single => 1,
    }
}

#[kernel]
impl Crossbar {
    fn update(&mut self) {
        for p in 0..self.planes {
            for s in 0..self.shared {
                for i in 0..self.ports {
                    self.plane[p].beat[s * self.ports + i].next =
                        self.beat[(p * self.shared + s) * self.ports + i].val();
                }
            }
            for o in 0..self.ports {
                self.select[p * self.ports + o].next = 0.into();
                for s in 0..self.shared {
                    self.select[p * self.ports + o]
                        .set(s * self.ports, self.owner[o * self.vcs + p * self.shared + s].val());
                }
                self.plane[p].select[o].next = self.select[p * self.ports + o].val();
            }
        }
        if self.queued {
            for o in 0..self.ports {
                for p in 0..self.planes {
                    self.by_plane[o * self.vcs + p].next = self.plane[p].out[o].val();
                }
            }
        } else {
            for o in 0..self.ports {
                self.out[o].next = self.plane[0].out[o].val();
            }
        }
        if self.gated {
            for o in 0..self.ports {
                self.out[o].next = 0.into();
                for p in 0..self.planes {
                    if self.sent[o * self.vcs + p].val() {
                        self.out[o].next = self.out[o].val() | self.plane[p].out[o].val();
                    }
                }
            }
        }
    }
}
