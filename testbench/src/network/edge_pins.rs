//! The pins at the edge of a network: what nodes send and get.

use super::difference::{Differences, NamedOutput};
use railyard_model::bits::ones;
use railyard_network::harness::{Drive, LinkArrival};
use railyard_spec::Shape;
use railyard_verilated::{Image, In, ModelError, Pins};

/// The pins of all edge ports.
#[derive(Debug)]
pub struct EdgePins {
    vcs: usize,
    vc_bits: usize,
    flit_bits: usize,
    credit_bits: usize,
    rx_valid: In,
    rx_vc: In,
    rx_head: In,
    rx_tail: In,
    rx_flit: In,
    rx_bad: Option<In>,
    tx_credit_valid: In,
    tx_credit: In,
    tx_min_credit: Option<In>,
    tx_valid: NamedOutput,
    tx_vc: NamedOutput,
    tx_head: NamedOutput,
    tx_tail: NamedOutput,
    tx_flit: NamedOutput,
    tx_bad: Option<NamedOutput>,
    rx_credit_valid: NamedOutput,
    rx_credit: NamedOutput,
    rx_min_credit: Option<NamedOutput>,
}

impl EdgePins {
    /// Those of a network of switches of that shape.
    pub fn new(model: &Image, shape: &Shape) -> Result<EdgePins, ModelError> {
        let (i, o) = (|name| model.input(name), |name| NamedOutput::find(model, name));
        let has_marks = shape.buffer_code.is_some();
        let has_min_credits = shape.dragonfly().is_some_and(|built| built.min_credits);
        Ok(EdgePins {
            vcs: shape.vcs,
            vc_bits: shape.vc_bits as usize,
            flit_bits: shape.flit_bits as usize,
            credit_bits: shape.credit_bits as usize,
            rx_valid: i("rx_valid")?,
            rx_vc: i("rx_vc")?,
            rx_head: i("rx_head")?,
            rx_tail: i("rx_tail")?,
            rx_flit: i("rx_flit")?,
            rx_bad: has_marks.then(|| i("rx_bad")).transpose()?,
            tx_credit_valid: i("tx_credit_valid")?,
            tx_credit: i("tx_credit")?,
            tx_min_credit: has_min_credits.then(|| i("tx_min_credit")).transpose()?,
            tx_valid: o("tx_valid")?,
            tx_vc: o("tx_vc")?,
            tx_head: o("tx_head")?,
            tx_tail: o("tx_tail")?,
            tx_flit: o("tx_flit")?,
            tx_bad: has_marks.then(|| o("tx_bad")).transpose()?,
            rx_credit_valid: o("rx_credit_valid")?,
            rx_credit: o("rx_credit")?,
            rx_min_credit: has_min_credits.then(|| o("rx_min_credit")).transpose()?,
        })
    }

    /// Drives what a node sends: flit, reports, and the totals also where there is no report. Totals of minimal packets
    /// mean nothing there.
    pub fn drive(&self, model: &mut Image, edge: usize, drive: &Drive) {
        let lane = drive.lane;
        model.set_bits(self.rx_valid, edge, 1, u64::from(lane.valid));
        if lane.valid {
            model.set_field(self.rx_vc, edge, self.vc_bits, u64::from(lane.vc));
            model.set_bits(self.rx_head, edge, 1, u64::from(lane.head));
            model.set_bits(self.rx_tail, edge, 1, u64::from(lane.tail));
            if let Some(pin) = self.rx_bad {
                model.set_bits(pin, edge, 1, u64::from(lane.bad));
            }
            model.write_bits(self.rx_flit, edge * self.flit_bits, self.flit_bits, &drive.flit);
        }
        model.set_field(self.tx_credit_valid, edge, self.vcs, u64::from(lane.reports));
        for (vc, credit) in drive.credits.iter().enumerate() {
            let (at, any) = (edge * self.vcs + vc, u64::from(!credit) & ((1 << self.credit_bits) - 1));
            model.set_field(self.tx_credit, at, self.credit_bits, u64::from(*credit));
            self.tx_min_credit.into_iter().for_each(|pin| model.set_field(pin, at, self.credit_bits, any));
        }
    }

    /// Compares what leaves the network at an edge port; `node` is there.
    pub fn compare(
        &self,
        model: &Image,
        edge: usize,
        arrival: &LinkArrival<'_>,
        place: impl Fn() -> String,
        differences: &mut Differences,
    ) {
        let lane = arrival.lane;
        let mut expect = |pin: NamedOutput, index: usize, width: usize, want: u64| {
            differences.expect(model, pin, index * width, width, want, &place);
        };
        expect(self.tx_valid, edge, 1, u64::from(lane.valid));
        expect(self.rx_credit_valid, edge, self.vcs, u64::from(lane.reports));
        for vc in ones((1 << self.vcs) - 1) {
            expect(self.rx_credit, edge * self.vcs + vc, self.credit_bits, u64::from(arrival.credits[vc]));
            self.rx_min_credit.into_iter().for_each(|pin| expect(pin, edge * self.vcs + vc, self.credit_bits, 0));
        }
        if !lane.valid {
            return;
        }
        expect(self.tx_vc, edge, self.vc_bits, u64::from(lane.vc));
        expect(self.tx_head, edge, 1, u64::from(lane.head));
        expect(self.tx_tail, edge, 1, u64::from(lane.tail));
        if let Some(pin) = self.tx_bad {
            expect(pin, edge, 1, u64::from(lane.bad));
        }
        for (number, &word) in arrival.flit.iter().enumerate() {
            let (low, want) = (32 * number, if number == 0 { arrival.first_word } else { word });
            let bits = (self.flit_bits - low).min(32);
            differences.expect(model, self.tx_flit, edge * self.flit_bits + low, bits, u64::from(want), &place);
        }
    }
}
