//! Makes statements shorter without changing what they mean: loops of one round fold; loops that copy or combine whole
//! vectors become one assignment; fields that fill a word become a concatenation.

use super::ir::*;
use super::scope::Scope;
use num_bigint::BigUint;

/// A longer concatenation is harder to read than the loop it replaces.
const MOST_PIECES: usize = 4;
/// Rounds of a loop nest, and bits of a vector, up to which a loop is looked through.
const MOST_ROUNDS: usize = 1 << 17;

// ---- loops of one round

/// Replaces the index of each loop of one round by its number.
pub fn fold_single_rounds(statements: Vec<Statement>) -> Vec<Statement> {
    let mut out = vec![];
    for statement in statements {
        match statement {
            Statement::For { index, from, to, body } if from + 1 == to => {
                let body = body.iter().flat_map(|s| substitute(s, &index, from)).collect();
                out.extend(fold_single_rounds(body));
            }
            Statement::For { index, from, to, body } => {
                let body = fold_single_rounds(body);
                match rounds_that_do_something(&index, from, to, &body) {
                    Some((from, to, body)) => {
                        out.extend(fold_single_rounds(vec![Statement::For { index, from, to, body }]));
                    }
                    None => out.push(Statement::For { index, from, to, body }),
                }
            }
            Statement::If { condition, then, otherwise } => {
                let (then, otherwise) = (fold_single_rounds(then), fold_single_rounds(otherwise));
                out.push(Statement::If { condition, then, otherwise });
            }
            Statement::Case { value, arms } => {
                let arms = arms.into_iter().map(|(label, body)| (label, fold_single_rounds(body))).collect();
                out.push(Statement::Case { value, arms });
            }
            other => out.push(other),
        }
    }
    out
}

/// `for i { if (0 < i) .. }` without its condition: the rounds in which it holds, if they follow one another.
fn rounds_that_do_something(index: &str, from: i64, to: i64, body: &[Statement]) -> Option<(i64, i64, Vec<Statement>)> {
    let [Statement::If { condition, then, otherwise }] = body else { return None };
    let decided = |i: i64| condition.decided(&vec![(index.to_string(), i)]);
    let rounds = (from..to).map(|i| Some((i, decided(i)?))).collect::<Option<Vec<_>>>()?;
    let those: Vec<i64> = rounds.into_iter().filter(|round| round.1).map(|round| round.0).collect();
    let (first, last) = (*those.first()?, *those.last()?);
    let together = last - first + 1 == those.len() as i64;
    (otherwise.is_empty() && together).then(|| (first, last + 1, then.clone()))
}

/// The statement with a number for a loop index; branches that this decides are chosen.
fn substitute(statement: &Statement, name: &str, number: i64) -> Vec<Statement> {
    let all = |body: &[Statement]| body.iter().flat_map(|s| substitute(s, name, number)).collect::<Vec<_>>();
    let e = |e: &Expression| expression(e, name, number);
    vec![match statement {
        Statement::Note(_) => statement.clone(),
        Statement::Set { target, partial, value } => {
            Statement::Set { target: select(target, name, number), partial: *partial, value: e(value) }
        }
        Statement::If { condition, then, otherwise } => {
            let condition = e(condition);
            match condition.decided(&vec![]) {
                Some(true) => return all(then),
                Some(false) => return all(otherwise),
                None => Statement::If { condition, then: all(then), otherwise: all(otherwise) },
            }
        }
        Statement::Case { value, arms } => {
            let arms = arms.iter().map(|(label, body)| (label.clone(), all(body))).collect();
            Statement::Case { value: e(value), arms }
        }
        Statement::For { index, .. } if index == name => statement.clone(),
        Statement::For { index, from, to, body } => {
            Statement::For { index: index.clone(), from: *from, to: *to, body: all(body) }
        }
        Statement::Element { target, body } => {
            Statement::Element { target: select(target, name, number), body: all(body) }
        }
    }]
}

fn select(s: &Select, name: &str, number: i64) -> Select {
    let indices = s.indices.iter().map(|i| index(i, name, number)).collect();
    Select { variable: s.variable, indices, lsb: index(&s.lsb, name, number) }
}

