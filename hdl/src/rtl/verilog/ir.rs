//! The statements of a module between rust-hdl's syntax tree and Verilog: names resolved, every width exact.

use num_bigint::BigUint;

/// Index of a [`super::scope::Variable`].
pub type VariableId = usize;

/// An index: numbers, loop indices, arithmetic, and (for reads) signals.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Index {
    Number(i64),
    Loop(String),
    Op(Box<Index>, IndexOp, Box<Index>),
    Signal(Box<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IndexOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
}

/// What a loop's range ends at: one past the last number, and its name in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    pub number: i64,
    pub name: Option<String>,
}

/// Values of the loop indices.
pub type Loops = Vec<(String, i64)>;
/// Ranges of the loop indices: first, and one past the last.
pub type LoopRanges = Vec<(String, i64, i64)>;

impl IndexOp {
    pub fn symbol(self) -> &'static str {
        match self {
            IndexOp::Add => "+",
            IndexOp::Sub => "-",
            IndexOp::Mul => "*",
            IndexOp::Div => "/",
            IndexOp::Rem => "%",
            IndexOp::Shl => "<<",
            IndexOp::Shr => ">>",
        }
    }

    fn apply(self, a: i64, b: i64) -> Option<i64> {
        match self {
            IndexOp::Add => a.checked_add(b),
            IndexOp::Sub => a.checked_sub(b),
            IndexOp::Mul => a.checked_mul(b),
            IndexOp::Div => a.checked_div(b),
            IndexOp::Rem => a.checked_rem(b),
            IndexOp::Shl => (0..62).contains(&b).then(|| a << b),
            IndexOp::Shr => (0..62).contains(&b).then(|| a >> b),
        }
    }
}

impl Index {
    /// The operation, computed where both sides are numbers.
    pub fn op(a: Index, op: IndexOp, b: Index) -> Index {
        match (&a, op, &b) {
            (Index::Number(x), _, Index::Number(y)) => {
                op.apply(*x, *y).map_or_else(|| Index::Op(Box::new(a.clone()), op, Box::new(b.clone())), Index::Number)
            }
            (Index::Number(0), IndexOp::Add, _) | (Index::Number(1), IndexOp::Mul, _) => b,
            (_, IndexOp::Add | IndexOp::Sub | IndexOp::Shl | IndexOp::Shr, Index::Number(0)) => a,
            (_, IndexOp::Mul | IndexOp::Div, Index::Number(1)) => a,
            (Index::Number(0), IndexOp::Mul, _) | (_, IndexOp::Mul, Index::Number(0)) => Index::Number(0),
            _ => Index::Op(Box::new(a), op, Box::new(b)),
        }
    }

    /// Its number under the given loop indices; `None` where a signal decides or the arithmetic has no result.
    pub fn value(&self, loops: &Loops) -> Option<i64> {
        match self {
            Index::Number(n) => Some(*n),
            Index::Loop(name) => loops.iter().rev().find(|l| l.0 == *name).map(|l| l.1),
            Index::Op(a, op, b) => op.apply(a.value(loops)?, b.value(loops)?),
            Index::Signal(_) => None,
        }
    }

    /// Smallest and largest number under the given loop ranges.
    pub fn range(&self, loops: &LoopRanges) -> Option<(i64, i64)> {
        match self {
            Index::Number(n) => Some((*n, *n)),
            Index::Loop(name) => loops.iter().rev().find(|l| l.0 == *name).map(|l| (l.1, l.2 - 1)),
            Index::Op(a, op, b) => {
                let ((a0, a1), (b0, b1)) = (a.range(loops)?, b.range(loops)?);
                if *op == IndexOp::Rem {
                    return (a0 >= 0 && b0 > 0).then_some((0, b1 - 1));
                }
                let ends = [(a0, b0), (a0, b1), (a1, b0), (a1, b1)];
                let ends = ends.iter().map(|(x, y)| op.apply(*x, *y)).collect::<Option<Vec<_>>>()?;
                Some((*ends.iter().min()?, *ends.iter().max()?))
            }
            Index::Signal(_) => None,
        }
    }

