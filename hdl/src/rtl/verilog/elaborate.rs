//! From rust-hdl's syntax tree to statements with resolved names and exact widths.

use super::collect::{Constant, Node};
use super::error::ElaborationError;
use super::ir::*;
use super::scope::{Entry, Role, Scope};
use super::simplify;
use crate::rtl::bundle::EACH;
use num_bigint::BigUint;
use rust_hdl::core::ast::*;
use std::collections::{BTreeMap, BTreeSet};

/// The kernel of a block, elaborated.
pub struct Elaborated {
    pub statements: Vec<Statement>,
    /// The clock of each register, and whether reset is wired to it, by the register's name.
    pub clocks: BTreeMap<String, String>,
    pub resets: BTreeSet<String>,
    /// Named constants that are used.
    pub constants: BTreeMap<String, (BigUint, usize)>,
}

pub fn elaborate(node: &Node, block: &str, scope: &Scope, errors: &mut Vec<ElaborationError>) -> Elaborated {
    let mut elaborator = Elaborator {
        scope,
        block,
        errors: vec![],
        target: String::new(),
        loops: vec![],
        unroll: false,
        result: Elaborated {
            statements: vec![],
            clocks: BTreeMap::new(),
            resets: BTreeSet::new(),
            constants: BTreeMap::new(),
        },
    };
    match &node.kernel {
        Verilog::Combinatorial(kernel) => {
            elaborator.result.statements = simplify::fold_single_rounds(elaborator.block(kernel));
        }
        Verilog::Empty if node.about.memory_depth.is_some() => {}
        Verilog::Empty => elaborator.error("the block has no kernel (`#[hdl_gen]` is missing)".into()),
        _ => elaborator.error("hand-written Verilog is not supported: build a syntax tree".into()),
    }
    errors.append(&mut elaborator.errors);
    elaborator.result
}

/// A loop index in sight: a range, or one number while its loop is unrolled.
struct LoopIndex {
    name: String,
    from: i64,
    to: i64,
    unrolled: bool,
}

struct Elaborator<'a> {
    scope: &'a Scope,
    block: &'a str,
    errors: Vec<ElaborationError>,
    /// The signal being assigned, for messages.
    target: String,
    loops: Vec<LoopIndex>,
    /// Set when the innermost loops cannot stay loops.
    unroll: bool,
    result: Elaborated,
}

/// What a name in an expression stands for.
enum Meaning {
    Index(Index),
    Named(String, BigUint, usize),
    Field,
    Signal(Select, usize),
}

/// Elaboration of this part went wrong; the error has been recorded.
struct Failed;
type Outcome<T> = Result<T, Failed>;

