//! From rust-hdl's syntax tree to statements with resolved names (`names`) and exact widths (`expressions`).

mod expressions;
mod names;

use super::collect::{Constant, Node};
use super::error::ElaborationError;
use super::ir::*;
use super::scope::{Role, Scope};
use super::{properties, simplify};
use names::{without_indices, Meaning};
use num_bigint::BigUint;
use rust_hdl_core::ast::*;
use std::collections::{BTreeMap, BTreeSet};

/// The kernel of a block, elaborated.
pub struct Elaborated {
    pub statements: Vec<Statement>,
    /// What the kernel asserts, with the conditions and loops around it.
    pub properties: Vec<Statement>,
    /// How many of these, at the start, are defaults that say nothing of the order of processes.
    pub defaults: usize,
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
            properties: vec![],
            defaults: 0,
            clocks: BTreeMap::new(),
            resets: BTreeSet::new(),
            constants: BTreeMap::new(),
        },
    };
    match &node.kernel {
        Verilog::Combinatorial(kernel) => {
            elaborator.kernel(kernel);
        }
        Verilog::Empty if node.about.memory.is_some() => {}
        Verilog::Empty => elaborator.error("the block has no kernel (`#[kernel]` is missing)".into()),
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

    /// The wiring of parts comes first, in `Macro`s; then what the kernel itself says.
    fn kernel(&mut self, kernel: &VerilogBlock) {
        let mut statements = vec![];
        for statement in kernel {
            if let VerilogStatement::Macro(wiring) = statement {
                statements.extend(self.block(wiring));
            }
        }
        let mut statements = simplify::fold_single_rounds(statements);
        self.result.defaults = statements.len();
        let own = kernel.iter().filter(|statement| !matches!(statement, VerilogStatement::Macro(_)));
        let own = simplify::fold_single_rounds(self.block(own));
        for signal in properties::assigned_later(self.scope, &own) {
            self.target = signal;
            self.error(
                "`assert!` reads it before its last assignment: state what holds at the end of the cycle".into(),
            );
        }
        let (logic, properties) = properties::split(own);
        statements.extend(logic);
        (self.result.statements, self.result.properties) = (statements, properties);
    }

    fn block<'s>(&mut self, block: impl IntoIterator<Item = &'s VerilogStatement>) -> Vec<Statement> {
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
            }
            VerilogStatement::Link(_) => {
                return self.fail("bundles are connected by `a.link(&mut b)` and `a.join(&mut b)`")
            }
        }
        Ok(())
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
                return self.fail(format!("`{text}` is unknown: an arm is a number or a constant"));
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
}

fn signal_name(e: &VerilogExpression) -> String {
    match e {
        VerilogExpression::Signal(name) => name.clone(),
        VerilogExpression::Paren(e) => signal_name(e),
        other => format!("{other:?}"),
    }
}
