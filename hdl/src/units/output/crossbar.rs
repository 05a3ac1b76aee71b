//! Crossbar: takes the flits of all input VCs to the outputs.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `beat` | k x N x (W + 2) | flit that VC v of input i would pop, element v * N + i |
//! | `owner` | N x k x N | the inputs that output o is connected to on VC v, element o * k + v (one-hot, or none) |
//! | `sent` | N x k | output o gets a flit of VC v, element o * k + v (one-hot, or none; parallel only) |
//! | `out` | N x (W + 2) | what output o gets |
//!
//! Parallel: one N x N plane for each VC; an output takes from the plane whose packet it is sending. Single: one kN x N plane
//! for all. Selects are the owner registers of the allocators, so nothing waits for allocation.
//!
//! Source: switch reference, section 6; seed 004 section 3.3 (parallel crossbars).

use crate::rtl::prelude::*;
use crate::units::output::crossbar_plane::{crossbar_plane, CrossbarPlane};
use railyard_spec::Crossbar as Structure;
use railyard_spec::Shape;

/// All planes; see the head of this file.
#[block]
pub struct Crossbar {
    pub beat: Vec<Sig<In>>,
    pub owner: Vec<Sig<In>>,
    pub sent: Vec<Flag<In>>,
    pub out: Vec<Sig<Out>>,

    plane: Vec<CrossbarPlane>,

    select: Vec<Sig<Local>>,

    vcs: Param,
    ports: Param,
    planes: Param,
    shared: Param,
    gated: Param,
    about: About,
}

/// The crossbar of a switch.
pub fn crossbar(shape: &Shape) -> Crossbar {
    let (n, k, word) = (shape.ports, shape.vcs, shape.flit_bits as usize + 2);
    let single = shape.crossbar == Structure::Single;
    let (planes, shared) = if single { (1, k) } else { (k, 1) };
    Crossbar {
        beat: many(k * n, || sig(word).doc("flit that VC v of input i would pop: {head, tail, flit}")),
        owner: many(n * k, || sig(n).doc("input that output o is connected to on VC v, one-hot")),
        sent: many(if single { 0 } else { n * k }, || flag().doc("output o gets a flit of VC v")),
        out: many(n, || sig(word).doc("what output o gets: {head, tail, flit}")),
        plane: many(planes, || crossbar_plane(shared * n, n, word)),
        select: many(planes * n, || sig(shared * n).doc("input that output o takes in plane p, one-hot")),
        vcs: param(k),
        ports: param(n),
        planes: param(planes),
        shared: param(shared),
        gated: param(if single { 0 } else { n }),
        about: about("crossbar", "Takes the flits of all input VCs to the outputs.")
            .param("ports", n)
            .param("vcs", k)
            .param("planes", planes)
            .param("width", word),
    }
}

#[kernel]
impl Crossbar {
    fn update(&mut self) {
        for p in 0..self.planes.val() {
            for s in 0..self.shared.val() {
                for i in 0..self.ports.val() {
                    self.plane[p].beat[s * self.ports.val() + i].next =
                        self.beat[(p * self.shared.val() + s) * self.ports.val() + i].val();
                }
            }
            for o in 0..self.ports.val() {
                self.select[p * self.ports.val() + o].next = 0.into();
                for s in 0..self.shared.val() {
                    self.select[p * self.ports.val() + o].next =
                        self.select[p * self.ports.val() + o].val().replace_bit(
                            s * self.ports.val(),
                            self.owner[o * self.vcs.val() + p * self.shared.val() + s].val(),
                        );
                }
                self.plane[p].select[o].next = self.select[p * self.ports.val() + o].val();
            }
        }
        for o in 0..self.ports.val() {
            self.out[o].next = self.plane[0].out[o].val();
        }
        for o in 0..self.gated.val() {
            self.out[o].next = 0.into();
            for p in 0..self.planes.val() {
                if self.sent[o * self.vcs.val() + p].val() {
                    self.out[o].next = self.out[o].val() | self.plane[p].out[o].val();
                }
            }
        }
    }
}