    /// Whether a signal is part of it.
    pub fn is_dynamic(&self) -> bool {
        match self {
            Index::Signal(_) => true,
            Index::Op(a, _, b) => a.is_dynamic() || b.is_dynamic(),
            _ => false,
        }
    }
}

/// An expression of exactly `width` bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub width: usize,
    pub kind: Box<Kind>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Constant(BigUint),
    /// A constant known to the reader by name.
    Named(String, BigUint),
    /// An index as a value: of 32 bits, or a bare loop index of any width.
    IndexValue(Index),
    Select(Select),
    Not(Expression),
    Reduce(Reduce, Expression),
    Binary(Expression, Binary, Expression),
    /// A comparison, of one bit.
    Compare(Expression, Compare, Expression),
    /// A comparison that is decided when the design is built.
    CompareIndex(Index, Compare, Index),
    Shift(Expression, Direction, Amount),
    /// Zero extension.
    Extend(Expression),
    /// One bit of an expression that is more than a signal.
    BitOf(Expression, Index),
    /// `value` at bit `lsb` of `word`.
    Replace {
        word: Expression,
        lsb: Index,
        value: Expression,
    },
    /// Side by side, the first most significant.
    Concat(Vec<Expression>),
    /// So many times, side by side.
    Repeat(usize, Expression),
}

