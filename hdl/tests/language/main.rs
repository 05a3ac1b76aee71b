//! The hardware language: every construct, simulated and printed.

mod blocks;
mod incomplete;
mod nested;

use blocks::{lanes, Choice, Lanes, Shape};
use railyard_hdl::rtl::prelude::*;

const SHAPES: [Shape; 4] = [
    Shape { lanes: 3, width: 4, freezes: false, uneven: false, choice: Choice::All },
    Shape { lanes: 3, width: 4, freezes: true, uneven: false, choice: Choice::All },
    Shape { lanes: 3, width: 4, freezes: true, uneven: true, choice: Choice::First },
    Shape { lanes: 1, width: 6, freezes: false, uneven: true, choice: Choice::First },
];

fn bench(shape: Shape) -> Bench<Lanes> {
    let mut bench = Bench::new(lanes(shape), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    bench
}

#[test]
fn blocks_count() {
    for shape in SHAPES {
        let mut bench = bench(shape);
        let last = shape.lanes - 1;
        bench.lanes[last].pulse.next = true;
        bench.cycle();
        bench.cycle();
        assert_eq!(bench.lanes[last].total.val(), 2);
        assert_eq!(bench.busy[last].val(), shape.choice == Choice::All || last == 0 || shape.width > 4);
        if last > 0 {
            assert_eq!(bench.lanes[0].total.val(), 0);
        }
        assert_eq!(bench.state.val(), 2);
        if let Some(freezing) = &mut bench.freezing {
            freezing.freeze.next = true;
            bench.cycle();
            bench.cycle();
            assert_eq!(bench.lanes[last].total.val(), 2);
            let freezing = bench.freezing.as_ref().unwrap();
            assert_eq!(freezing.lost.val(), 2);
        }
    }
}

#[test]
fn blocks_are_printed() {
    for (i, shape) in SHAPES.into_iter().enumerate() {
        let design = emit(&lanes(shape), "top").unwrap_or_else(|errors| panic!("{}", errors[0]));
        insta::assert_snapshot!(format!("lanes_{i}"), design.text());
    }
}
