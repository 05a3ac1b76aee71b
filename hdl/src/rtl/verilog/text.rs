//! Expressions and statements as Verilog text. Widths are exact, so no rule of Verilog's can change a meaning.

use super::ir::*;
use super::scope::Scope;
use num_bigint::BigUint;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What stands in front of a module: a name that is not declared is an error.
pub const HEAD: &str = "`default_nettype none\n\n";
/// What stands behind it: other files of the user may rely on the rule that the language has.
pub const FOOT: &str = "\n`default_nettype wire\n";

/// A literal of exactly `width` bits.
pub fn literal(value: &BigUint, width: usize) -> String {
    if width == 1 {
        format!("1'b{value}")
    } else if value.bits() <= 16 {
        format!("{width}'d{value}")
    } else {
        format!("{width}'h{value:x}")
    }
}

/// The same for a mask, an address or a polynomial: in hexadecimal, unless it is short or zero.
pub fn hexadecimal(value: &BigUint, width: usize) -> String {
    if width < 4 || *value == BigUint::default() {
        literal(value, width)
    } else {
        format!("{width}'h{value:x}")
    }
}

/// `[7:0] `, or nothing for one bit.
pub fn range(width: usize) -> String {
    if width == 1 {
        String::new()
    } else {
        format!("[{}:0] ", width - 1)
    }
}

/// How tightly an expression binds; what binds looser than its place asks for gets parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binds {
    Operator(&'static str),
    Tight,
}

pub struct Printer<'a> {
    pub scope: &'a Scope,
    /// Names of the variables' nets.
    pub names: Vec<String>,
    /// Names of the variables that stand for an element, by the vector's variable.
    pub elements: BTreeMap<VariableId, String>,
    /// Elements that such a variable stands for here.
    pub open: RefCell<Vec<Select>>,
    /// Variables that the clocked block drives: their assignments are not blocking.
    pub clocked: &'a [bool],
}

