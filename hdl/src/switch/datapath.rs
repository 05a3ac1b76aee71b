//! The switch, data path: from the pins through input units, crossbar and output units to the pins.

use super::Switch;
use crate::units::prelude::*;

#[kernel(steps)]
impl Switch {
    /// Pins of the input units, and what they have for the crossbar.
    pub(super) fn receive(&mut self) {
        for v in 0..self.vcs {
            self.ready[v].next = 0.into();
            self.ending[v].next = 0.into();
        }
        for i in 0..self.ports {
            self.input_unit[i].error_clear.next = self.error_clear.val();
            self.rx[i].link(&mut self.input_unit[i].rx);
            self.input_unit[i].granted.next = unsigned_cast(self.granted_to[i].val());
            if self.ragged {
                self.receive_built(i);
            } else {
                for v in 0..self.vcs {
                    self.rx_credit_valid[i * self.vcs + v].next = self.input_unit[i].rx_credit_valid[v].val();
                    self.rx_credit[i * self.vcs + v].next = self.input_unit[i].rx_credit[v].val();
                    self.drop_valid[i * self.vcs + v].next = self.input_unit[i].drop_valid.val().get_bit(v);
                    self.ready[v].set(i, self.input_unit[i].ready.val().get_bit(v));
                    self.ending[v].set(i, self.input_unit[i].ending.val().get_bit(v));
                    self.crossbar.beat[v * self.ports + i].next = self.input_unit[i].beat[v].val();
                }
            }
            if !self.rx_min_credit.is_empty() {
                self.report_minimal(i);
            }
            self.drop_count[i].next = self.input_unit[i].drop_count.val();
            self.error[i].link(&mut self.input_unit[i].error);
        }
        for i in 0..self.rx_flip.len() {
            if let Some(flip) = &mut self.input_unit[i].flip {
                flip.next = self.rx_flip[i].val();
            }
        }
    }

    /// Flits of minimal packets that input i has freed: none of a node's, and none of a VC that is not built.
    fn report_minimal(&mut self, i: usize) {
        for v in 0..self.input_unit[i].rx_min_credit.len() {
            self.rx_min_credit[i * self.vcs + v].next = self.input_unit[i].rx_min_credit[v].val();
        }
        for v in self.input_unit[i].rx_min_credit.len()..self.vcs {
            self.rx_min_credit[i * self.vcs + v].next = 0.into();
        }
    }

    /// Traversal, and the pins of the output units.
    pub(super) fn send(&mut self) {
        for o in 0..self.ports {
            if self.gated {
                for v in 0..self.vcs {
                    if let Some(plane_sent) = &self.allocator[o].io.plane_sent {
                        self.crossbar.sent[o * self.vcs + v].next = plane_sent.val().get_bit(v);
                    } else {
                        self.crossbar.sent[o * self.vcs + v].next = self.allocator[o].io.sent.val().get_bit(v);
                    }
                }
            }
            self.output_unit[o].error_clear.next = self.error_clear.val();
            if self.output_queues.is_empty() {
                self.output_unit[o].sent.next = unsigned_cast(self.allocator[o].io.sent.val());
                self.output_unit[o].beat.next = self.crossbar.out[o].val();
            }
            if self.ragged {
                self.send_built(o);
            } else {
                for v in 0..self.vcs {
                    self.output_unit[o].tx_credit_valid[v].next = self.tx_credit_valid[o * self.vcs + v].val();
                    self.output_unit[o].tx_credit[v].next = self.tx_credit[o * self.vcs + v].val();
                }
            }
            self.tx[o].link(&mut self.output_unit[o].tx);
            self.error_credit[o].next = self.output_unit[o].error_credit.val();
        }
        for o in 0..self.tx_corrected.len() {
            if let Some(corrected) = &self.output_unit[o].corrected {
                self.tx_corrected[o].next = corrected.val();
            }
        }
    }
}
