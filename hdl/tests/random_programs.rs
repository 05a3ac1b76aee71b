//! Random kernels mean the same in Rust, Verilator and Icarus: expressions and statements of the kernel language over
//! signals of 1 to 300 bits. Many kernels share one build of the simulators.

mod common;

use common::tools::{inputs, simulate, Simulator, Trial};
use num_bigint::BigUint;
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use railyard_hdl::rtl::prelude::*;
use rust_hdl_core::ast::*;

const PROGRAMS: usize = 48;
const CYCLES: usize = 40;
const LANES: usize = 4;

#[derive(Clone, Debug)]
enum Term {
    Input(usize),
    /// An output as assigned so far.
    Output(usize),
    /// `lane[(i + offset) % LANES]` inside a loop over i.
    Lane(usize),
    /// `lane[select]`.
    LaneBy,
    Literal(u64),
    Not(Box<Term>),
    Binary(char, Box<Term>, Box<Term>),
    Compare(&'static str, Box<Term>, Box<Term>),
    /// Compared with the loop index.
    IsIndex(Box<Term>),
    Shift(bool, Box<Term>, usize),
    ShiftBy(bool, Box<Term>, Box<Term>),
    Bit(Box<Term>, usize),
    BitBy(usize, Box<Term>),
    Reduce(char, Box<Term>),
    Cast(Box<Term>, usize),
    /// Takes the width of its surroundings.
    Fit(Box<Term>),
    Replace(Box<Term>, usize, Box<Term>),
}

#[derive(Clone, Debug)]
enum Step {
    Set(usize, Term),
    SetBits(usize, usize, Term),
    /// `lane_out[i]` inside a loop.
    SetLane(Term),
    If(Term, Vec<Step>, Vec<Step>),
    Match(Vec<Vec<Step>>),
    For(Vec<Step>),
}

#[block]
struct Program {
    select: Sig<In>,
    source: Vec<Sig<In>>,
    lane: Vec<Sig<In>>,
    sink: Vec<Sig<Out>>,
    lane_out: Vec<Sig<Out>>,
    about: About,
    _steps: Vec<Step>,
}

impl Program {
    fn value(&self, term: &Term, i: usize) -> Value {
        let value = |term: &Term| self.value(term, i);
        match term {
            Term::Input(k) => self.source[*k].val(),
            Term::Output(k) => self.sink[*k].val(),
            Term::Lane(offset) => self.lane[(i + offset) % LANES].val(),
            Term::LaneBy => self.lane[self.select.val()].val(),
            Term::Literal(number) => (*number).into(),
            Term::Not(a) => !value(a),
            Term::Binary(op, a, b) => match op {
                '+' => value(a) + value(b),
                '-' => value(a) - value(b),
                '&' => value(a) & value(b),
                '|' => value(a) | value(b),
                _ => value(a) ^ value(b),
            },
            Term::Compare(op, a, b) => match *op {
                "==" => value(a) == value(b),
                "!=" => value(a) != value(b),
                "<" => value(a) < value(b),
                "<=" => value(a) <= value(b),
                ">" => value(a) > value(b),
                _ => value(a) >= value(b),
            }
            .into(),
            Term::IsIndex(a) => (value(a) == i).into(),
            Term::Shift(true, a, by) => value(a) << *by,
            Term::Shift(false, a, by) => value(a) >> *by,
            Term::ShiftBy(true, a, by) => value(a) << value(by),
            Term::ShiftBy(false, a, by) => value(a) >> value(by),
            Term::Bit(a, at) => value(a).get_bit(*at).into(),
            Term::BitBy(k, at) => self.source[*k].val().get_bit(value(at)).into(),
            Term::Reduce('|', a) => value(a).any().into(),
            Term::Reduce('&', a) => value(a).all().into(),
            Term::Reduce(_, a) => value(a).xor().into(),
            Term::Cast(a, width) => bit_cast_to(value(a), *width),
            Term::Fit(a) => unsigned_cast(value(a)),
            Term::Replace(a, at, b) => value(a).replace_bit(*at, value(b)),
        }
    }

