//! What names in a kernel stand for.

use super::{Elaborator, Failed, Outcome};
use crate::rtl::verilog::collect::Constant;
use crate::rtl::verilog::ir::*;
use crate::rtl::verilog::scope::Entry;
use num_bigint::BigUint;

/// What a name in an expression stands for.
pub(super) enum Meaning {
    Index(Index),
    Named(String, BigUint, usize),
    Field,
    Signal(Select, usize),
}

impl Elaborator<'_> {
    pub(super) fn resolve(&mut self, name: &str) -> Outcome<Meaning> {
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
                Some(Constant::Unset) | None => {}
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
                "`{}` is unknown: a kernel reads signals, loop indices, numbers, constants, Konst and Field fields",
                readable(key)
            )),
        }
    }
}

/// A name as the Rust source writes it.
pub(super) fn readable(name: &str) -> String {
    name.replace('$', ".")
}

/// `a[i]$b` without its indices: `a$b`.
pub(super) fn without_indices(name: &str) -> String {
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