impl Elaborator<'_> {
    fn error(&mut self, message: String) {
        let error = ElaborationError { block: self.block.into(), signal: self.target.clone(), message };
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    fn fail<T>(&mut self, message: impl Into<String>) -> Outcome<T> {
        self.error(message.into());
        Err(Failed)
    }

    fn ranges(&self) -> LoopRanges {
        self.loops.iter().map(|l| (l.name.clone(), l.from, l.to)).collect()
    }

    // ---- statements

    fn block(&mut self, block: &VerilogBlock) -> Vec<Statement> {
        let mut out = vec![];
        for statement in block {
            let _ = self.statement(statement, &mut out);
        }
        out
    }

    fn statement(&mut self, statement: &VerilogStatement, out: &mut Vec<Statement>) -> Outcome<()> {
        match statement {
            VerilogStatement::Assignment(target, value) => self.assignment(&signal_name(target), value, out)?,
            VerilogStatement::SliceAssignment { .. } => {
                self.fail("fields of struct signals are not supported: use replace_bit")?
            }
            VerilogStatement::If(conditional) => {
                let statement = self.conditional(conditional)?;
                match statement {
                    Statement::If { condition, then, otherwise } => match condition.decided(&vec![]) {
                        Some(true) => out.extend(then),
                        Some(false) => out.extend(otherwise),
                        None => out.push(Statement::If { condition, then, otherwise }),
                    },
                    other => out.push(other),
                }
            }
            VerilogStatement::Match(case) => {
                let statement = self.case(case)?;
                out.push(statement);
            }
            VerilogStatement::Loop(l) => self.for_loop(l, out),
            VerilogStatement::Comment(text) => out.push(Statement::Note(text.trim_matches('"').into())),
            VerilogStatement::Macro(block) => {
                for statement in block {
                    let _ = self.statement(statement, out);
                }
                self.note_reset_of_setup(block);
            }
            VerilogStatement::Link(links) => {
                for link in links {
                    let (details, forward) = match link {
                        VerilogLink::Forward(details) => (details, true),
                        VerilogLink::Backward(details) => (details, false),
                        VerilogLink::Bidirectional(_) => return self.fail("inout signals are not supported"),
                    };
                    let field = details.my_name.replace('.', "$");
                    let (owner, other) =
                        (format!("{}{field}", details.owner_name), format!("{}{field}", details.other_name));
                    let (target, source) = if forward { (other, owner) } else { (owner, other) };
                    self.connection(&target, &source, out)?;
                }
            }
        }
        Ok(())
    }

    /// A wire of a bundle, or each one of an array that both ends have.
    fn connection(&mut self, target: &str, source: &str, out: &mut Vec<Statement>) -> Outcome<()> {
        const INDEX: &str = "each";
        let assignment = |target: String, source: String| {
            VerilogStatement::Assignment(VerilogExpression::Signal(target), VerilogExpression::Signal(source))
        };
        if !target.ends_with(EACH) {
            return self.statement(&assignment(target.into(), source.into()), out);
        }
        match (self.array_length(target), self.array_length(source)) {
            (0, _) | (_, 0) => {}
            (to, from) if to != from => return self.fail(format!("its other end has {from} elements, it has {to}")),
            (length, _) => {
                let element = |name: &str| name.replace(EACH, &format!("[{INDEX}]"));
                let block = vec![assignment(element(target), element(source))];
                self.for_loop(&VerilogLoop { index: INDEX.into(), from: 0usize.into(), to: length.into(), block }, out);
            }
        }
        Ok(())
    }

    /// Elements of an array in a bundle; none if it is not there.
    fn array_length(&self, name: &str) -> usize {
        match self.scope.entries.get(&without_indices(name)) {
            Some(Entry::Whole(id)) => self.scope.variables[*id].dims.last().copied().unwrap_or(0),
            Some(Entry::Split(all, _)) => all.keys().filter_map(|indices| indices.last()).max().map_or(0, |i| i + 1),
            None => 0,
        }
    }

    /// `dff_setup!` gives each of its registers a default and the reset.
    fn note_reset_of_setup(&mut self, block: &VerilogBlock) {
        for statement in block {
            let VerilogStatement::Assignment(target, _) = statement else { continue };
            if let Some(register) = signal_name(target).strip_suffix("$d$next") {
                self.result.resets.insert(register.into());
            }
        }
    }

    fn assignment(&mut self, name: &str, value: &VerilogExpression, out: &mut Vec<Statement>) -> Outcome<()> {
        let name = name.trim_end_matches("$next");
        self.target = name.replace('$', ".");
        if self.register_wiring(name, value)? {
            return Ok(());
        }
        let (target, width) = match self.resolve(name)? {
            Meaning::Signal(target, width) => (target, width),
            _ => return self.fail("a constant is assigned"),
        };
        let variable = &self.scope.variables[target.variable];
        match variable.role {
            Role::Input => return self.fail("an input is assigned"),
            Role::ChildOutput => return self.fail("an output of a sub-block is assigned"),
            Role::RegisterNow => return self.fail("`q` of a register is assigned: assign `d`"),
            _ => {}
        }
        if target.indices.iter().any(Index::is_dynamic) {
            return self.fail("the assigned element is chosen by a signal: loop over the elements and compare");
        }
        if let Some((lsb, part)) = self.own_bits(name, value)? {
            let width = self.part_width(part, lsb.1)?;
            let value = self.build(part, width)?;
            let target = Select { lsb: lsb.0, ..target };
            out.push(Statement::Set { target, partial: true, value });
            return Ok(());
        }
        let value = self.build(value, width)?;
        out.push(Statement::Set { target, partial: false, value });
        Ok(())
    }

    /// `x.next = x.val().replace_bit(lsb, part)` assigns a part of `x`: the position, its width if it is a field, and
    /// the part.
    #[allow(clippy::type_complexity)]
    fn own_bits<'v>(
        &mut self,
        name: &str,
        value: &'v VerilogExpression,
    ) -> Outcome<Option<((Index, Option<usize>), &'v VerilogExpression)>> {
        if let VerilogExpression::IndexReplace(word, position, part) = value {
            if matches!(&**word, VerilogExpression::Signal(word) if word == name) {
                let position = self.position(position)?;
                return Ok(Some((position, part)));
            }
        }
        Ok(None)
    }

    /// Clock and reset of registers are not logic: they are noted.
    fn register_wiring(&mut self, name: &str, value: &VerilogExpression) -> Outcome<bool> {
        let Some((register, port)) = name.rsplit_once('$') else { return Ok(false) };
        let key = without_indices(register);
        if !["clock", "reset"].contains(&port) || !self.scope.registers.iter().any(|r| r.key == key) {
            return Ok(false);
        }
        let VerilogExpression::Signal(source) = value else {
            return self.fail("clock and reset of a register come straight from a port");
        };
        if port == "clock" {
            self.result.clocks.insert(key, source.clone());
        } else if source == "reset" {
            self.result.resets.insert(key);
        } else {
            return self.fail("the reset of a register is the block's `reset`");
        }
        Ok(true)
    }

    fn conditional(&mut self, conditional: &VerilogConditional) -> Outcome<Statement> {
        self.target = "condition".into();
        let condition = self.build(&conditional.test, 1);
        let then = self.block(&conditional.then);
        let otherwise = match &conditional.otherwise {
            VerilogBlockOrConditional::Block(block) => self.block(block),
            VerilogBlockOrConditional::Conditional(next) => {
                let mut out = vec![];
                self.statement(next, &mut out)?;
                out
            }
            VerilogBlockOrConditional::None => vec![],
        };
        Ok(Statement::If { condition: condition?, then, otherwise })
    }

    fn case(&mut self, case: &VerilogMatch) -> Outcome<Statement> {
        self.target = "match".into();
        let Some(width) = self.width(&case.test)? else { return self.fail("`match` needs a signal") };
        let value = self.build(&case.test, width)?;
        let mut arms = vec![];
        for arm in &case.cases {
            let text = arm.condition.as_str();
            let label = if text == "default" {
                None
            } else if let Ok(value) = text.replace("usize", "").replace('_', "").parse::<u64>() {
                Some(Label { value, name: None })
            } else if let Some(Constant::Number(value)) = self.scope.constants.get(text) {
                Some(Label { value: *value as u64, name: Some(text.into()) })
            } else {
                return self
                    .fail(format!("`{text}` is unknown: declare it with about(..).constant(\"{text}\", {text})"));
            };
            if let Some(label) = &label {
                if width < 64 && label.value >> width != 0 {
                    self.error(format!("label {} does not fit {width} bits", label.value));
                }
            }
            let block = self.block(&arm.block);
            arms.push((label, block));
        }
        Ok(Statement::Case { value, arms })
    }

    /// Keeps the loop; where something in it depends on the index in a way that Verilog cannot say, unrolls it.
    fn for_loop(&mut self, l: &VerilogLoop, out: &mut Vec<Statement>) {
        let (from, to) = (l.from.as_usize() as i64, l.to.as_usize() as i64);
        if from >= to {
            return;
        }
        let outer = std::mem::replace(&mut self.unroll, false);
        let errors_before = self.errors.len();
        self.loops.push(LoopIndex { name: l.index.clone(), from, to, unrolled: false });
        let body = self.block(&l.block);
        self.loops.pop();
        if !self.unroll {
            self.unroll = outer;
            out.push(Statement::For { index: l.index.clone(), from, to, body });
            return;
        }
        self.errors.truncate(errors_before);
        self.unroll = false;
        for i in from..to {
            self.loops.push(LoopIndex { name: l.index.clone(), from: i, to: i + 1, unrolled: true });
            let body = self.block(&l.block);
            out.extend(body);
            self.loops.pop();
        }
        self.unroll |= outer;
    }

    // ---- names

    fn resolve(&mut self, name: &str) -> Outcome<Meaning> {
        let mut parser = NameParser { elaborator: self, text: name.as_bytes(), at: 0 };
        let meaning = parser.path()?;
        if parser.at != name.len() {
            return self.fail(format!("`{}` is not understood", readable(name)));
        }
        Ok(meaning)
    }

    fn meaning_of(&mut self, key: &str, indices: Vec<Index>) -> Outcome<Meaning> {
        if indices.is_empty() {
            if let Some(index) = self.loops.iter().rev().find(|l| l.name == key) {
                let fixed = index.unrolled.then_some(Index::Number(index.from));
                return Ok(Meaning::Index(fixed.unwrap_or_else(|| Index::Loop(key.into()))));
            }
            match self.scope.constants.get(key) {
                Some(Constant::Number(n)) => return Ok(Meaning::Index(Index::Number(*n))),
                Some(Constant::Vector(value, width)) => {
                    let (value, width) = (value.clone(), *width);
                    self.result.constants.insert(key.into(), (value.clone(), width));
                    return Ok(Meaning::Named(key.into(), value, width));
                }
                Some(Constant::Field { .. }) => return Ok(Meaning::Field),
                None => {}
            }
        }
        match self.scope.entries.get(key) {
            Some(Entry::Whole(id)) => {
                let variable = &self.scope.variables[*id];
                if !indices.is_empty() && indices.len() != variable.dims.len() {
                    return self.fail(format!("`{}` has {} indices", readable(key), variable.dims.len()));
                }
                let width = if indices.is_empty() { variable.bits() } else { variable.width };
                Ok(Meaning::Signal(Select { variable: *id, indices, lsb: Index::Number(0) }, width))
            }
            Some(Entry::Split(all, _)) => {
                let numbers: Option<Vec<usize>> =
                    indices.iter().map(|i| i.value(&vec![]).and_then(|n| usize::try_from(n).ok())).collect();
                match numbers {
                    None if indices.iter().any(Index::is_dynamic) => {
                        self.fail(format!("elements of `{}` differ: a signal cannot choose one", readable(key)))
                    }
                    None => {
                        self.unroll = true;
                        Err(Failed)
                    }
                    Some(numbers) => match all.get(&numbers) {
                        Some(id) => {
                            let width = self.scope.variables[*id].width;
                            Ok(Meaning::Signal(Select { variable: *id, indices: vec![], lsb: Index::Number(0) }, width))
                        }
                        None => self.fail(format!("`{}` has no element {numbers:?}", readable(key))),
                    },
                }
            }
            None => self.fail(format!(
                "`{}` is unknown: a kernel reads signals, loop indices, Param, Konst and Field fields, and constants \
                 declared by about(..).constant(..)",
                readable(key)
            )),
        }
    }

    // ---- expressions

    /// The width that an expression has of itself; `None` where it takes that of its surroundings.
    fn width(&mut self, e: &VerilogExpression) -> Outcome<Option<usize>> {
        Ok(match e {
            VerilogExpression::Signal(name) => match self.resolve(name)? {
                Meaning::Index(_) => None,
                Meaning::Named(_, _, width) | Meaning::Signal(_, width) => Some(width),
                Meaning::Field => return self.fail("a Field is a position, not a value"),
            },
            VerilogExpression::Literal(literal) => literal_value(literal).1,
            VerilogExpression::Paren(e) => self.width(e)?,
            VerilogExpression::Cast(_, width) => Some(*width),
            VerilogExpression::Unsigned(_) => None,
            VerilogExpression::Signed(_) => return self.fail("signed values are not supported"),
            VerilogExpression::Unary(VerilogOpUnary::Not, e) => self.width(e)?,
            VerilogExpression::Unary(VerilogOpUnary::Neg, _) => return self.fail("unary minus is not supported"),
            VerilogExpression::Unary(..) => Some(1),
            VerilogExpression::Binary(l, op, r) => match op {
                VerilogOp::Shr => match self.field_of(r) {
                    Some((_, width)) => Some(width),
                    None => self.width(l)?,
                },
                VerilogOp::Shl => self.width(l)?,
                _ => match arithmetic(op) {
                    Some(_) => self.common_width(l, r)?,
                    None if matches!(op, VerilogOp::Mul) => None,
                    None => Some(1),
                },
            },
            VerilogExpression::Index(..) => Some(1),
            VerilogExpression::Slice(_, width, _) => Some(*width),
            VerilogExpression::IndexReplace(word, ..) => self.width(word)?,
        })
    }

    fn common_width(&mut self, l: &VerilogExpression, r: &VerilogExpression) -> Outcome<Option<usize>> {
        match (self.width(l)?, self.width(r)?) {
            (Some(a), Some(b)) if a != b => self.fail(format!("width mismatch: {a} bits meet {b} bits")),
            (a, b) => Ok(a.or(b)),
        }
    }

    /// `e` as an expression of exactly `width` bits.
    fn build(&mut self, e: &VerilogExpression, width: usize) -> Outcome<Expression> {
        if let Some(own) = self.width(e)? {
            if own != width {
                return self.fail(format!("width mismatch: {own} bits where {width} are needed"));
            }
        }
        match e {
            VerilogExpression::Signal(name) => match self.resolve(name)? {
                Meaning::Index(index) => self.index_as_value(index, width),
                Meaning::Named(name, value, width) => Ok(Expression::new(width, Kind::Named(name, value))),
                Meaning::Signal(select, width) => {
                    if self.scope.variables[select.variable].role == Role::RegisterNext {
                        let name = name.replace('$', ".");
                        return self
                            .fail(format!("`{name}` is read, and simulators differ in when it changes: use a Local"));
                    }
                    Ok(Expression::new(width, Kind::Select(select)))
                }
                Meaning::Field => self.fail("a Field is a position, not a value"),
            },
            VerilogExpression::Literal(literal) => {
                let (value, _) = literal_value(literal);
                self.number(value, width)
            }
            VerilogExpression::Paren(e) => self.build(e, width),
            VerilogExpression::Cast(e, _) | VerilogExpression::Unsigned(e) => self.resize(e, width),
            VerilogExpression::Unary(VerilogOpUnary::Not, e) => {
                let e = self.build(e, width)?;
                Ok(Expression::new(width, Kind::Not(e)))
            }
            VerilogExpression::Unary(op, e) => {
                let op = match op {
                    VerilogOpUnary::All => Reduce::All,
                    VerilogOpUnary::Any => Reduce::Any,
                    _ => Reduce::Parity,
                };
                let Some(of) = self.width(e)? else { return self.fail("the reduced value has no width of its own") };
                let e = self.build(e, of)?;
                Ok(Expression::new(1, Kind::Reduce(op, e)))
            }
            VerilogExpression::Binary(l, op, r) => self.binary(e, l, op, r, width),
            VerilogExpression::Index(word, position) => {
                let Some(of) = self.width(word)? else { return self.fail("get_bit needs a value of known width") };
                let (position, _) = self.position(position)?;
                let word = self.build(word, of)?;
                Ok(bit_of(word, position))
            }
            VerilogExpression::Slice(word, width, position) => {
                let Some(of) = self.width(word)? else { return self.fail("get_bits needs a value of known width") };
                let (position, _) = self.position(position)?;
                let word = self.build(word, of)?;
                self.slice(word, position, *width)
            }
            VerilogExpression::IndexReplace(word, position, part) => {
                let word = self.build(word, width)?;
                let (lsb, field) = self.position(position)?;
                let part_width = self.part_width(part, field)?;
                let value = self.build(part, part_width)?;
                Ok(Expression::new(width, Kind::Replace { word, lsb, value }))
            }
            VerilogExpression::Signed(_) => self.fail("signed values are not supported"),
        }
    }

    fn number(&mut self, value: BigUint, width: usize) -> Outcome<Expression> {
        if value.bits() > width as u64 {
            return self.fail(format!("number {value} does not fit {width} bits"));
        }
        Ok(Expression::constant(width, value))
    }

    fn index_as_value(&mut self, index: Index, width: usize) -> Outcome<Expression> {
        if let Some(number) = index.value(&vec![]) {
            let Ok(number) = u64::try_from(number) else { return self.fail("a negative number is used as a value") };
            return self.number(number.into(), width);
        }
        if let (Index::Loop(_), Some((_, largest))) = (&index, index.range(&self.ranges())) {
            if BigUint::from(largest as u64).bits() > width as u64 {
                return self.fail(format!("loop index up to {largest} does not fit {width} bits"));
            }
        } else if width != 32 {
            self.unroll = true;
        }
        Ok(Expression::new(width, Kind::IndexValue(index)))
    }

    fn part_width(&mut self, part: &VerilogExpression, field: Option<usize>) -> Outcome<usize> {
        match (field, self.width(part)?) {
            (Some(width), _) | (None, Some(width)) => Ok(width),
            (None, None) => self.fail("replace_bit needs a value of known width"),
        }
    }

    fn binary(
        &mut self,
        whole: &VerilogExpression,
        l: &VerilogExpression,
        op: &VerilogOp,
        r: &VerilogExpression,
        width: usize,
    ) -> Outcome<Expression> {
        if let Some(index) = self.index_arithmetic(whole) {
            return self.index_as_value(index, width);
        }
        if let Some(op) = arithmetic(op) {
            let (a, b) = (self.build(l, width)?, self.build(r, width)?);
            return Ok(Expression::new(width, Kind::Binary(a, op, b)));
        }
        if let Some(op) = comparison(op) {
            return self.comparison(l, op, r);
        }
        match op {
            VerilogOp::LogicalAnd | VerilogOp::LogicalOr => {
                let (a, b) = (self.build(l, 1)?, self.build(r, 1)?);
                let op = if matches!(op, VerilogOp::LogicalAnd) { Binary::And } else { Binary::Or };
                Ok(Expression::new(1, Kind::Binary(a, op, b)))
            }
            VerilogOp::Shl | VerilogOp::Shr => {
                let right = matches!(op, VerilogOp::Shr);
                if let (true, Some((lsb, width))) = (right, self.field_of(r)) {
                    let Some(of) = self.width(l)? else {
                        return self.fail("a Field is cut from a value of known width");
                    };
                    let word = self.build(l, of)?;
                    return self.slice(word, Index::Number(lsb), width);
                }
                if right && self.width(l)?.is_none() {
                    return self.fail("the value shifted right has no width of its own: cast the result instead");
                }
                let value = self.build(l, width)?;
                let amount = self.amount(r)?;
                let direction = if right { Direction::Right } else { Direction::Left };
                Ok(Expression::new(width, Kind::Shift(value, direction, amount)))
            }
            _ => self.fail("multiplication is for indices only"),
        }
    }

    fn amount(&mut self, e: &VerilogExpression) -> Outcome<Amount> {
        if let Some(index) = self.index_arithmetic(e) {
            return Ok(Amount::Index(index));
        }
        let Some(width) = self.width(e)? else { return self.fail("the shift amount has no width of its own") };
        Ok(Amount::Signal(self.build(e, width)?))
    }

    fn comparison(&mut self, l: &VerilogExpression, op: Compare, r: &VerilogExpression) -> Outcome<Expression> {
        let (a, b) = (self.index_arithmetic(l), self.index_arithmetic(r));
        if let (Some(a), Some(b)) = (&a, &b) {
            let kind = match (a, b) {
                (Index::Number(a), Index::Number(b)) => Kind::Constant(u8::from(op.holds(a, b)).into()),
                _ => Kind::CompareIndex(a.clone(), op, b.clone()),
            };
            return Ok(Expression::new(1, kind));
        }
        let Some(width) = self.common_width(l, r)? else {
            return self.fail("neither side of the comparison has a width of its own");
        };
        let computed = |index: &Option<Index>| matches!(index, Some(Index::Op(..)));
        if width < 32 && (computed(&a) || computed(&b)) {
            let side = |me: &mut Self, e: &VerilogExpression, index: Option<Index>| match index {
                Some(index) => Ok(Expression::new(32, Kind::IndexValue(index))),
                None => me.build(e, width).map(|e| Expression::new(32, Kind::Extend(e))),
            };
            let (a, b) = (side(self, l, a)?, side(self, r, b)?);
            return Ok(Expression::new(1, Kind::Compare(a, op, b)));
        }
        let (a, b) = (self.build(l, width)?, self.build(r, width)?);
        Ok(Expression::new(1, Kind::Compare(a, op, b)))
    }

    /// Arithmetic over loop indices and numbers only.
    fn index_arithmetic(&mut self, e: &VerilogExpression) -> Option<Index> {
        match e {
            VerilogExpression::Paren(e) => self.index_arithmetic(e),
            VerilogExpression::Literal(literal) => match literal_value(literal) {
                (value, None) => i64::try_from(value).ok().map(Index::Number),
                _ => None,
            },
            VerilogExpression::Signal(name) => {
                let errors = self.errors.len();
                let meaning = self.resolve(name);
                self.errors.truncate(errors);
                match meaning {
                    Ok(Meaning::Index(index)) => Some(index),
                    _ => None,
                }
            }
            VerilogExpression::Binary(l, op, r) => {
                let op = match op {
                    VerilogOp::Add => IndexOp::Add,
                    VerilogOp::Sub => IndexOp::Sub,
                    VerilogOp::Mul => IndexOp::Mul,
                    VerilogOp::Shl => IndexOp::Shl,
                    VerilogOp::Shr => IndexOp::Shr,
                    _ => return None,
                };
                let (a, b) = (self.index_arithmetic(l)?, self.index_arithmetic(r)?);
                Some(Index::op(a, op, b))
            }
            _ => None,
        }
    }

    fn field_of(&mut self, e: &VerilogExpression) -> Option<(i64, usize)> {
        let VerilogExpression::Signal(name) = e else { return None };
        match self.scope.constants.get(name.as_str()) {
            Some(Constant::Field { lsb, width }) => Some((*lsb, *width)),
            _ => None,
        }
    }

    /// A bit position: an index, a Field (which also has a width), or a signal.
    fn position(&mut self, e: &VerilogExpression) -> Outcome<(Index, Option<usize>)> {
        if let Some((lsb, width)) = self.field_of(e) {
            return Ok((Index::Number(lsb), Some(width)));
        }
        if let Some(index) = self.index_arithmetic(e) {
            return Ok((index, None));
        }
        let Some(width) = self.width(e)? else { return self.fail("the bit position has no width of its own") };
        Ok((Index::Signal(Box::new(self.build(e, width)?)), None))
    }

    /// `width` bits of a signal from `lsb` up; above its end, zeros.
    fn slice(&mut self, word: Expression, lsb: Index, width: usize) -> Outcome<Expression> {
        let Kind::Select(select) = &*word.kind else {
            return self.fail("bits are cut from a computed value: assign it to a Local signal first");
        };
        let Some((_, largest)) = lsb.range(&self.ranges()) else {
            return self.fail("bits are cut at a place that a signal chooses: use an array, or get_bit");
        };
        if largest as usize + width <= word.width {
            let lsb = Index::op(select.lsb.clone(), IndexOp::Add, lsb);
            return Ok(Expression::new(width, Kind::Select(Select { lsb, ..select.clone() })));
        }
        let Some(lsb) = lsb.value(&vec![]) else {
            self.unroll = true;
            return Err(Failed);
        };
        let rest = word.width.saturating_sub(lsb as usize);
        if rest == 0 {
            return Ok(Expression::constant(width, 0u8));
        }
        let lsb = Index::op(select.lsb.clone(), IndexOp::Add, Index::Number(lsb));
        let rest = Expression::new(rest, Kind::Select(Select { lsb, ..select.clone() }));
        Ok(Expression::new(width, Kind::Extend(rest)))
    }

    /// `e` cut or zero-extended to `width` bits.
    fn resize(&mut self, e: &VerilogExpression, width: usize) -> Outcome<Expression> {
        match self.width(e)? {
            None => self.build(e, width),
            Some(own) if own == width => self.build(e, width),
            Some(own) if own < width => {
                let e = self.build(e, own)?;
                Ok(Expression::new(width, Kind::Extend(e)))
            }
            Some(own) => self.cut(e, own, width),
        }
    }

    /// The low `width` bits of `e`. Verilog selects bits of signals only, so the cut moves down to the operands,
    /// which no low bit of a sum, a mask or a left shift can tell.
    fn cut(&mut self, e: &VerilogExpression, own: usize, width: usize) -> Outcome<Expression> {
        match e {
            VerilogExpression::Paren(e) => self.cut(e, own, width),
            VerilogExpression::Cast(e, _) => self.resize(e, width),
            VerilogExpression::Unary(VerilogOpUnary::Not, e) => {
                let e = self.resize(e, width)?;
                Ok(Expression::new(width, Kind::Not(e)))
            }
            VerilogExpression::Literal(_) => self.fail("a number is cut"),
            VerilogExpression::Binary(l, op, r) => {
                if let Some(op) = arithmetic(op) {
                    let (a, b) = (self.cut_operand(l, width)?, self.cut_operand(r, width)?);
                    return Ok(Expression::new(width, Kind::Binary(a, op, b)));
                }
                match op {
                    VerilogOp::Shl => {
                        let (value, amount) = (self.resize(l, width)?, self.amount(r)?);
                        Ok(Expression::new(width, Kind::Shift(value, Direction::Left, amount)))
                    }
                    VerilogOp::Shr => {
                        let Amount::Index(lsb) = self.amount(r)? else {
                            return self.fail("the result of a shift by a signal is cut: assign it to a Local first");
                        };
                        let word = self.build(l, own)?;
                        self.slice(word, lsb, width)
                    }
                    _ => self.fail("this value cannot be cut: assign it to a Local signal first"),
                }
            }
            _ => {
                let word = self.build(e, own)?;
                if let Kind::Named(_, value) | Kind::Constant(value) = &*word.kind {
                    let mask = (BigUint::from(1u8) << width) - 1u8;
                    return Ok(Expression::constant(width, value & mask));
                }
                self.slice(word, Index::Number(0), width)
            }
        }
    }

    /// An operand of a sum that is cut; a number in it is cut as well.
    fn cut_operand(&mut self, e: &VerilogExpression, width: usize) -> Outcome<Expression> {
        if let Some(Index::Number(number)) = self.index_arithmetic(e) {
            let mask = (BigUint::from(1u8) << width) - 1u8;
            return Ok(Expression::constant(width, BigUint::from(number.max(0) as u64) & mask));
        }
        self.resize(e, width)
    }
}