    fn run(&mut self, steps: &[Step], i: usize) {
        for step in steps {
            match step {
                Step::Set(k, term) => self.sink[*k].next = self.value(term, i),
                Step::SetBits(k, at, term) => {
                    self.sink[*k].next = self.sink[*k].val().replace_bit(*at, self.value(term, i));
                }
                Step::SetLane(term) => self.lane_out[i].next = self.value(term, i),
                Step::If(condition, then, otherwise) => {
                    let branch = if self.value(condition, i).any() { then } else { otherwise };
                    self.run(branch, i);
                }
                Step::Match(arms) => {
                    let chosen = self.select.val().index().min(arms.len() - 1);
                    self.run(&arms[chosen], i);
                }
                Step::For(body) => (0..LANES).for_each(|i| self.run(body, i)),
            }
        }
    }
}

/// The syntax tree that rust-hdl's macro would have made.
mod tree {
    use super::*;

    fn signal(name: String) -> VerilogExpression {
        VerilogExpression::Signal(name)
    }

    fn number(n: u64) -> VerilogExpression {
        VerilogExpression::Literal(n.into())
    }

    pub fn term(t: &Term) -> VerilogExpression {
        let boxed = |t: &Term| Box::new(VerilogExpression::Paren(Box::new(term(t))));
        let plain = |t: &Term| Box::new(term(t));
        match t {
            Term::Input(k) => signal(format!("source[{k}]")),
            Term::Output(k) => signal(format!("sink[{k}]")),
            Term::Lane(offset) => signal(format!("lane[(i+{offset})%{LANES}]")),
            Term::LaneBy => signal("lane[select$val()]".into()),
            Term::Literal(n) => number(*n),
            Term::Not(a) => VerilogExpression::Unary(VerilogOpUnary::Not, boxed(a)),
            Term::Binary(op, a, b) => {
                let op = match op {
                    '+' => VerilogOp::Add,
                    '-' => VerilogOp::Sub,
                    '&' => VerilogOp::BitAnd,
                    '|' => VerilogOp::BitOr,
                    _ => VerilogOp::BitXor,
                };
                VerilogExpression::Binary(plain(a), op, plain(b))
            }
            Term::Compare(op, a, b) => {
                let op = match *op {
                    "==" => VerilogOp::Eq,
                    "!=" => VerilogOp::Ne,
                    "<" => VerilogOp::Lt,
                    "<=" => VerilogOp::Le,
                    ">" => VerilogOp::Gt,
                    _ => VerilogOp::Ge,
                };
                VerilogExpression::Binary(plain(a), op, plain(b))
            }
            Term::IsIndex(a) => VerilogExpression::Binary(plain(a), VerilogOp::Eq, Box::new(signal("i".into()))),
            Term::Shift(left, a, by) => {
                let op = if *left { VerilogOp::Shl } else { VerilogOp::Shr };
                VerilogExpression::Binary(plain(a), op, Box::new(number(*by as u64)))
            }
            Term::ShiftBy(left, a, by) => {
                let op = if *left { VerilogOp::Shl } else { VerilogOp::Shr };
                VerilogExpression::Binary(plain(a), op, plain(by))
            }
            Term::Bit(a, at) => VerilogExpression::Index(plain(a), Box::new(number(*at as u64))),
            Term::BitBy(k, at) => VerilogExpression::Index(Box::new(signal(format!("source[{k}]"))), plain(at)),
            Term::Reduce(op, a) => {
                let op = match op {
                    '|' => VerilogOpUnary::Any,
                    '&' => VerilogOpUnary::All,
                    _ => VerilogOpUnary::Xor,
                };
                VerilogExpression::Unary(op, boxed(a))
            }
            Term::Cast(a, width) => VerilogExpression::Cast(plain(a), *width),
            Term::Fit(a) => VerilogExpression::Unsigned(plain(a)),
            Term::Replace(a, at, b) => {
                VerilogExpression::IndexReplace(plain(a), Box::new(number(*at as u64)), plain(b))
            }
        }
    }