fn index(i: &Index, name: &str, number: i64) -> Index {
    match i {
        Index::Loop(own) if own == name => Index::Number(number),
        Index::Op(a, op, b) => Index::op(index(a, name, number), *op, index(b, name, number)),
        Index::Signal(e) => Index::Signal(Box::new(expression(e, name, number))),
        other => other.clone(),
    }
}

fn expression(whole: &Expression, name: &str, number: i64) -> Expression {
    let e = |e: &Expression| expression(e, name, number);
    let i = |i: &Index| index(i, name, number);
    let kind = match &*whole.kind {
        Kind::Constant(_) | Kind::Named(..) => return whole.clone(),
        Kind::IndexValue(value) => match i(value) {
            Index::Number(n) if n >= 0 => Kind::Constant((n as u64).into()),
            other => Kind::IndexValue(other),
        },
        Kind::Select(s) => Kind::Select(select(s, name, number)),
        Kind::Not(a) => Kind::Not(e(a)),
        Kind::Reduce(op, a) => Kind::Reduce(*op, e(a)),
        Kind::Binary(a, op, b) => {
            let (a, b) = (e(a), e(b));
            if whole.width == 1 {
                let neutral = Some(*op == Binary::And);
                if matches!(op, Binary::And | Binary::Or) && a.decided(&vec![]) == neutral {
                    return b;
                }
                if matches!(op, Binary::And | Binary::Or) && b.decided(&vec![]) == neutral {
                    return a;
                }
            }
            Kind::Binary(a, *op, b)
        }
        Kind::Compare(a, op, b) => Kind::Compare(e(a), *op, e(b)),
        Kind::CompareIndex(a, op, b) => match (i(a), i(b)) {
            (Index::Number(a), Index::Number(b)) => Kind::Constant(u8::from(op.holds(a, b)).into()),
            (a, b) => Kind::CompareIndex(a, *op, b),
        },
        Kind::Shift(a, direction, amount) => {
            let amount = match amount {
                Amount::Index(by) => Amount::Index(i(by)),
                Amount::Signal(by) => Amount::Signal(e(by)),
            };
            if amount == Amount::Index(Index::Number(0)) {
                return e(a);
            }
            Kind::Shift(e(a), *direction, amount)
        }
        Kind::Extend(a) => Kind::Extend(e(a)),
        Kind::BitOf(a, at) => Kind::BitOf(e(a), i(at)),
        Kind::Replace { word, lsb, value } => Kind::Replace { word: e(word), lsb: i(lsb), value: e(value) },
        Kind::Concat(parts) => Kind::Concat(parts.iter().map(e).collect()),
        Kind::Repeat(count, a) => Kind::Repeat(*count, e(a)),
    };
    Expression::new(whole.width, kind)
}

// ---- what a vector is a copy of

/// Bits that come from one place.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Slice { variable: VariableId, lsb: usize, width: usize },
    Constant(BigUint, usize),
}

#[derive(Clone, Copy, PartialEq)]
enum Bit {
    Of(VariableId, usize),
    Constant(bool),
}

/// Where each bit of a variable comes from, if its process only copies.
pub struct Origin(Vec<Bit>);

/// The origin of `variable`, which `statements` alone drive; `None` where they compute.
pub fn origin(scope: &Scope, variable: VariableId, statements: &[Statement]) -> Option<Origin> {
    let bits = scope.variables[variable].bits();
    if bits > MOST_ROUNDS {
        return None;
    }
    let mut trace = Trace { scope, variable, bits: vec![None; bits], loops: vec![], rounds: 0 };
    trace.run(statements)?;
    trace.bits.into_iter().collect::<Option<Vec<_>>>().map(Origin)
}

impl Origin {
    /// `width` bits from `lsb` up, the lowest piece first.
    pub fn pieces(&self, lsb: usize, width: usize) -> Vec<Piece> {
        let mut out: Vec<Piece> = vec![];
        for bit in &self.0[lsb..lsb + width] {
            match (out.last_mut(), *bit) {
                (Some(Piece::Slice { variable, lsb, width }), Bit::Of(v, at))
                    if *variable == v && *lsb + *width == at =>
                {
                    *width += 1;
                }
                (Some(Piece::Constant(value, width)), Bit::Constant(one)) => {
                    *value |= BigUint::from(u8::from(one)) << *width;
                    *width += 1;
                }
                (_, Bit::Of(variable, lsb)) => out.push(Piece::Slice { variable, lsb, width: 1 }),
                (_, Bit::Constant(one)) => out.push(Piece::Constant(u8::from(one).into(), 1)),
            }
        }
        out
    }