impl Printer<'_> {
    /// An expression that stands alone.
    pub fn expression(&self, e: &Expression) -> String {
        self.print(e).0
    }

    /// What a register becomes: behind `<=`, a comparison stands in parentheses.
    fn update(&self, e: &Expression) -> String {
        match &*e.kind {
            Kind::Compare(..) | Kind::CompareIndex(..) => format!("({})", self.expression(e)),
            _ => self.expression(e),
        }
    }

    fn operand(&self, e: &Expression, of: &'static str) -> String {
        if let (Kind::Constant(mask), "&" | "|" | "^") = (&*e.kind, of) {
            return hexadecimal(mask, e.width);
        }
        let (text, binds) = self.print(e);
        let associative = ["&", "|", "^", "+"].contains(&of) && binds == Binds::Operator(of);
        // Icarus takes one unary operator at a time.
        let second_unary = ["~", "reduce"].contains(&of) && text.starts_with('~');
        if (binds == Binds::Tight || associative) && !second_unary {
            text
        } else {
            format!("({text})")
        }
    }

    fn print(&self, e: &Expression) -> (String, Binds) {
        let tight = |text: String| (text, Binds::Tight);
        match &*e.kind {
            Kind::Constant(value) => tight(literal(value, e.width)),
            Kind::Named(name, _) => tight(name.replace('$', "_")),
            Kind::IndexValue(Index::Loop(name)) if e.width < 32 => tight(match e.width {
                1 => format!("{name}[0]"),
                width => format!("{name}[{}:0]", width - 1),
            }),
            Kind::IndexValue(index) if e.width > 32 => {
                tight(format!("{{{}, {}}}", literal(&BigUint::default(), e.width - 32), self.index(index)))
            }
            Kind::IndexValue(index) => match index {
                Index::Op(_, op, _) => (self.index(index), Binds::Operator(op.symbol())),
                _ => tight(self.index(index)),
            },
            Kind::Select(select) => tight(self.select(select, e.width)),
            Kind::Not(a) => tight(format!("~{}", self.operand(a, "~"))),
            Kind::Reduce(op, a) => {
                let symbol = match op {
                    _ if a.width == 1 => return self.print(a),
                    Reduce::Any => "|",
                    Reduce::All => "&",
                    Reduce::Parity => "^",
                };
                (format!("{symbol}{}", self.operand(a, "reduce")), Binds::Operator("reduce"))
            }
            Kind::Binary(a, op, b) => {
                let symbol = match op {
                    Binary::Add => "+",
                    Binary::Sub => "-",
                    Binary::And => "&",
                    Binary::Or => "|",
                    Binary::Xor => "^",
                };
                let text = format!("{} {symbol} {}", self.operand(a, symbol), self.operand(b, symbol));
                (text, Binds::Operator(symbol))
            }
            Kind::Compare(a, op, b) => {
                let symbol = compare(*op);
                (format!("{} {symbol} {}", self.operand(a, symbol), self.operand(b, symbol)), Binds::Operator(symbol))
            }
            Kind::CompareIndex(a, op, b) => {
                let symbol = compare(*op);
                let side = |index: &Index| match index {
                    Index::Op(_, IndexOp::Shl | IndexOp::Shr, _) => format!("({})", self.index(index)),
                    _ => self.index(index),
                };
                (format!("{} {symbol} {}", side(a), side(b)), Binds::Operator(symbol))
            }
            Kind::Shift(a, direction, amount) => {
                let symbol = if *direction == Direction::Left { "<<" } else { ">>" };
                let by = match amount {
                    Amount::Index(index @ Index::Op(..)) => format!("({})", self.index(index)),
                    Amount::Index(index) => self.index(index),
                    Amount::Signal(by) => self.operand(by, symbol),
                };
                (format!("{} {symbol} {by}", self.operand(a, symbol)), Binds::Operator(symbol))
            }
            Kind::Extend(a) => {
                tight(format!("{{{}, {}}}", literal(&BigUint::default(), e.width - a.width), self.expression(a)))
            }
            Kind::BitOf(a, position) => {
                let one = literal(&BigUint::from(1u8), a.width);
                let shifted = format!("({} >> {}) & {one}", self.operand(a, ">>"), self.amount(position));
                (format!("|({shifted})"), Binds::Operator("reduce"))
            }
            Kind::Concat(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.expression(part)).collect();
                tight(format!("{{{}}}", parts.join(", ")))
            }
            Kind::Repeat(count, a) => tight(format!("{{{count}{{{}}}}}", self.expression(a))),
            Kind::Replace { word, lsb: Index::Number(lsb), value } => {
                let ones = (BigUint::from(1u8) << value.width) - 1u8;
                let all = (BigUint::from(1u8) << word.width) - 1u8;
                let (lsb, zero) = (*lsb as usize, BigUint::default());
                let mut parts = vec![self.expression(value)];
                if word.width > lsb + value.width {
                    parts.insert(0, literal(&zero, word.width - lsb - value.width));
                }
                if lsb > 0 {
                    parts.push(literal(&zero, lsb));
                }
                let placed = format!("{{{}}}", parts.join(", "));
                let hole = hexadecimal(&(all ^ (ones << lsb)), word.width);
                (format!("({} & {hole}) | {placed}", self.operand(word, "&")), Binds::Operator("|"))
            }
            Kind::Replace { word, lsb, value } => {
                let ones = (BigUint::from(1u8) << value.width) - 1u8;
                let at = self.amount(lsb);
                let wide = match word.width - value.width {
                    0 => self.operand(value, "<<"),
                    pad => format!("{{{}, {}}}", literal(&BigUint::default(), pad), self.expression(value)),
                };
                let hole = format!("~({} << {at})", hexadecimal(&ones, word.width));
                (format!("({} & {hole}) | ({wide} << {at})", self.operand(word, "&")), Binds::Operator("|"))
            }
        }
    }

    fn amount(&self, index: &Index) -> String {
        match index {
            Index::Op(..) => format!("({})", self.index(index)),
            Index::Signal(e) => self.operand(e, "<<"),
            _ => self.index(index),
        }
    }

    /// An index: an expression of 32 bits.
    pub fn index(&self, index: &Index) -> String {
        match index {
            Index::Number(n) => n.to_string(),
            Index::Loop(name) => name.clone(),
            Index::Signal(e) if e.width < 32 => {
                format!("{{{}, {}}}", literal(&BigUint::default(), 32 - e.width), self.expression(e))
            }
            Index::Signal(e) => self.expression(e),
            Index::Op(a, op, b) => {
                let side = |index: &Index, right: bool| {
                    let text = self.index(index);
                    let flat = match (index, op) {
                        (Index::Op(_, inner, _), IndexOp::Add | IndexOp::Sub) => {
                            matches!(inner, IndexOp::Mul) || (!right && matches!(inner, IndexOp::Add | IndexOp::Sub))
                        }
                        (Index::Op(..), _) => false,
                        _ => true,
                    };
                    if flat {
                        text
                    } else {
                        format!("({text})")
                    }
                };
                let space = if matches!(op, IndexOp::Mul) { "" } else { " " };
                format!("{}{space}{}{space}{}", side(a, false), op.symbol(), side(b, true))
            }
        }
    }

    /// The bits that a selection means.
    pub fn select(&self, select: &Select, width: usize) -> String {
        let variable = &self.scope.variables[select.variable];
        let element = self.open.borrow().iter().any(|e| e.variable == select.variable && e.indices == select.indices);
        let (name, bits, flat) = if element {
            (&self.elements[&select.variable], variable.width, Index::Number(0))
        } else {
            let mut flat = Index::Number(0);
            for (index, dim) in select.indices.iter().zip(&variable.dims) {
                flat =
                    Index::op(Index::op(flat, IndexOp::Mul, Index::Number(*dim as i64)), IndexOp::Add, index.clone());
            }
            (&self.names[select.variable], variable.bits(), flat)
        };
        if width == bits {
            return name.clone();
        }
        let start = Index::op(flat, IndexOp::Mul, Index::Number(variable.width as i64));
        let start = Index::op(start, IndexOp::Add, select.lsb.clone());
        match (start.value(&vec![]), width) {
            (Some(bit), 1) => format!("{name}[{bit}]"),
            (Some(lsb), _) => format!("{name}[{}:{lsb}]", lsb as usize + width - 1),
            (None, 1) => match &start {
                Index::Signal(e) if e.width < 32 && 1 << e.width == bits => format!("{name}[{}]", self.expression(e)),
                _ => format!("{name}[{}]", self.index(&start)),
            },
            (None, _) => format!("{name}[{} +: {width}]", self.index(&start)),
        }
    }

    /// Statements of a procedural block.
    pub fn statements(&self, statements: &[Statement], depth: usize, out: &mut String) {
        let pad = "    ".repeat(depth);
        for statement in statements {
            match statement {
                Statement::Note(text) => writeln!(out, "{pad}// {text}"),
                Statement::Element { target, body } => {
                    self.open.borrow_mut().push(target.clone());
                    self.statements(body, depth, out);
                    self.open.borrow_mut().pop();
                    let name = &self.elements[&target.variable];
                    let width = self.scope.variables[target.variable].width;
                    writeln!(out, "{pad}{} = {name};", self.select(target, width))
                }
                Statement::Set { target, value, .. } => {
                    let assigned = match self.clocked[target.variable] {
                        true => format!("<= {}", self.update(value)),
                        false => format!("= {}", self.expression(value)),
                    };
                    writeln!(out, "{pad}{} {assigned};", self.select(target, value.width))
                }
                Statement::If { condition, then, otherwise } => {
                    write!(out, "{pad}").and_then(|()| self.conditional(condition, then, otherwise, depth, out))
                }
                Statement::Case { value, arms } => {
                    let _ = writeln!(out, "{pad}case ({})", self.expression(value));
                    for (label, body) in arms {
                        let (label, note) = match label {
                            None => ("default".into(), String::new()),
                            Some(Label { value: label, name }) => (
                                literal(&(*label).into(), value.width),
                                name.as_ref().map_or(String::new(), |name| format!(" // {name}")),
                            ),
                        };
                        let _ = writeln!(out, "{pad}    {label}: begin{note}");
                        self.statements(body, depth + 2, out);
                        let _ = writeln!(out, "{pad}    end");
                    }
                    if arms.iter().all(|arm| arm.0.is_some()) {
                        let _ = writeln!(out, "{pad}    default: begin\n{pad}    end");
                    }
                    writeln!(out, "{pad}endcase")
                }
                Statement::For { index, from, to, body } => {
                    let _ = writeln!(out, "{pad}for ({index} = {from}; {index} < {to}; {index} = {index} + 1) begin");
                    self.statements(body, depth + 1, out);
                    writeln!(out, "{pad}end")
                }
            }
            .expect("writing to a String");
        }
    }

    pub fn conditional(
        &self,
        condition: &Expression,
        then: &[Statement],
        otherwise: &[Statement],
        depth: usize,
        out: &mut String,
    ) -> std::fmt::Result {
        let pad = "    ".repeat(depth);
        if then.is_empty() {
            let condition = Expression::new(1, Kind::Not(condition.clone()));
            writeln!(out, "if ({}) begin", self.expression(&condition))?;
            self.statements(otherwise, depth + 1, out);
            return writeln!(out, "{pad}end");
        }
        writeln!(out, "if ({}) begin", self.expression(condition))?;
        self.statements(then, depth + 1, out);
        match otherwise {
            [] => writeln!(out, "{pad}end"),
            [Statement::If { condition, then, otherwise }] if !then.is_empty() => {
                write!(out, "{pad}end else ")?;
                self.conditional(condition, then, otherwise, depth, out)
            }
            _ => {
                writeln!(out, "{pad}end else begin")?;
                self.statements(otherwise, depth + 1, out);
                writeln!(out, "{pad}end")
            }
        }
    }
}