/// One bit of a value.
fn bit_of(word: Expression, position: Index) -> Expression {
    if word.width == 1 && position == Index::Number(0) {
        return word;
    }
    if let Kind::Select(select) = &*word.kind {
        let lsb = Index::op(select.lsb.clone(), IndexOp::Add, position);
        return Expression::new(1, Kind::Select(Select { lsb, ..select.clone() }));
    }
    Expression::new(1, Kind::BitOf(word, position))
}

fn arithmetic(op: &VerilogOp) -> Option<Binary> {
    Some(match op {
        VerilogOp::Add => Binary::Add,
        VerilogOp::Sub => Binary::Sub,
        VerilogOp::BitAnd => Binary::And,
        VerilogOp::BitOr => Binary::Or,
        VerilogOp::BitXor => Binary::Xor,
        _ => return None,
    })
}

fn comparison(op: &VerilogOp) -> Option<Compare> {
    Some(match op {
        VerilogOp::Eq => Compare::Eq,
        VerilogOp::Ne => Compare::Ne,
        VerilogOp::Lt => Compare::Lt,
        VerilogOp::Le => Compare::Le,
        VerilogOp::Gt => Compare::Gt,
        VerilogOp::Ge => Compare::Ge,
        _ => return None,
    })
}

fn signal_name(e: &VerilogExpression) -> String {
    match e {
        VerilogExpression::Signal(name) => name.clone(),
        VerilogExpression::Paren(e) => signal_name(e),
        other => format!("{other:?}"),
    }
}