    /// The variable that this is a copy of, all of it.
    pub fn copy_of(&self, scope: &Scope) -> Option<VariableId> {
        match self.pieces(0, self.0.len())[..] {
            [Piece::Slice { variable, lsb: 0, width }] if width == scope.variables[variable].bits() => Some(variable),
            _ => None,
        }
    }

    /// As one expression, if a short one says it.
    fn expression(&self) -> Option<Expression> {
        let pieces = self.pieces(0, self.0.len());
        let of = |piece: &Piece| match piece {
            Piece::Slice { variable, lsb, width } => {
                let lsb = Index::Number(*lsb as i64);
                Expression::new(*width, Kind::Select(Select { variable: *variable, indices: vec![], lsb }))
            }
            Piece::Constant(value, width) => Expression::constant(*width, value.clone()),
        };
        match &pieces[..] {
            [one] => Some(of(one)),
            [first, rest @ ..] if rest.iter().all(|piece| piece == first) => {
                Some(Expression::new(self.0.len(), Kind::Repeat(pieces.len(), of(first))))
            }
            _ if pieces.len() <= MOST_PIECES => {
                Some(Expression::new(self.0.len(), Kind::Concat(pieces.iter().rev().map(of).collect())))
            }
            _ => None,
        }
    }
}

struct Trace<'a> {
    scope: &'a Scope,
    variable: VariableId,
    bits: Vec<Option<Bit>>,
    loops: Loops,
    rounds: usize,
}

impl Trace<'_> {
    fn run(&mut self, statements: &[Statement]) -> Option<()> {
        for statement in statements {
            match statement {
                Statement::Note(_) => {}
                Statement::Set { target, value, .. } => {
                    self.rounds += value.width;
                    let lsb = first_bit(self.scope, target, &self.loops)?;
                    let bits = self.bits_of(value)?;
                    if target.variable != self.variable || self.rounds > 4 * MOST_ROUNDS {
                        return None;
                    }
                    for (i, bit) in bits.into_iter().enumerate() {
                        *self.bits.get_mut(lsb + i)? = Some(bit);
                    }
                }
                Statement::If { condition, then, otherwise } => {
                    let holds = condition.decided(&self.loops)?;
                    self.run(if holds { then } else { otherwise })?;
                }
                Statement::For { index, from, to, body } => {
                    for i in *from..*to {
                        self.loops.push((index.clone(), i));
                        let done = self.run(body);
                        self.loops.pop();
                        done?;
                    }
                }
                Statement::Case { .. } => return None,
                Statement::Element { body, .. } => self.run(body)?,
            }
        }
        Some(())
    }

    fn bits_of(&self, value: &Expression) -> Option<Vec<Bit>> {
        Some(match &*value.kind {
            Kind::Constant(constant) => (0..value.width).map(|i| Bit::Constant(constant.bit(i as u64))).collect(),
            Kind::Select(select) if select.variable != self.variable => {
                let lsb = first_bit(self.scope, select, &self.loops)?;
                (lsb..lsb + value.width).map(|bit| Bit::Of(select.variable, bit)).collect()
            }
            Kind::Extend(a) => {
                let mut bits = self.bits_of(a)?;
                bits.resize(value.width, Bit::Constant(false));
                bits
            }
            Kind::Concat(parts) => {
                let mut bits = vec![];
                for part in parts.iter().rev() {
                    bits.extend(self.bits_of(part)?);
                }
                bits
            }
            Kind::Repeat(count, part) => self.bits_of(part)?.repeat(*count),
            _ => return None,
        })
    }
}

/// The lowest bit that a selection means, within its variable; `None` where a signal decides.
fn first_bit(scope: &Scope, select: &Select, loops: &Loops) -> Option<usize> {
    let variable = &scope.variables[select.variable];
    let mut flat = 0;
    for (index, dim) in select.indices.iter().zip(&variable.dims) {
        flat = flat * *dim as i64 + index.value(loops)?;
    }
    usize::try_from(flat * variable.width as i64 + select.lsb.value(loops)?).ok()
}

// ---- processes