    fn step(s: &Step) -> VerilogStatement {
        match s {
            Step::Set(k, t) => VerilogStatement::Assignment(signal(format!("sink[{k}]$next")), term(t)),
            Step::SetBits(k, at, t) => {
                let old = Box::new(signal(format!("sink[{k}]")));
                let new = VerilogExpression::IndexReplace(old, Box::new(number(*at as u64)), Box::new(term(t)));
                VerilogStatement::Assignment(signal(format!("sink[{k}]$next")), new)
            }
            Step::SetLane(t) => VerilogStatement::Assignment(signal("lane_out[i]$next".into()), term(t)),
            Step::If(condition, then, otherwise) => VerilogStatement::If(VerilogConditional {
                test: term(condition),
                then: block(then),
                otherwise: VerilogBlockOrConditional::Block(block(otherwise)),
            }),
            Step::Match(arms) => {
                let last = arms.len() - 1;
                let case = |(n, arm): (usize, &Vec<Step>)| VerilogCase {
                    condition: if n == last { "default".into() } else { n.to_string() },
                    block: block(arm),
                };
                let cases = arms.iter().enumerate().map(case).collect();
                VerilogStatement::Match(VerilogMatch { test: signal("select".into()), cases })
            }
            Step::For(body) => VerilogStatement::Loop(VerilogLoop {
                index: "i".into(),
                from: 0usize.into(),
                to: LANES.into(),
                block: block(body),
            }),
        }
    }

    pub fn block(steps: &[Step]) -> VerilogBlock {
        steps.iter().map(step).collect()
    }
}

impl Logic for Program {
    fn update(&mut self) {
        let steps = std::mem::take(&mut self._steps);
        self.run(&steps, 0);
        self._steps = steps;
    }
    fn connect(&mut self) {
        self.sink.iter_mut().chain(&mut self.lane_out).for_each(Logic::connect);
    }
    fn hdl(&self) -> Verilog {
        Verilog::Combinatorial(tree::block(&self._steps))
    }
}

/// Makes programs.
struct Maker {
    rng: TestRng,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    lane: usize,
    in_loop: bool,
}

const WIDTHS: [usize; 14] = [1, 2, 3, 4, 8, 8, 13, 16, 33, 64, 65, 128, 130, 300];

impl Maker {
    fn below(&mut self, n: usize) -> usize {
        self.rng.next_u32() as usize % n
    }

    fn width(&mut self) -> usize {
        WIDTHS[self.below(WIDTHS.len())]
    }

    fn boxed(&mut self, width: usize, depth: usize) -> Box<Term> {
        Box::new(self.term(width, depth))
    }

    fn op(&mut self) -> char {
        ['+', '-', '&', '|', '^'][self.below(5)]
    }

    /// A signal at `width` bits.
    fn leaf(&mut self, width: usize) -> Term {
        let k = self.below(self.inputs.len());
        let (signal, own) = match self.below(4) {
            0 if self.in_loop => (Term::Lane(self.below(LANES)), self.lane),
            1 => (Term::LaneBy, self.lane),
            2 => {
                let k = self.below(self.outputs.len());
                (Term::Output(k), self.outputs[k])
            }
            _ => (Term::Input(k), self.inputs[k]),
        };
        if own == width {
            signal
        } else {
            Term::Cast(Box::new(signal), width)
        }
    }

