//! Credits. credit_return against the model's `CreditReturn`, credit_counter against its `Credits`. Of output_unit the
//! credits are held against `Credits` as well; its output register, which in the model is filled straight from the
//! input's buffer, against section 6: what is popped in t is at `tx_*` in t + 1.

use crate::support::{beat, flit_value, number, one_hot, random_flit, shape, vector, Random, Shape};
use railyard_hdl::units::input::credit_return::credit_return;
use railyard_hdl::units::output::credit_counter::credit_counter;
use railyard_hdl::units::output::output_unit::output_unit;
use railyard_model::input::credit_return::CreditReturn;
use railyard_model::input::vc_buffer::FlitMarks;
use railyard_model::output::credit_counter::Credits;
use railyard_model::VcBits;
use railyard_spec::FlowControl;

/// Both schemes, the smallest buffers and larger ones, one VC and several.
fn shapes() -> impl Iterator<Item = Shape> {
    let sizes = [(1, 2, 1, 16), (2, 8, 2, 40), (8, 16, 3, 64), (5, 64, 8, 128)];
    [FlowControl::Absolute, FlowControl::Relative].into_iter().flat_map(move |flow_control| {
        sizes.map(|(max_flits, depth, vcs, flit_bits)| {
            shape(|c| {
                (c.packet.max_flits, c.buffer_flits) = (max_flits, Some(depth));
                (c.virtual_channels.unicast, c.flit_bits, c.flow_control) = (vcs, flit_bits, flow_control);
                c.routing = railyard_spec::Routing::Source(Default::default());
                c.ports = 4;
            })
        })
    })
}

#[test]
fn returned() {
    for shape in shapes() {
        let mut random = Random::new(shape.buffer_flits.into(), 13);
        let mut bench = started!(credit_return(&shape));
        let model = CreditReturn::new(&shape);
        let (mut valid, mut credit) = (VcBits::default(), [0]);
        for cycle in 0..1000 {
            assert_eq!(bench.credit_valid.val(), valid.get(0), "{shape:?}, cycle {cycle}");
            assert_eq!(number(bench.credit.val()), u64::from(credit[0]), "{shape:?}, cycle {cycle}");
            let (popped, discarded) = (random.below(2) == 0, random.below(3) == 0);
            (bench.popped.next, bench.discarded.next) = (popped, discarded);
            bench.reset.next = random.below(400) == 0;
            model.begin(&mut valid, &mut credit);
            for _ in 0..u32::from(popped) + u32::from(discarded) {
                model.free(0, &mut valid, &mut credit);
            }
            if bench.reset.next {
                (valid, credit) = (VcBits::default(), [0]);
            }
            bench.cycle();
        }
    }
}

/// The far end of a VC of an output: packets are sent when there is room, and reports come back, some of them lies.
#[derive(Clone)]
struct Link {
    shape: Shape,
    /// Flits of the packet that is being sent, still to go.
    left: u64,
    sent: u64,
}

impl Link {
    fn new(shape: &Shape) -> Self {
        Link { shape: shape.clone(), left: 0, sent: 0 }
    }

    /// Whether a flit is sent in this cycle: of a packet that was begun, or could be by what is known to be free.
    fn send(&mut self, random: &mut Random, room: i32) -> bool {
        let longest = u64::from(self.shape.max_flits);
        if self.left == 0 && room >= self.shape.max_flits as i32 && random.below(4) > 0 {
            self.left = random.within(1, longest);
        }
        self.left > 0 && random.below(5) > 0
    }

    /// A report: nothing, what the next buffer may have freed, an old one, or anything.
    fn report(&self, random: &mut Random) -> Option<u32> {
        let mask = (1 << self.shape.credit_bits) - 1;
        match (random.below(8), self.shape.flow_control) {
            (0..=3, _) => None,
            (4, _) => Some((random.bits() & mask) as u32),
            (_, FlowControl::Relative) => Some(random.below(3) as u32),
            (kind, FlowControl::Absolute) => {
                let behind = random.below(u64::from(if kind == 5 { self.shape.buffer_flits + 2 } else { 3 }));
                Some((self.sent.wrapping_sub(behind) & mask) as u32)
            }
        }
    }

    fn count(&mut self, sent: bool) {
        self.left -= u64::from(sent);
        self.sent += u64::from(sent);
    }
}

