//! The hardware: a matrix arbiter, which serves the requester that was served longest ago.

use railyard_hdl::parts::arbiter::{ArbiterBlock, ArbiterPorts};
use railyard_hdl::rtl::prelude::*;

/// Matrix arbiter: the winner is the requester that was served longest ago. Of those never served it is the lowest.
#[block]
pub struct MatrixArbiter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Requester i requests the grant.
    pub request: Sig<In>,
    /// The grant of the current cycle is used.
    pub take: Flag<In>,
    /// Winner, one-hot; zero without a request.
    pub grant: Sig<Out>,

    /// Row i, bit j: requester j was served after requester i.
    served_after: Regs,
    /// Requester i requests, and no other one goes first.
    wins: Vec<Flag<Local>>,

    requesters: Param,
}

/// A matrix arbiter among `requesters`.
pub fn matrix_arbiter(requesters: usize) -> MatrixArbiter {
    MatrixArbiter {
        request: sig(requesters),
        grant: sig(requesters),
        served_after: regs(requesters, requesters, 0u8),
        wins: many(requesters, flag),
        requesters,
        ..MatrixArbiter::plain()
    }
}

#[kernel]
impl MatrixArbiter {
    fn update(&mut self) {
        self.choose();
        self.grant.next = 0.into();
        for i in 0..self.requesters {
            self.grant.next = self.grant.val().replace_bit(i, self.wins[i].val());
        }
        if self.take.val() {
            for i in 0..self.requesters {
                self.served_after.d[i].next = self.served_after.q[i].val() | self.grant.val();
                if self.wins[i].val() {
                    self.served_after.d[i].next = 0.into();
                }
            }
        }
        assert!(self.grant.val().any() | !self.request.val().any(), "a request is granted in its cycle");
    }

    /// Requester j goes before requester i if it was served earlier, or if neither was served and j is lower.
    fn choose(&mut self) {
        for i in 0..self.requesters {
            self.wins[i].next = self.request.val().get_bit(i);
            for j in 0..self.requesters {
                if j < i {
                    if self.request.val().get_bit(j) & !self.served_after.q[i].val().get_bit(j) {
                        self.wins[i].next = false;
                    }
                }
                if i < j {
                    if self.request.val().get_bit(j) & self.served_after.q[j].val().get_bit(i) {
                        self.wins[i].next = false;
                    }
                }
            }
        }
    }
}

impl ArbiterBlock for MatrixArbiter {
    fn ports(&mut self) -> ArbiterPorts<'_> {
        ArbiterPorts { request: &mut self.request, take: &mut self.take, grant: &mut self.grant }
    }
}