    fn term(&mut self, width: usize, depth: usize) -> Term {
        if depth == 0 {
            return self.leaf(width);
        }
        let depth = depth - 1;
        if width == 1 {
            let of = self.width();
            return match self.below(6) {
                0 => {
                    let op = ["==", "!=", "<", "<=", ">", ">="][self.below(6)];
                    Term::Compare(op, self.boxed(of, depth), self.boxed(of, depth))
                }
                1 => Term::Bit(self.boxed(of, depth), self.below(of)),
                2 => Term::Reduce(['|', '&', '^'][self.below(3)], self.boxed(of, depth)),
                3 if self.in_loop => Term::IsIndex(self.boxed(of.max(2), depth)),
                4 => {
                    let k = self.below(self.inputs.len());
                    match self.inputs[k] {
                        own if own > 1 && own.is_power_of_two() => {
                            Term::BitBy(k, self.boxed(own.trailing_zeros() as usize, depth))
                        }
                        _ => Term::Not(self.boxed(1, depth)),
                    }
                }
                _ => Term::Binary(['&', '|', '^'][self.below(3)], self.boxed(1, depth), self.boxed(1, depth)),
            };
        }
        match self.below(9) {
            0 | 1 => Term::Binary(self.op(), self.boxed(width, depth), self.boxed(width, depth)),
            2 => {
                let largest = if width < 63 { (1 << width) - 1 } else { u64::MAX };
                let number = self.rng.next_u64() & largest & 0xffff_ffff;
                Term::Binary(self.op(), self.boxed(width, depth), Box::new(Term::Literal(number)))
            }
            3 => Term::Not(self.boxed(width, depth)),
            4 => Term::Shift(self.below(2) == 0, self.boxed(width, depth), self.below(width + 3)),
            5 => {
                let by = [2, 4, 8][self.below(3)];
                Term::ShiftBy(self.below(2) == 0, self.boxed(width, depth), self.boxed(by, depth))
            }
            6 => {
                let (narrow, wide) = (1 + self.below(width), self.boxed(width, depth));
                let small = self.boxed(narrow, depth);
                Term::Replace(wide, self.below(width - narrow + 1), small)
            }
            7 => Term::Binary(['+', '&', '|', '^'][self.below(4)], self.boxed(width, depth), Box::new(self.fit())),
            _ => {
                let from = 1 + self.below(width);
                Term::Cast(self.boxed(from, depth), width)
            }
        }
    }

    /// A value of any width that its surroundings cut or extend.
    fn fit(&mut self) -> Term {
        let k = self.below(self.inputs.len());
        let own = self.inputs[k];
        let signal = Box::new(Term::Input(k));
        let inner = match self.below(4) {
            0 => Term::Shift(false, signal, self.below(own + 2)),
            1 => Term::Binary(self.op(), signal, Box::new(Term::Not(Box::new(Term::Input(k))))),
            2 => Term::Shift(true, signal, self.below(own + 2)),
            _ => *signal,
        };
        Term::Fit(Box::new(inner))
    }

    fn steps(&mut self, depth: usize) -> Vec<Step> {
        (0..1 + self.below(3)).map(|_| self.step(depth)).collect()
    }

    fn step(&mut self, depth: usize) -> Step {
        let k = self.below(self.outputs.len());
        let width = self.outputs[k];
        match self.below(7) {
            0 if depth > 0 => Step::If(self.term(1, 2), self.steps(depth - 1), self.steps(depth - 1)),
            1 if depth > 0 => Step::Match((0..1 + self.below(4)).map(|_| self.steps(depth - 1)).collect()),
            2 if !self.in_loop => {
                self.in_loop = true;
                let body = self.steps(1);
                self.in_loop = false;
                Step::For(body)
            }
            3 => {
                let part = 1 + self.below(width);
                Step::SetBits(k, self.below(width - part + 1), self.term(part, 2))
            }
            4 if self.in_loop => Step::SetLane(self.term(self.lane, 2)),
            5 => Step::Set(k, self.fit()),
            _ => Step::Set(k, self.term(width, 3)),
        }
    }

