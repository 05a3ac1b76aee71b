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