#[test]
fn counted() {
    for shape in shapes() {
        let mut random = Random::new(shape.buffer_flits.into(), 14);
        let mut bench = started!(credit_counter(&shape, 0));
        let (mut model, mut link) = (Credits::new(&shape), Link::new(&shape));
        let (mut refused, mut full) = (0, 0);
        for now in 0..3000 {
            let room = model.room(0, now);
            assert_eq!(bench.room.val(), room >= shape.max_flits as i32, "{shape:?}, cycle {now}");
            assert_eq!(bench.room_sending.val(), room > shape.max_flits as i32, "{shape:?}, cycle {now}");
            let (sent, report) = (link.send(&mut random, room), link.report(&mut random));
            bench.sent.next = sent;
            bench.tx_credit_valid.next = report.is_some();
            bench.tx_credit.next = report.unwrap_or(random.below(2) as u32).into();
            bench.reset.next = random.below(500) == 0;
            bench.settle();
            let error = report.is_some_and(|value| !model.report(0, now, value));
            assert_eq!(bench.error.val(), error, "{shape:?}, cycle {now}");
            if sent {
                model.sent(0);
            }
            link.count(sent);
            if bench.reset.next {
                (model, link) = (Credits::new(&shape), Link::new(&shape));
            }
            bench.cycle();
            refused += u32::from(error);
            full += u32::from(room < shape.max_flits as i32);
        }
        assert!(refused > 5 && full > 50, "{refused} refused, {full} without room: {shape:?}");
    }
}

#[test]
fn output_units() {
    for shape in shapes() {
        let mut random = Random::new(shape.buffer_flits.into(), 15);
        let k = shape.vcs;
        let mut bench = started!(output_unit(&shape));
        let (mut model, mut links) = (Credits::new(&shape), vec![Link::new(&shape); k]);
        // What the pins show of the last cycle.
        let (mut at_pins, mut error_credit) = (None::<(usize, FlitMarks, Vec<u32>)>, false);
        for now in 0..800 {
            let context = format!("{shape:?}, cycle {now}");
            let rooms: Vec<i32> = (0..k).map(|v| model.room(v, now)).collect();
            assert_eq!(bench.room.val(), vector(rooms.iter().map(|r| *r >= shape.max_flits as i32)), "{context}");
            assert_eq!(
                bench.room_sending.as_ref().expect("no queues").val(),
                vector(rooms.iter().map(|r| *r > shape.max_flits as i32)),
                "{context}"
            );
            assert_eq!(bench.tx.valid.val(), at_pins.is_some(), "{context}");
            assert_eq!(bench.error_credit.val(), error_credit, "{context}");
            if let Some((vc, marks, flit)) = at_pins {
                let got = FlitMarks { head: bench.tx.head.val(), tail: bench.tx.tail.val() };
                assert_eq!((number(bench.tx.vc.val()) as usize, got), (vc, marks), "{context}");
                assert_eq!(bench.tx.flit.val(), flit_value(&shape, &flit), "{context}");
            }
            let vc = random.below(k as u64) as usize;
            let sent = links[vc].send(&mut random, rooms[vc]).then_some(vc);
            let marks = FlitMarks { head: random.below(2) == 0, tail: random.below(2) == 0 };
            let flit = random_flit(&mut random, &shape);
            let clear = random.below(4) == 0;
            bench.sent.next = one_hot(k, sent);
            bench.beat.next = beat(&shape, marks, &flit);
            bench.error_clear.next = clear;
            error_credit &= !clear;
            for v in 0..k {
                let report = links[v].report(&mut random);
                bench.tx_credit_valid[v].next = report.is_some();
                bench.tx_credit[v].next = report.unwrap_or(0).into();
                error_credit |= report.is_some_and(|value| !model.report(v, now, value));
                if sent == Some(v) {
                    model.sent(v);
                }
                links[v].count(sent == Some(v));
            }
            at_pins = sent.map(|vc| (vc, marks, flit));
            bench.reset.next = random.below(200) == 0;
            if bench.reset.next {
                (model, links) = (Credits::new(&shape), vec![Link::new(&shape); k]);
                (at_pins, error_credit) = (None, false);
            }
            bench.cycle();
        }
    }
}
