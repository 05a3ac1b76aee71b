//! The clocked block of a module.

use super::super::collect::RegisterInfo;
use super::super::ir::*;
use super::super::scope::{Register, Variable};
use super::super::simplify::joined;
use super::{constant_array, loop_indices, Writer};
use num_bigint::BigUint;
use std::collections::BTreeSet;
use std::fmt::Write;

impl Writer<'_> {
    /// What a register becomes is assigned to the register.
    pub(super) fn name_clocked_registers(&mut self) {
        for register in self.scope.registers.iter().filter(|register| self.driven.clocked[register.next]) {
            self.printer.names[register.next] = self.scope.variables[register.now].name.clone();
        }
    }

    /// The clocked block: reset, what registers become else, and registers without reset. An asynchronous reset would
    /// clock these: they have a block of their own then.
    pub(super) fn registers(&mut self) {
        let has_reset = |register: &&Register| register.info.iter().any(|info| info.reset.is_some());
        let (with_reset, free): (Vec<&Register>, Vec<&Register>) = self.scope.registers.iter().partition(has_reset);
        if self.reset.asynchronous {
            self.clocked(&with_reset, &[]);
            self.clocked(&[], &free);
        } else {
            self.clocked(&with_reset, &free);
        }
    }

    /// One clocked block.
    fn clocked(&mut self, with_reset: &[&Register], free: &[&Register]) {
        let all = [with_reset, free].concat();
        if all.is_empty() {
            return;
        }
        let mut text = String::new();
        if !with_reset.is_empty() {
            let _ = writeln!(text, "        if ({}) begin", self.reset.condition());
            for register in with_reset {
                let now = &self.scope.variables[register.now];
                let _ =
                    writeln!(text, "            {} <= {};", now.name, constant_array(now, &reset_value(register, now)));
            }
            text += &self.otherwise(with_reset);
        }
        self.updates(free, 2, &mut text);
        self.clocked_header(&all, !with_reset.is_empty());
        self.out.push_str(&text);
        self.line("    end");
    }

    fn clocked_header(&mut self, registers: &[&Register], resets: bool) {
        let mut indices = BTreeSet::new();
        loop_indices(&self.updates_of(registers), &mut indices);
        let label = if indices.is_empty() { String::new() } else { format!(" : {}", self.fresh("registers")) };
        let edge = if resets { self.reset.edge() } else { "" };
        let header = format!("\n    always @(posedge {}{edge}) begin{label}", self.clock);
        self.line(&header);
        for index in indices {
            self.line(&format!("        integer {index};"));
        }
    }

    /// What registers become without reset, behind the branch of reset.
    fn otherwise(&self, registers: &[&Register]) -> String {
        let mut text = String::new();
        self.updates(registers, 3, &mut text);
        let statements = self.updates_of(registers);
        let clocked = registers.iter().all(|register| self.driven.clocked[register.next]);
        match &statements[..] {
            _ if text.is_empty() => "        end\n".into(),
            [Statement::If { condition, then, otherwise }] if clocked && !then.is_empty() => {
                let mut chain = String::from("        end else ");
                let _ = self.printer.conditional(condition, then, otherwise, 2, &mut chain);
                chain
            }
            _ => format!("        end else begin\n{text}        end\n"),
        }
    }

    fn updates_of(&self, registers: &[&Register]) -> Vec<Statement> {
        joined(projected(&self.driven.updates, &|variable| registers.iter().any(|register| register.next == variable)))
    }

    /// The assignments to registers. One that shares its logic with a wire takes what that logic makes.
    fn updates(&self, registers: &[&Register], depth: usize, text: &mut String) {
        self.printer.statements(&self.updates_of(registers), depth, text);
        for register in registers.iter().filter(|register| !self.driven.clocked[register.next]) {
            let (now, next) = (&self.scope.variables[register.now].name, &self.scope.variables[register.next].name);
            let _ = writeln!(text, "{}{now} <= {next};", "    ".repeat(depth));
        }
    }
}

/// The value that reset gives a register.
fn reset_value(register: &Register, now: &Variable) -> BigUint {
    let place = |(i, info): (usize, &RegisterInfo)| info.reset.clone().unwrap_or_default() << (i * now.width);
    register.info.iter().enumerate().map(place).fold(BigUint::default(), |all, value| all | value)
}
