//! What the tests of single blocks share.

use railyard_hdl::rtl::Value;
use railyard_model::input::vc_buffer::FlitMarks;
use railyard_spec::Config;
pub use railyard_spec::Shape;
pub use railyard_testbench::random::Random;

/// A bench around a block with a clock, after a cycle of reset.
macro_rules! started {
    ($block:expr) => {{
        let mut bench = railyard_hdl::rtl::Bench::new($block, |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        bench
    }};
}

/// The shape of a legal configuration: the default one, changed.
pub fn shape(change: impl FnOnce(&mut Config)) -> Shape {
    let mut config = Config::named("block");
    change(&mut config);
    config.check().unwrap_or_else(|faults| panic!("{faults}")).shape()
}

/// A signal's value as a number.
pub fn number(value: Value) -> u64 {
    u64::try_from(value.to_u128()).expect("64 bits are enough")
}

/// A vector with one bit set, or none.
pub fn one_hot(width: usize, at: Option<usize>) -> Value {
    at.map_or(Value::zero(width), |at| Value::zero(width).replace_bit(at, true))
}

/// A vector from its bits.
pub fn vector(bits: impl IntoIterator<Item = bool>) -> Value {
    let bits: Vec<bool> = bits.into_iter().collect();
    bits.iter().enumerate().fold(Value::zero(bits.len()), |all, (i, bit)| all.replace_bit(i, *bit))
}

/// Random bits, 32 a word, of a flit.
pub fn random_flit(random: &mut Random, shape: &Shape) -> Vec<u32> {
    let words = railyard_model::flit_words(shape);
    let mut flit: Vec<u32> = (0..words).map(|_| random.bits() as u32).collect();
    flit[words - 1] &= u32::MAX >> ((32 - shape.flit_bits % 32) % 32);
    flit
}

/// A flit of the model as a vector.
pub fn flit_value(shape: &Shape, flit: &[u32]) -> Value {
    let width = shape.flit_bits as usize;
    flit.iter().enumerate().fold(Value::zero(width), |all, (i, &word)| {
        let bits = (width - 32 * i).min(32);
        all.replace_bit(32 * i, Value::new(bits, word))
    })
}

/// A flit and its marks as they go through the crossbar: {head, tail, flit}.
pub fn beat(shape: &Shape, marks: FlitMarks, flit: &[u32]) -> Value {
    let width = shape.flit_bits as usize;
    let word = Value::zero(width + 2).replace_bit(0, flit_value(shape, flit));
    word.replace_bit(width, marks.tail).replace_bit(width + 1, marks.head)
}

/// A sender on each VC of a port: mostly packets as they should be (and some too long), sometimes nonsense.
pub struct Sender {
    left: Vec<u64>,
    longest: u64,
}

impl Sender {
    pub fn new(shape: &Shape, longest: u32) -> Self {
        Sender { left: vec![0; shape.vcs], longest: longest.into() }
    }

    /// The marks of the next flit on a VC (which may be one that does not exist).
    pub fn next(&mut self, random: &mut Random, vc: usize) -> FlitMarks {
        match self.left.get_mut(vc) {
            Some(left) if random.below(12) > 0 => {
                let head = *left == 0;
                *left = if head { random.below(self.longest) } else { *left - 1 };
                FlitMarks { head, tail: *left == 0 }
            }
            _ => FlitMarks { head: random.below(2) == 0, tail: random.below(2) == 0 },
        }
    }
}