/// `width` bits from `lsb` up of an element of a variable; no indices for all of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    pub variable: VariableId,
    pub indices: Vec<Index>,
    pub lsb: Index,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reduce {
    Any,
    All,
    Parity,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Binary {
    Add,
    Sub,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Compare {
    pub fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Compare::Eq => a == b,
            Compare::Ne => a != b,
            Compare::Lt => a < b,
            Compare::Le => a <= b,
            Compare::Gt => a > b,
            Compare::Ge => a >= b,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Direction {
    Left,
    Right,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    Index(Index),
    Signal(Expression),
}

impl Expression {
    pub fn new(width: usize, kind: Kind) -> Expression {
        Expression { width, kind: Box::new(kind) }
    }

    pub fn constant(width: usize, value: impl Into<BigUint>) -> Expression {
        Expression::new(width, Kind::Constant(value.into()))
    }

    /// Whether a condition over loop indices holds; `None` where a signal decides.
    pub fn decided(&self, loops: &Loops) -> Option<bool> {
        match &*self.kind {
            Kind::CompareIndex(a, op, b) => Some(op.holds(a.value(loops)?, b.value(loops)?)),
            Kind::Not(a) => a.decided(loops).map(|x| !x),
            Kind::Constant(value) if self.width == 1 => Some(*value != BigUint::default()),
            Kind::Binary(a, Binary::And, b) if self.width == 1 => match (a.decided(loops), b.decided(loops)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Kind::Binary(a, Binary::Or, b) if self.width == 1 => match (a.decided(loops), b.decided(loops)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// Calls `visit` for every signal that is read.
    pub fn for_each_select<'a>(&'a self, visit: &mut dyn FnMut(&'a Select, usize)) {
        match &*self.kind {
            Kind::Constant(_) | Kind::Named(..) => {}
            Kind::IndexValue(index) => index.for_each_select(visit),
            Kind::Select(select) => {
                visit(select, self.width);
                select.indices.iter().chain([&select.lsb]).for_each(|index| index.for_each_select(visit));
            }
            Kind::Not(a) | Kind::Reduce(_, a) | Kind::Extend(a) | Kind::Repeat(_, a) => a.for_each_select(visit),
            Kind::Concat(parts) => parts.iter().for_each(|part| part.for_each_select(visit)),
            Kind::Binary(a, _, b) | Kind::Compare(a, _, b) => {
                a.for_each_select(visit);
                b.for_each_select(visit);
            }
            Kind::CompareIndex(a, _, b) => {
                a.for_each_select(visit);
                b.for_each_select(visit);
            }
            Kind::Shift(a, _, amount) => {
                a.for_each_select(visit);
                match amount {
                    Amount::Index(index) => index.for_each_select(visit),
                    Amount::Signal(by) => by.for_each_select(visit),
                }
            }
            Kind::BitOf(a, index) => {
                a.for_each_select(visit);
                index.for_each_select(visit);
            }
            Kind::Replace { word, lsb, value } => {
                word.for_each_select(visit);
                lsb.for_each_select(visit);
                value.for_each_select(visit);
            }
        }
    }
}

impl Index {
    pub fn for_each_select<'a>(&'a self, visit: &mut dyn FnMut(&'a Select, usize)) {
        match self {
            Index::Signal(expression) => expression.for_each_select(visit),
            Index::Op(a, _, b) => {
                a.for_each_select(visit);
                b.for_each_select(visit);
            }
            Index::Number(_) | Index::Loop(_) => {}
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `value` to the target; `partial` where it is only some bits of an element.
    Set {
        target: Select,
        partial: bool,
        value: Expression,
    },
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// Arms with their labels; `None` is the default.
    Case {
        value: Expression,
        arms: Vec<(Option<Label>, Vec<Statement>)>,
    },
    For {
        index: String,
        from: i64,
        to: End,
        body: Vec<Statement>,
    },
    /// Statements that work on one element of a vector, which they do in a variable of its size.
    Element {
        target: Select,
        body: Vec<Statement>,
    },
    Note(String),
}

/// The label of a case arm, with the name it has in the Rust source.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    pub value: u64,
    pub name: Option<String>,
}

impl Statement {
    /// Calls `visit` for every variable written.
    pub fn for_each_write(&self, visit: &mut dyn FnMut(VariableId)) {
        match self {
            Statement::Set { target, .. } => visit(target.variable),
            Statement::If { then, otherwise, .. } => {
                then.iter().chain(otherwise).for_each(|s| s.for_each_write(visit));
            }
            Statement::Case { arms, .. } => arms.iter().flat_map(|a| &a.1).for_each(|s| s.for_each_write(visit)),
            Statement::For { body, .. } | Statement::Element { body, .. } => {
                body.iter().for_each(|s| s.for_each_write(visit));
            }
            Statement::Note(_) => {}
        }
    }

    /// Whether it writes this variable and no other.
    pub fn writes_only(&self, variable: VariableId) -> bool {
        let mut only = true;
        self.for_each_write(&mut |written| only &= written == variable);
        only && !matches!(self, Statement::Note(_))
    }

    /// The part of the statement that writes the chosen variables.
    pub fn project(&self, keep: &dyn Fn(VariableId) -> bool) -> Option<Statement> {
        let all = |body: &[Statement]| body.iter().filter_map(|s| s.project(keep)).collect::<Vec<_>>();
        match self {
            Statement::Set { target, .. } => keep(target.variable).then(|| self.clone()),
            Statement::If { condition, then, otherwise } => {
                let (then, otherwise) = (all(then), all(otherwise));
                let empty = then.is_empty() && otherwise.is_empty();
                (!empty).then(|| Statement::If { condition: condition.clone(), then, otherwise })
            }
            Statement::Case { value, arms } => {
                let arms: Vec<_> = arms.iter().map(|(label, body)| (label.clone(), all(body))).collect();
                let empty = arms.iter().all(|arm| arm.1.is_empty());
                (!empty).then(|| Statement::Case { value: value.clone(), arms })
            }
            Statement::For { index, from, to, body } => {
                let body = all(body);
                (!body.is_empty()).then(|| Statement::For { index: index.clone(), from: *from, to: to.clone(), body })
            }
            Statement::Element { target, .. } => keep(target.variable).then(|| self.clone()),
            Statement::Note(_) => None,
        }
    }
}

/// The parts of statements that write the chosen variables, each with the notes in front of it.
pub fn projected(statements: &[Statement], keep: &dyn Fn(VariableId) -> bool) -> Vec<Statement> {
    let (mut out, mut notes) = (vec![], vec![]);
    for statement in statements {
        match statement.project(keep) {
            Some(part) => {
                out.append(&mut notes);
                out.push(part);
            }
            None if matches!(statement, Statement::Note(_)) => notes.push(statement.clone()),
            None => notes.clear(),
        }
    }
    out.extend(notes);
    out
}