/// Shortens the statements of a process that drives `drives`.
pub fn process(scope: &Scope, drives: &[VariableId], statements: Vec<Statement>) -> Vec<Statement> {
    if let [variable] = drives {
        if let Some(value) = origin(scope, *variable, &statements).and_then(|origin| origin.expression()) {
            let target = Select { variable: *variable, indices: vec![], lsb: Index::Number(0) };
            let notes = statements.into_iter().filter(|s| matches!(s, Statement::Note(_)));
            return notes.chain([Statement::Set { target, partial: false, value }]).collect();
        }
    }
    let statements = shorten(scope, statements);
    let statements = match drives {
        [_] => without_overridden(scope, statements),
        _ => statements,
    };
    elements(scope, statements)
}

fn shorten(scope: &Scope, statements: Vec<Statement>) -> Vec<Statement> {
    let mut out = vec![];
    for statement in statements {
        out.push(match statement {
            Statement::For { .. } => match hoist(statement) {
                Statement::For { index, from, to, body } => {
                    let kept = Statement::For { index, from, to, body: shorten(scope, body) };
                    vector(scope, &kept).unwrap_or(kept)
                }
                Statement::If { condition, then, otherwise } => {
                    Statement::If { condition, then: shorten(scope, then), otherwise }
                }
                other => other,
            },
            Statement::If { condition, then, otherwise } => {
                let (then, otherwise) = (shorten(scope, then), shorten(scope, otherwise));
                Statement::If { condition, then, otherwise }
            }
            Statement::Case { value, arms } => {
                let arms = arms.into_iter().map(|(label, body)| (label, shorten(scope, body))).collect();
                Statement::Case { value, arms }
            }
            other => other,
        });
    }
    concatenations(scope, out)
}

/// `for i { if (c) .. }` is `if (c) { for i .. }` where neither the index nor the body changes `c`.
fn hoist(statement: Statement) -> Statement {
    let Statement::For { index, from, to, body } = statement else { return statement };
    if let [Statement::If { condition, then, otherwise }] = &body[..] {
        let mut fixed = otherwise.is_empty() && !uses_loop(condition, &index);
        for inner in then {
            inner.for_each_write(&mut |variable| fixed &= !reads(condition, variable));
        }
        if fixed {
            let inner = hoist(Statement::For { index, from, to, body: then.clone() });
            return Statement::If { condition: condition.clone(), then: vec![inner], otherwise: vec![] };
        }
    }
    Statement::For { index, from, to, body }
}

fn reads(e: &Expression, variable: VariableId) -> bool {
    let mut found = false;
    e.for_each_select(&mut |select, _| found |= select.variable == variable);
    found
}

fn uses_loop(e: &Expression, name: &str) -> bool {
    expression(e, name, 0) != *e || expression(e, name, 1) != *e
}

/// Shortens the statements of the clocked block. A register that they do not assign keeps its value.
pub fn updates(scope: &Scope, statements: Vec<Statement>) -> Vec<Statement> {
    let mut holds = Holds { scope, loops: vec![], assigned: vec![false; scope.variables.len()] };
    let mut statements = holds.without(statements);
    for register in &scope.registers {
        copied_at_once(scope, register.next, &mut statements);
    }
    let mut statements = shorten(scope, statements);
    for register in &scope.registers {
        without_earlier(scope, register.next, &mut statements);
    }
    joined(statements)
}

/// Drops what lets a register keep its value before anything else is assigned to it.
struct Holds<'a> {
    scope: &'a Scope,
    /// Indices of the loops around a statement.
    loops: Vec<String>,
    /// Variables assigned so far.
    assigned: Vec<bool>,
}

impl Holds<'_> {
    fn without(&mut self, statements: Vec<Statement>) -> Vec<Statement> {
        let mut out = vec![];
        for statement in statements {
            match statement {
                Statement::For { index, from, to, body } => {
                    self.loops.push(index.clone());
                    let body = self.without(body);
                    self.loops.pop();
                    if !body.is_empty() {
                        out.push(Statement::For { index, from, to, body });
                    }
                }
                statement if self.holds(&statement) => {}
                statement => {
                    statement.for_each_write(&mut |variable| self.assigned[variable] = true);
                    out.push(statement);
                }
            }
        }
        out
    }

    /// Whether the statement gives a register the value that it has, and each round of the loops another element.
    fn holds(&self, statement: &Statement) -> bool {
        let Statement::Set { target, value, .. } = statement else { return false };
        let Kind::Select(now) = &*value.kind else { return false };
        let register = self.scope.registers.iter().find(|register| register.next == target.variable);
        let same = now.indices == target.indices && now.lsb == target.lsb;
        let each = self.loops.iter().all(|index| target.indices.contains(&Index::Loop(index.clone())));
        register.is_some_and(|r| r.now == now.variable && same && each && !self.assigned[r.next])
    }
}

