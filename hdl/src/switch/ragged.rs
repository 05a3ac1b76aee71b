//! The switch, VCs by the kind of port: what is joined of the VCs that are built at a port, and what takes the place of
//! those that are not.

use super::Switch;
use crate::units::prelude::*;

#[kernel(steps)]
impl Switch {
    /// Pins of input i, and what it has for the crossbar.
    pub(super) fn receive_built(&mut self, i: usize) {
        for v in 0..self.input_unit[i].rx_credit.len() {
            self.rx_credit_valid[i * self.vcs + v].next = self.input_unit[i].rx_credit_valid[v].val();
            self.rx_credit[i * self.vcs + v].next = self.input_unit[i].rx_credit[v].val();
            self.drop_valid[i * self.vcs + v].next = self.input_unit[i].drop_valid.val().get_bit(v);
            self.ready[v].set(i, self.input_unit[i].ready.val().get_bit(v));
            self.ending[v].set(i, self.input_unit[i].ending.val().get_bit(v));
            self.crossbar.beat[v * self.ports + i].next = self.input_unit[i].beat[v].val();
        }
        for v in self.input_unit[i].rx_credit.len()..self.vcs {
            self.rx_credit_valid[i * self.vcs + v].next = false;
            self.rx_credit[i * self.vcs + v].next = 0.into();
            self.drop_valid[i * self.vcs + v].next = false;
            self.crossbar.beat[v * self.ports + i].next = 0.into();
        }
    }

    /// Credit reports for output o; others are not looked at.
    pub(super) fn send_built(&mut self, o: usize) {
        for v in 0..self.output_unit[o].tx_credit.len() {
            self.output_unit[o].tx_credit_valid[v].next = self.tx_credit_valid[o * self.vcs + v].val();
            self.output_unit[o].tx_credit[v].next = self.tx_credit[o * self.vcs + v].val();
        }
    }

    /// Requests for output o, of the VCs that each input has.
    pub(super) fn ask_from_built(&mut self, o: usize) {
        for v in 0..self.vcs {
            self.request[o * self.vcs + v].next = 0.into();
        }
        for i in 0..self.ports {
            for v in 0..self.input_unit[i].request.len() {
                self.request[o * self.vcs + v].set(i, self.input_unit[i].request[v].val().get_bit(o));
            }
        }
    }

    /// VCs on which packets leave, by input.
    pub(super) fn gather_leave_of_built(&mut self) {
        for i in 0..self.hop_selection.len() {
            for v in 0..self.hop_selection[i].leave.len() {
                for u in 0..self.vcs {
                    self.leave[v * self.vcs + u].set(i, self.hop_selection[i].leave[v].val().get_bit(u));
                }
            }
        }
    }

    /// An input unit asks for what is chosen.
    pub(super) fn ask_for_built(input: &mut InputUnit, hops: &HopSelection) {
        for v in 0..hops.request.len() {
            input.head.request[v].next = hops.request[v].val();
        }
    }

    /// Places in use behind an output; none of a VC that is not built.
    pub(super) fn show_use_of_built(in_use: &mut [Sig<In>], output: &OutputUnit) {
        for v in 0..output.in_use.len() {
            in_use[v].next = output.in_use[v].val();
        }
        for v in output.in_use.len()..in_use.len() {
            in_use[v].next = 0.into();
        }
    }

    /// Packets in front whose minimal port is o.
    pub(super) fn count_fronts_of_built(&mut self, o: usize) {
        for i in 0..self.ports {
            for v in 0..self.hop_selection[i].counted.len() {
                self.fronts[o].set(v * self.ports + i, self.hop_selection[i].counted[v].val().get_bit(o));
            }
        }
    }
}