    fn program(&mut self) -> Program {
        self.inputs = (0..4).map(|_| self.width()).collect();
        self.outputs = (0..3).map(|_| self.width()).collect();
        self.lane = self.width();
        self.in_loop = false;
        let mut steps: Vec<Step> = (0..3).map(|k| Step::Set(k, Term::Literal(self.rng.next_u64() & 1))).collect();
        steps.push(Step::For(vec![Step::SetLane(Term::Lane(0))]));
        for _ in 0..5 {
            steps.push(self.step(2));
        }
        Program {
            select: sig(2),
            source: self.inputs.iter().map(|w| sig(*w)).collect(),
            lane: many(LANES, || sig(self.lane)),
            sink: self.outputs.iter().map(|w| sig(*w)).collect(),
            lane_out: many(LANES, || sig(self.lane)),
            about: about("random_program", "Random."),
            _steps: steps,
        }
    }

    fn bits(&mut self, width: usize) -> BigUint {
        let digits = (0..width.div_ceil(32))
            .map(|_| match self.below(4) {
                0 => 0,
                1 => u32::MAX,
                _ => self.rng.next_u32(),
            })
            .collect();
        BigUint::new(digits) & ((BigUint::from(1u8) << width) - 1u8)
    }
}

#[test]
fn random_programs_mean_the_same_everywhere() {
    let seed = std::env::var("RAILYARD_SEED").ok().and_then(|s| s.parse::<u64>().ok()).unwrap_or(1);
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut maker = Maker { rng, inputs: vec![], outputs: vec![], lane: 0, in_loop: false };
    let (mut trials, mut expected, mut programs) = (vec![], vec![], vec![]);
    for n in 0..PROGRAMS {
        let program = maker.program();
        let design = emit(&program, &format!("random_program_{n}"))
            .unwrap_or_else(|errors| panic!("seed {seed} program {n}: {errors:#?}\n{:#?}", program._steps));
        let stimuli: Vec<Vec<BigUint>> =
            (0..CYCLES).map(|_| inputs(&design).map(|port| maker.bits(port.width)).collect()).collect();
        programs.push(program._steps.clone());
        let widths: Vec<usize> = inputs(&design).map(|port| port.width).collect();
        expected.push(by_rust(program, &widths, &stimuli));
        trials.push(Trial { design, stimuli });
    }
    for simulator in [Simulator::Icarus, Simulator::Verilator] {
        let results = simulate(simulator, &trials);
        for (n, trial) in trials.iter().enumerate() {
            let widths =
                trial.design.top().ports.iter().filter(|p| p.direction == PortDirection::Output).map(|p| p.width);
            for cycle in 0..CYCLES {
                assert_eq!(
                    expected[n][cycle],
                    pack(results[n][cycle].iter().cloned().zip(widths.clone())),
                    "{simulator:?}, seed {seed}, program {n}, cycle {cycle}, inputs {:x?}\n{:#?}\n{}",
                    trial.stimuli[cycle],
                    programs[n],
                    trial.design.text()
                );
            }
        }
    }
}

/// Values of some widths in one number, the first lowest.
fn pack(values: impl IntoIterator<Item = (BigUint, usize)>) -> BigUint {
    let (mut all, mut lsb) = (BigUint::default(), 0);
    for (value, width) in values {
        all |= value << lsb;
        lsb += width;
    }
    all
}

/// The outputs in rust-hdl's simulator, in one number.
fn by_rust(program: Program, ports: &[usize], stimuli: &[Vec<BigUint>]) -> Vec<BigUint> {
    let mut bench = Bench::combinational(program);
    let run = |stimulus: &Vec<BigUint>| {
        let all = pack(stimulus.iter().cloned().zip(ports.iter().copied()));
        let mut lsb = 0;
        let program = &mut *bench;
        for signal in [&mut program.select].into_iter().chain(&mut program.source).chain(&mut program.lane) {
            signal.next = Value::new(signal.width(), &all >> lsb);
            lsb += signal.width();
        }
        bench.settle();
        pack(bench.sink.iter().chain(&bench.lane_out).map(|signal| (signal.val().to_big(), signal.width())))
    };
    stimuli.iter().map(run).collect()
}
