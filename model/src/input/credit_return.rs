//! Credit return: what the switch reports to its senders of freed places.
//!
//! Source: switch reference, section 7; Cao2016, 3.4 (absolute credits).

use crate::bits::VcBits;
use railyard_spec::{FlowControl, Shape};

/// Reports of freed buffer space to the senders: the registers behind `rx_credit*`.
#[derive(Clone, Debug)]
pub struct CreditReturn {
    flow_control: FlowControl,
    mask: u16,
}

impl CreditReturn {
    /// For a switch of that shape. The totals themselves are the pins.
    pub fn new(shape: &Shape) -> Self {
        CreditReturn { flow_control: shape.flow_control, mask: (1 << shape.credit_bits) - 1 }
    }

    /// A new cycle begins: nothing is freed yet.
    #[inline]
    pub fn begin(&self, valid: &mut VcBits, credit: &mut [u16]) {
        if self.flow_control == FlowControl::Relative {
            valid.each(|element| credit[element] = 0);
        }
        valid.clear();
    }

    /// A flit of VC element `element` is popped or discarded.
    #[inline]
    pub fn free(&self, element: usize, valid: &mut VcBits, credit: &mut [u16]) {
        valid.set(element);
        credit[element] = (credit[element] + 1) & self.mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    fn shape(flow_control: FlowControl) -> Shape {
        let mut config = Config::named("t");
        config.buffer_flits = Some(16);
        config.flow_control = flow_control;
        config.check().unwrap().shape()
    }

    #[test]
    fn freed_places_are_reported() {
        for (flow_control, expected) in [(FlowControl::Absolute, [1, 3, 3]), (FlowControl::Relative, [1, 2, 0])] {
            let back = CreditReturn::new(&shape(flow_control));
            let (mut valid, mut credit) = (VcBits::default(), vec![0; 32]);
            for (count, total) in [1, 2, 0].into_iter().zip(expected) {
                back.begin(&mut valid, &mut credit);
                for _ in 0..count {
                    back.free(5, &mut valid, &mut credit);
                }
                assert_eq!((valid.get(5), credit[5]), (count > 0, total));
            }
        }
    }
}
