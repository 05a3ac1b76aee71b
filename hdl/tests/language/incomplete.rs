//! What a constructor forgets is found where the block is simulated or printed.

use railyard_hdl::rtl::prelude::*;

/// A register.
#[block]
pub struct Held {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// what it becomes
    pub next_value: Sig<In>,
    /// what it holds
    pub value: Sig<Out>,
    /// what it holds
    held: Reg,
    width: Param,
}

#[kernel]
impl Held {
    fn update(&mut self) {
        self.held.d.next = self.next_value.val();
        self.value.next = self.held.q.val();
    }
}

fn whole() -> Held {
    Held { next_value: sig(4), value: sig(4), held: reg(4, 0u8), width: 4, ..Held::plain() }
}

fn messages(block: &Held) -> Vec<String> {
    emit(block, "held").map_or_else(|errors| errors.iter().map(ToString::to_string).collect(), |_| vec![])
}

#[test]
fn a_block_that_is_complete_is_printed() {
    assert_eq!(messages(&whole()), [""; 0]);
}

#[test]
fn a_vector_without_width_is_an_error() {
    let expected = "block held, signal value: it has no width: the constructor does not set it";
    assert_eq!(messages(&Held { value: Held::plain().value, ..whole() }), [expected]);
    let register = Held { held: Held::plain().held, ..whole() };
    assert_eq!(messages(&register), ["block held, signal held: it has no width: the constructor does not set it"]);
}

#[test]
fn a_number_without_value_is_an_error() {
    let expected = "block held, signal width: it has no value: the constructor does not set it";
    assert_eq!(messages(&Held { width: Held::plain().width, ..whole() }), [expected]);
}

#[test]
#[should_panic(expected = "top.value has no width: the constructor does not set it")]
fn a_vector_without_width_is_not_simulated() {
    Bench::new(Held { value: Held::plain().value, ..whole() }, |b| &mut b.clock);
}

/// Lanes, as many as the number says.
#[block]
pub struct Lanes {
    /// an event of the lane
    pub pulse: Vec<Flag<In>, lanes>,
    lanes: Param,
}

#[kernel]
impl Lanes {
    fn update(&mut self) {}
}

#[test]
fn sizes_in_types_are_made_of_the_numbers() {
    assert_eq!(sized(Lanes { lanes: 3, ..Lanes::plain() }).pulse.len(), 3);
}

#[test]
#[should_panic(expected = "the constructor does not set `lanes`, of which a size is made")]
fn a_size_made_of_a_number_without_value_is_refused() {
    sized(Lanes::plain());
}

#[test]
#[should_panic(expected = "the size of `pulse` stands in its type: the constructor does not set it as well")]
fn a_size_is_said_once() {
    sized(Lanes { lanes: 3, pulse: many(3, flag) });
}

/// A ring of lanes, whose constructor the attribute writes.
#[block(lanes: usize, marked: bool)]
#[requires(lanes > 1, "a ring has several lanes")]
pub struct Ring {
    /// an event of the lane
    pub pulse: Vec<Flag<In>, lanes>,
    /// the lane counts
    pub mark: Option<Sig<In, { 2 * width }>, marked>,
    /// lanes that are only there if they are marked
    pub marks: Vec<Sig<In, width>, lanes, marked>,
    // Of a number behind it: the order of the fields does not matter.
    width: Number<{ lanes + rest }>,
    rest: Param<{ lanes / 2 }>,
    lanes: Param,
}

#[kernel]
impl Ring {
    fn update(&mut self) {}
}

#[test]
fn the_attribute_writes_the_constructor() {
    let marked = ring(4, true);
    assert_eq!((marked.pulse.len(), marked.marks.len(), marked.marks[0].width()), (4, 4, 6));
    assert_eq!(marked.mark.map(|mark| mark.width()), Some(12));
    let plain = ring(4, false);
    assert_eq!((plain.pulse.len(), plain.marks.len(), plain.mark.is_some()), (4, 0, false));
}

#[test]
#[should_panic(expected = "a ring has several lanes")]
fn what_a_block_requires_is_checked() {
    ring(1, false);
}