fn compare(op: Compare) -> &'static str {
    match op {
        Compare::Eq => "==",
        Compare::Ne => "!=",
        Compare::Lt => "<",
        Compare::Le => "<=",
        Compare::Gt => ">",
        Compare::Ge => ">=",
    }
}

/// Longest line.
const COLUMNS: usize = 120;

/// Breaks long lines at spaces; a trailing comment moves above its line.
pub fn wrap(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let (mut rest, indent) = (line, line.len() - line.trim_start().len());
        if line.len() <= COLUMNS {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        let comment = line.find("// ").filter(|at| *at > indent);
        if let Some(at) = comment {
            comment_lines(&line[at + 3..], indent, &mut out);
            rest = line[..at].trim_end();
        } else if line.trim_start().starts_with("// ") {
            comment_lines(&line.trim_start()[3..], indent, &mut out);
            continue;
        }
        let mut more = 0;
        while indent.max(more) + rest.trim_start().len() > COLUMNS {
            let body = rest.trim_start();
            let room = COLUMNS - if more > 0 { more } else { indent };
            let at = body[..room].rfind(' ').or_else(|| body.find(' ')).unwrap_or(body.len());
            let _ = writeln!(out, "{}{}", " ".repeat(if more > 0 { more } else { indent }), &body[..at]);
            rest = &body[at..];
            more = indent + 8;
            if rest.trim().is_empty() {
                break;
            }
        }
        if !rest.trim().is_empty() {
            let _ = writeln!(out, "{}{}", " ".repeat(if more > 0 { more } else { indent }), rest.trim_start());
        }
    }
    out
}

/// A comment of as many lines as it needs.
pub fn comment_lines(text: &str, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    let mut line = format!("{pad}//");
    for word in text.split_whitespace() {
        if line.len() + 1 + word.len() > COLUMNS {
            let _ = writeln!(out, "{line}");
            line = format!("{pad}//");
        }
        let _ = write!(line, " {word}");
    }
    let _ = writeln!(out, "{line}");
}