/// A register all of whose bits are copied is set by one assignment, in place of the last.
fn copied_at_once(scope: &Scope, register: VariableId, statements: &mut Vec<Statement>) {
    let own = projected(statements, &|v| v == register);
    let Some(value) = origin(scope, register, &own).and_then(|origin| origin.expression()) else { return };
    let target = Select { variable: register, indices: vec![], lsb: Index::Number(0) };
    let writes = |s: &Statement| s.project(&|v| v == register).is_some();
    let last = statements.iter().rposition(writes).expect("something assigns all of it");
    let others = |statements: &[Statement]| projected(statements, &|v| v != register);
    let mut out = others(&statements[..=last]);
    out.push(Statement::Set { target, partial: false, value });
    out.extend(others(&statements[last + 1..]));
    *statements = out;
}

/// Drops what is assigned to a register before an assignment to all of it.
fn without_earlier(scope: &Scope, register: VariableId, statements: &mut Vec<Statement>) {
    let whole = |s: &Statement| s.writes_only(register) && overrides(scope, s);
    let Some(last) = statements.iter().rposition(whole) else { return };
    let rest = statements.split_off(last);
    *statements = projected(statements, &|v| v != register);
    statements.extend(rest);
}

/// Neighbouring `if`s with one condition are one; so are loops over one range that assign different registers.
pub fn joined(statements: Vec<Statement>) -> Vec<Statement> {
    let mut out: Vec<Statement> = vec![];
    for statement in statements {
        let apart = out.last().is_some_and(|last| !share_a_target(last, &statement));
        match (out.last_mut(), statement) {
            (
                Some(Statement::If { condition, then, otherwise }),
                Statement::If { condition: same, then: more, otherwise: others },
            ) if *condition == same => {
                then.extend(more);
                otherwise.extend(others);
            }
            (
                Some(Statement::For { index, from, to, body }),
                Statement::For { index: same, from: first, to: end, body: more },
            ) if apart && (&*index, *from, *to) == (&same, first, end) => body.extend(more),
            (_, statement) => out.push(statement),
        }
    }
    let inside = |statement| match statement {
        Statement::If { condition, then, otherwise } => {
            Statement::If { condition, then: joined(then), otherwise: joined(otherwise) }
        }
        Statement::For { index, from, to, body } => Statement::For { index, from, to, body: joined(body) },
        other => other,
    };
    out.into_iter().map(inside).collect()
}

fn share_a_target(a: &Statement, b: &Statement) -> bool {
    let (mut targets, mut shared) = (vec![], false);
    a.for_each_write(&mut |variable| targets.push(variable));
    b.for_each_write(&mut |variable| shared |= targets.contains(&variable));
    shared
}

/// Drops what comes before an assignment to all of the only variable.
fn without_overridden(scope: &Scope, statements: Vec<Statement>) -> Vec<Statement> {
    let last = statements.iter().rposition(|s| overrides(scope, s));
    let keep = |(i, s): (usize, Statement)| (Some(i) >= last || matches!(s, Statement::Note(_))).then_some(s);
    statements.into_iter().enumerate().filter_map(keep).collect()
}

/// Whether the statement gives all of a variable a value that does not depend on its old one.
fn overrides(scope: &Scope, statement: &Statement) -> bool {
    let Some((rounds, body)) = nest(statement) else { return false };
    let Some(Statement::Set { target, value, .. }) = body.first() else { return false };
    let width = value.width;
    if reads(value, target.variable) || !body[1..].iter().all(|s| works_on(s, target)) {
        return false;
    }
    let places = rounds.iter().map(|loops| first_bit(scope, target, loops)).collect::<Option<Vec<_>>>();
    let Some(mut places) = places else { return false };
    places.sort_unstable();
    let whole = places.len() * width == scope.variables[target.variable].bits();
    let element = body.len() == 1 || width == scope.variables[target.variable].width;
    whole && element && places.iter().enumerate().all(|(i, place)| *place == i * width)
}

// ---- loops over whole vectors

