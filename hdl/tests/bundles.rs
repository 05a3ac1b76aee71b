//! Bundles: names of their wires in Verilog, what `link` and `join` connect, and ends that do not fit.

use railyard_hdl::rtl::prelude::*;

/// A word that is held until it is taken, with marks.
#[bundle]
pub struct Stream<D: Side> {
    /// there is a word
    pub valid: Flag<D>,
    /// it is taken
    pub ready: Flag<Opposite<D>>,
    /// this one
    pub word: Sig<D>,
    /// its marks
    pub marks: Vec<Flag<D>>,
}

fn stream<D: Side>(marks: usize) -> Stream<D> {
    Stream { valid: flag(), ready: flag(), word: sig(8), marks: many(marks, flag) }
}

/// Hands a stream on, its word inverted and its marks as they are.
#[block]
struct Inverter {
    pub from: Stream<In>,
    pub to: Stream<Out>,
}

fn inverter(marks_in: usize, marks_out: usize) -> Inverter {
    Inverter { from: stream(marks_in), to: stream(marks_out) }
}

#[kernel]
impl Inverter {
    fn update(&mut self) {
        self.to.valid.next = self.from.valid.val();
        self.from.ready.next = self.to.ready.val();
        self.to.word.next = !self.from.word.val();
        for m in 0..self.to.marks.len() {
            self.to.marks[m].next = self.from.marks[m].val();
        }
    }
}

/// Inverters in a row: a stream that goes by its own names, and one behind the name of its field.
#[block]
struct Row {
    pub stream: Bare<Option<Stream<In>>>,
    pub to: Stream<Out>,
    first: Inverter,
    second: Inverter,
}

/// A row with marks; each inverter has its own number of them on either side.
fn row(marks: usize, [first, second]: [(usize, usize); 2]) -> Row {
    Row {
        stream: Some(stream(marks)),
        to: stream(marks),
        first: inverter(first.0, first.1),
        second: inverter(second.0, second.1),
    }
}

#[kernel]
impl Row {
    fn update(&mut self) {
        if let Some(stream) = &mut self.stream {
            stream.link(&mut self.first.from);
        }
        self.first.to.join(&mut self.second.from);
        self.to.link(&mut self.second.to);
    }
}

#[test]
fn wires_are_named_after_their_field_or_bare() {
    let design = emit(&row(2, [(2, 2); 2]), "top").expect("it fits");
    let ports: Vec<_> =
        design.top().ports.iter().map(|port| (port.name.as_str(), port.direction, port.width)).collect();
    let (input, output) = (PortDirection::Input, PortDirection::Output);
    let expected = [
        ("valid", input, 1),
        ("ready", output, 1),
        ("word", input, 8),
        ("marks", input, 2),
        ("to_valid", output, 1),
        ("to_ready", input, 1),
        ("to_word", output, 8),
        ("to_marks", output, 2),
    ];
    assert_eq!(ports, expected);
}

#[test]
fn link_and_join_lead_both_ways() {
    for marks in [0, 1, 3] {
        let mut bench = Bench::combinational(row(marks, [(marks, marks); 2]));
        for n in 0..16u32 {
            bench.to.ready.next = n & 2 == 2;
            let stream = bench.stream.as_mut().expect("it is there");
            stream.valid.next = n & 1 == 1;
            stream.word.next = (n * 7).into();
            stream.marks.iter_mut().enumerate().for_each(|(m, mark)| mark.next = n >> m & 1 == 1);
            bench.settle();
            let ready = bench.stream.as_ref().is_some_and(|stream| stream.ready.val());
            assert_eq!((bench.to.valid.val(), ready), (n & 1 == 1, n & 2 == 2));
            assert_eq!(bench.to.word.val().to_u128(), u128::from(n * 7));
            assert!((0..marks).all(|m| bench.to.marks[m].val() == (n >> m & 1 == 1)));
        }
    }
}

#[test]
fn what_only_one_end_has_is_not_connected() {
    // The marks of the first inverter are not read; those of the second are not driven.
    emit(&row(0, [(0, 0); 2]), "top").expect("no marks at all");
    emit(&row(2, [(2, 0), (0, 0)]), "top").expect_err("the row's own marks are outputs that are not driven");
    let missing = emit(&row(2, [(2, 0), (2, 2)]), "top").expect_err("it does not fit");
    assert!(missing.iter().any(|e| e.signal.contains("from_marks") && e.message.contains("never assigned")));
}

#[test]
#[should_panic(expected = "have 2 and 3 elements")]
fn ends_of_different_length_are_an_error() {
    let _ = emit(&row(2, [(2, 2), (3, 2)]), "top");
}