/// A name as the Rust source writes it.
fn readable(name: &str) -> String {
    name.replace('$', ".")
}

/// `a[i]$b` without its indices: `a$b`.
fn without_indices(name: &str) -> String {
    let mut depth = 0;
    name.chars()
        .filter(|c| {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => return depth == 0,
            }
            false
        })
        .collect()
}

/// The number of a literal, and its width where it is a `bool`.
fn literal_value(literal: &VerilogLiteral) -> (BigUint, Option<usize>) {
    let text = format!("{literal:x}");
    let (width, digits) = text.split_once("'h").unwrap_or(("32", "0"));
    let value = BigUint::parse_bytes(digits.as_bytes(), 16).unwrap_or_default();
    (value, (width == "1").then_some(1))
}

/// Reads names as rust-hdl writes them: `self.q[2 * i + 1].valid.val()` comes as `q[2*i+1]$valid$val()`.
struct NameParser<'p, 'a> {
    elaborator: &'p mut Elaborator<'a>,
    text: &'p [u8],
    at: usize,
}

impl NameParser<'_, '_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.text[self.at..].starts_with(token.as_bytes());
        if found {
            self.at += token.len();
        }
        found
    }

    fn word(&mut self) -> String {
        let start = self.at;
        while self.peek().is_ascii_alphanumeric() || self.peek() == b'_' {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.text[start..self.at]).into_owned()
    }

    /// A name with indices: a signal, a loop index, a constant.
    fn path(&mut self) -> Outcome<Meaning> {
        let mut key = self.word();
        let mut indices = vec![];
        loop {
            if self.eat("[") {
                let index = self.sum()?;
                if !self.eat("]") {
                    return self.not_understood();
                }
                indices.push(index);
            } else if self.eat("$val()") || self.eat("$index()") {
            } else if self.eat("$len()") {
                return match self.length(&key, indices.len()) {
                    Some(length) => Ok(Meaning::Index(Index::Number(length as i64))),
                    None => self.not_understood(),
                };
            } else if self.eat("$") {
                key = format!("{key}${}", self.word());
            } else {
                break;
            }
        }
        self.elaborator.meaning_of(&key, indices)
    }

    /// Elements of the array that `indices` of its dimensions are chosen in already.
    fn length(&self, key: &str, indices: usize) -> Option<usize> {
        let scope = self.elaborator.scope;
        match scope.entries.get(key) {
            Some(Entry::Whole(id)) => scope.variables[*id].dims.get(indices).copied(),
            Some(Entry::Split(_, length)) => Some(*length),
            None => scope.instances.iter().find(|i| i.key == key).and_then(|i| i.count),
        }
    }

    fn not_understood<T>(&mut self) -> Outcome<T> {
        let text = readable(&String::from_utf8_lossy(self.text));
        self.elaborator.fail(format!("`{text}` is not understood"))
    }

    fn sum(&mut self) -> Outcome<Index> {
        let mut left = self.terms()?;
        loop {
            let op = match (self.eat("<<"), self.peek()) {
                (true, _) => IndexOp::Shl,
                (false, b'>') if self.eat(">>") => IndexOp::Shr,
                _ => return Ok(left),
            };
            let right = self.terms()?;
            left = Index::op(left, op, right);
        }
    }

    fn terms(&mut self) -> Outcome<Index> {
        let mut left = self.product()?;
        loop {
            let op = match self.peek() {
                b'+' => IndexOp::Add,
                b'-' => IndexOp::Sub,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.product()?;
            left = Index::op(left, op, right);
        }
    }

    fn product(&mut self) -> Outcome<Index> {
        let mut left = self.factor()?;
        loop {
            let op = match self.peek() {
                b'*' => IndexOp::Mul,
                b'/' => IndexOp::Div,
                b'%' => IndexOp::Rem,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.factor()?;
            left = Index::op(left, op, right);
        }
    }

    fn factor(&mut self) -> Outcome<Index> {
        if self.eat("(") {
            let inner = self.sum()?;
            return if self.eat(")") { Ok(inner) } else { self.not_understood() };
        }
        if self.peek().is_ascii_digit() {
            let digits = self.word().replace('_', "").replace("usize", "");
            return match digits.parse() {
                Ok(number) => Ok(Index::Number(number)),
                Err(_) => self.not_understood(),
            };
        }
        match self.path()? {
            Meaning::Index(index) => Ok(index),
            Meaning::Signal(select, width) => Ok(Index::Signal(Box::new(Expression::new(width, Kind::Select(select))))),
            Meaning::Named(name, value, width) => {
                Ok(Index::Signal(Box::new(Expression::new(width, Kind::Named(name, value)))))
            }
            Meaning::Field => self.not_understood(),
        }
    }
}