/// The loop indices of every round of a loop nest, and what it does in each.
fn nest(statement: &Statement) -> Option<(Vec<Loops>, &[Statement])> {
    let mut rounds: Vec<Loops> = vec![vec![]];
    let mut body = std::slice::from_ref(statement);
    while let [Statement::For { index, from, to, body: inner }] = body {
        if rounds.len() * (to - from) as usize > MOST_ROUNDS {
            return None;
        }
        let with = |loops: &Loops, i: i64| loops.iter().cloned().chain([(index.clone(), i)]).collect::<Loops>();
        rounds = rounds.iter().flat_map(|loops| (*from..*to).map(|i| with(loops, i)).collect::<Vec<_>>()).collect();
        body = inner;
    }
    Some((rounds, body))
}

/// A loop nest that sets neighbouring bits by the same bitwise operation, as one assignment.
fn vector(scope: &Scope, statement: &Statement) -> Option<Statement> {
    let (rounds, [Statement::Set { target, value, .. }]) = nest(statement)? else { return None };
    let mut places = vec![];
    for loops in rounds {
        places.push((first_bit(scope, target, &loops)?, loops));
    }
    places.sort_by_key(|place| place.0);
    let width = value.width;
    if places.windows(2).any(|pair| pair[0].0 + width != pair[1].0) {
        return None;
    }
    let mut lift = Lift { scope, target: target.variable, places: &places, vectors: 0 };
    let value = lift.expression(value)?;
    if lift.vectors == 0 && !matches!(*value.kind, Kind::Constant(_)) {
        return None;
    }
    let partial = value.width != scope.variables[target.variable].bits();
    let lsb = Index::Number(places[0].0 as i64);
    Some(Statement::Set { target: Select { variable: target.variable, indices: vec![], lsb }, partial, value })
}

struct Lift<'a> {
    scope: &'a Scope,
    target: VariableId,
    /// First bit of the target and loop indices of each round, ascending.
    places: &'a [(usize, Loops)],
    /// Vectors found.
    vectors: usize,
}

impl Lift<'_> {
    fn expression(&mut self, e: &Expression) -> Option<Expression> {
        let width = e.width * self.places.len();
        let kind = match &*e.kind {
            Kind::Constant(value) => {
                let all = (0..self.places.len()).fold(BigUint::default(), |all, i| all | (value << (i * e.width)));
                Kind::Constant(all)
            }
            Kind::Not(a) => Kind::Not(self.expression(a)?),
            Kind::Binary(a, op @ (Binary::And | Binary::Or | Binary::Xor), b) => {
                Kind::Binary(self.expression(a)?, *op, self.expression(b)?)
            }
            Kind::Select(select) => {
                let mut bits = vec![];
                for (_, loops) in self.places {
                    bits.push(first_bit(self.scope, select, loops)?);
                }
                let own = select.variable == self.target;
                if own && bits.iter().zip(self.places).any(|(bit, place)| *bit != place.0) {
                    return None;
                }
                let part = Select { variable: select.variable, indices: vec![], lsb: Index::Number(bits[0] as i64) };
                if bits.windows(2).all(|pair| pair[0] + e.width == pair[1]) {
                    self.vectors += 1;
                    Kind::Select(part)
                } else if bits.iter().all(|bit| *bit == bits[0]) {
                    Kind::Repeat(self.places.len(), Expression::new(e.width, Kind::Select(part)))
                } else {
                    return None;
                }
            }
            _ => return None,
        };
        Some(Expression::new(width, kind))
    }
}

// ---- concatenations

/// A word that is filled field by field is a concatenation.
fn concatenations(scope: &Scope, statements: Vec<Statement>) -> Vec<Statement> {
    let mut out = vec![];
    let mut at = 0;
    while at < statements.len() {
        match concatenation(scope, &statements[at..]) {
            Some((statement, count)) => {
                out.push(statement);
                at += count;
            }
            None => {
                out.push(statements[at].clone());
                at += 1;
            }
        }
    }
    out
}

/// The concatenation that the first statements are, and their number.
fn concatenation(scope: &Scope, statements: &[Statement]) -> Option<(Statement, usize)> {
    let Statement::Set { target: word, partial: false, value: default } = &statements[0] else { return None };
    let width = default.width;
    let Kind::Constant(default) = &*default.kind else { return None };
    let variable = &scope.variables[word.variable];
    if word.lsb != Index::Number(0) || (width != variable.width && width != variable.bits()) {
        return None;
    }
    let mut fields: Vec<(usize, &Expression)> = vec![];
    for statement in &statements[1..] {
        let Statement::Set { target, partial: true, value } = statement else { break };
        let Index::Number(lsb) = target.lsb else { break };
        let same = target.variable == word.variable && target.indices == word.indices;
        if !same || reads(value, word.variable) || !stands_in_concatenation(value) {
            break;
        }
        fields.push((lsb as usize, value));
    }
    let count = fields.len() + 1;
    fields.sort_by_key(|field| field.0);
    let mut parts = vec![];
    let mut at = 0;
    let gap = |from: usize, to: usize| {
        let mask = (BigUint::from(1u8) << (to - from)) - 1u8;
        Expression::constant(to - from, (default >> from) & mask)
    };
    for (lsb, value) in &fields {
        if *lsb < at {
            return None;
        }
        if *lsb > at {
            parts.push(gap(at, *lsb));
        }
        parts.push((*value).clone());
        at = lsb + value.width;
    }
    if at < width {
        parts.push(gap(at, width));
    }
    if fields.is_empty() || parts.len() > MOST_PIECES {
        return None;
    }
    parts.reverse();
    let value = if parts.len() == 1 { parts.remove(0) } else { Expression::new(width, Kind::Concat(parts)) };
    Some((Statement::Set { target: word.clone(), partial: false, value }, count))
}

/// Whether every part of the text has a width of its own.
fn stands_in_concatenation(e: &Expression) -> bool {
    match &*e.kind {
        Kind::IndexValue(index) => e.width < 32 && matches!(index, Index::Loop(_)),
        Kind::Not(a) | Kind::Reduce(_, a) | Kind::Extend(a) | Kind::Repeat(_, a) => stands_in_concatenation(a),
        Kind::Binary(a, _, b) => stands_in_concatenation(a) && stands_in_concatenation(b),
        _ => true,
    }
}

// ---- elements that are computed step by step

/// A loop that computes one element of a vector in several steps does so in a variable of the element's size: simulators
/// then shift the element into the wide vector once and not in every step.
fn elements(scope: &Scope, statements: Vec<Statement>) -> Vec<Statement> {
    let inside = |body: Vec<Statement>| elements(scope, body);
    let each = |statement| match statement {
        Statement::For { index, from, to, body } => match stepwise(scope, &body) {
            Some(target) => Statement::For { index, from, to, body: vec![Statement::Element { target, body }] },
            None => Statement::For { index, from, to, body: inside(body) },
        },
        Statement::If { condition, then, otherwise } => {
            Statement::If { condition, then: inside(then), otherwise: inside(otherwise) }
        }
        other => other,
    };
    statements.into_iter().map(each).collect()
}

/// The element, if all of the statements work on one, the first gives it a value, and a later one loops.
fn stepwise(scope: &Scope, body: &[Statement]) -> Option<Select> {
    let [Statement::Set { target, partial: false, value }, rest @ ..] = body else { return None };
    let variable = &scope.variables[target.variable];
    let element =
        variable.elements() > 1 && target.indices.len() == variable.dims.len() && value.width == variable.width;
    if !element || reads(value, target.variable) || !rest.iter().any(|s| matches!(s, Statement::For { .. })) {
        return None;
    }
    rest.iter().all(|s| works_on(s, target)).then(|| target.clone())
}

/// Whether the statement writes only this element, and reads no other of the vector.
fn works_on(statement: &Statement, element: &Select) -> bool {
    let all = |body: &[Statement]| body.iter().all(|s| works_on(s, element));
    let own = |e: &Expression| {
        let mut own = true;
        e.for_each_select(&mut |s, _| own &= s.variable != element.variable || s.indices == element.indices);
        own
    };
    match statement {
        Statement::Note(_) => true,
        Statement::Set { target, value, .. } => {
            target.variable == element.variable && target.indices == element.indices && own(value)
        }
        Statement::If { condition, then, otherwise } => own(condition) && all(then) && all(otherwise),
        Statement::For { index, body, .. } => {
            let place = Expression::new(1, Kind::Select(element.clone()));
            !uses_loop(&place, index) && all(body)
        }
        Statement::Case { .. } | Statement::Element { .. } => false,
    }
}
