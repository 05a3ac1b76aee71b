//! The text of one module.

mod instances;
mod registers;

use super::collect::{MemoryInfo, Node};
use super::drive::{Driven, Process};
use super::elaborate::{Elaborated, Number};
use super::error::ElaborationError;
use super::evaluate::Store;
use super::ir::*;
use super::keywords::is_keyword;
use super::scope::{Register, Role, Scope, Variable};
use super::text::{constant_name, hexadecimal, literal, range, Printer};
use super::{memory, memory_pins, properties, ModuleId, ModulePort, PortDirection, ResetStyle, OWN_NAME};
use num_bigint::BigUint;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// Where the constants go once it is known which are used.
const CONSTANTS: char = '\u{2}';

/// How a process is printed.
enum Form {
    /// Constants, by variable.
    Constant(Vec<(VariableId, BigUint)>),
    /// `assign` of an expression.
    Assign(VariableId, Expression),
    /// `always @*`.
    Always,
    /// Printed at the place of its only use (a sub-block's port), or only another name.
    Elsewhere,
}

/// A part of what a port of a sub-block is connected to.
enum PortPart {
    /// `width` bits from `base + stride * number of the instance` up.
    Slice {
        variable: VariableId,
        base: i64,
        stride: i64,
        width: usize,
    },
    Constant(BigUint, usize),
}

struct Writer<'a> {
    scope: &'a Scope,
    printer: Printer<'a>,
    driven: &'a Driven,
    forms: Vec<Form>,
    /// Processes by the variable that they alone drive.
    sole: HashMap<VariableId, usize>,
    /// What inputs of sub-blocks are connected to, the lowest part first.
    connections: HashMap<VariableId, Vec<PortPart>>,
    /// Outputs of sub-blocks that are connected to another variable's net.
    renamed: HashMap<VariableId, VariableId>,
    /// Wires that are an output.
    outputs: HashMap<VariableId, VariableId>,
    clock: String,
    reset: ResetStyle,
    names: BTreeSet<String>,
    out: String,
}

/// What a module shares with the others of its design.
pub(crate) struct Surroundings<'a> {
    pub reset: ResetStyle,
    /// Ports of the modules of sub-blocks.
    pub child_ports: &'a dyn Fn(ModuleId) -> Vec<ModulePort>,
}

/// The module's body from its port list to `endmodule`; the name is filled in later.
pub fn body(
    node: &Node,
    block: &str,
    scope: &Scope,
    elaborated: &Elaborated,
    driven: &Driven,
    surroundings: &Surroundings,
    errors: &mut Vec<ElaborationError>,
) -> String {
    let Surroundings { reset, child_ports } = *surroundings;
    let names = check_names(block, scope, elaborated, errors);
    let clock = check_registers(block, scope, elaborated, errors);
    let mut writer = Writer {
        scope,
        printer: Printer {
            scope,
            names: scope.variables.iter().map(|v| v.name.clone()).collect(),
            elements: BTreeMap::new(),
            open: RefCell::default(),
            integers: elaborated.numbers.iter().filter(|(_, n)| is_integer(n)).map(|(name, _)| name.clone()).collect(),
            clocked: &driven.clocked,
        },
        driven,
        forms: vec![],
        sole: HashMap::new(),
        connections: HashMap::new(),
        renamed: HashMap::new(),
        outputs: HashMap::new(),
        clock,
        reset,
        names,
        out: String::new(),
    };
    if errors.is_empty() {
        writer.choose_forms();
        writer.name_clocked_registers();
        writer.inline_port_connections();
        writer.rename_outputs_of_sub_blocks();
        writer.rename_outputs();
        writer.drop_aliases();
        writer.ports();
        if let Some(memory) = node.about.memory {
            writer.memory(memory);
        } else {
            writer.declarations();
            writer.processes();
            writer.registers();
            writer.instances(child_ports, block, errors);
            writer.properties(elaborated);
            writer.constants(elaborated);
        }
        writer.out.push_str("\nendmodule\n");
    }
    writer.out
}

/// The ports of a module.
pub fn ports(scope: &Scope, reset: ResetStyle) -> Vec<ModulePort> {
    let port = |variable: &Variable| {
        let direction = match variable.role {
            Role::Input => PortDirection::Input,
            Role::Output => PortDirection::Output,
            _ => return None,
        };
        let (name, doc) = (variable.name.clone(), variable.doc.clone());
        Some(reset.printed(ModulePort { name, direction, width: variable.bits(), elements: variable.elements(), doc }))
    };
    scope.variables.iter().filter_map(port).collect()
}

fn check_names(
    block: &str,
    scope: &Scope,
    elaborated: &Elaborated,
    errors: &mut Vec<ElaborationError>,
) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut indices = BTreeSet::new();
    loop_indices(&elaborated.statements, &mut indices);
    let variables = scope.variables.iter().map(|v| v.name.clone());
    let instances = scope.instances.iter().map(|i| i.name.clone());
    let constants = elaborated.constants.keys().chain(elaborated.numbers.keys()).map(|name| constant_name(name));
    for name in variables.chain(instances).chain(constants).chain(indices) {
        let message = if is_keyword(&name) {
            "the name is a Verilog keyword"
        } else if !names.insert(name.clone()) {
            "two things have this name in Verilog (`.` and array indices become `_`)"
        } else {
            continue;
        };
        errors.push(ElaborationError { block: block.into(), signal: name, message: message.into() });
    }
    names
}

/// Every register has a clock, the same one, and reset where it needs it. Returns the clock.
fn check_registers(block: &str, scope: &Scope, elaborated: &Elaborated, errors: &mut Vec<ElaborationError>) -> String {
    let mut error = |register: &Register, message: &str| {
        let signal = register.key.replace('$', ".");
        errors.push(ElaborationError { block: block.into(), signal, message: message.into() });
    };
    let has_input = |name: &str| scope.variables.iter().any(|v| v.name == name && v.role == Role::Input);
    let clock = elaborated.clocks.values().next().cloned().unwrap_or_default();
    for register in &scope.registers {
        match elaborated.clocks.get(&register.key) {
            None => error(register, "the register has no clock: its block has no port `clock`"),
            Some(own) if *own != clock => error(register, "registers of one block have one clock"),
            Some(own) if !has_input(own) => error(register, "the clock of a register is a clock port"),
            Some(_) => {}
        }
        if register.info.iter().any(|info| info.reset.is_some()) {
            if !has_input("reset") {
                error(register, "a register with a reset value needs a port `reset` in its block");
            } else if !elaborated.resets.contains(&register.key) {
                error(register, "the register's reset is not wired");
            }
        }
    }
    clock
}

/// The names of the loop indices in use.
pub fn loop_indices(statements: &[Statement], names: &mut BTreeSet<String>) {
    for statement in statements {
        match statement {
            Statement::For { index, body, .. } => {
                names.insert(index.clone());
                loop_indices(body, names);
            }
            Statement::If { then, otherwise, .. } => {
                loop_indices(then, names);
                loop_indices(otherwise, names);
            }
            Statement::Case { arms, .. } => arms.iter().for_each(|arm| loop_indices(&arm.1, names)),
            Statement::Element { body, .. } => loop_indices(body, names),
            Statement::Set { .. } | Statement::Note(_) => {}
        }
    }
}

/// The names of the loop indices that only some branch gives a value: a synthesis tool would make them latches.
fn conditional_loop_indices(statements: &[Statement], names: &mut BTreeSet<String>) {
    for statement in statements {
        match statement {
            Statement::If { .. } | Statement::Case { .. } => loop_indices(std::slice::from_ref(statement), names),
            Statement::For { body, .. } | Statement::Element { body, .. } => conditional_loop_indices(body, names),
            Statement::Set { .. } | Statement::Note(_) => {}
        }
    }
}

/// The elements that are computed in variables of their own.
fn elements(statements: &[Statement], variables: &mut BTreeSet<VariableId>) {
    for statement in statements {
        match statement {
            Statement::Element { target, .. } => {
                variables.insert(target.variable);
            }
            Statement::If { then, otherwise, .. } => {
                elements(then, variables);
                elements(otherwise, variables);
            }
            Statement::For { body, .. } => elements(body, variables),
            Statement::Case { arms, .. } => arms.iter().for_each(|arm| elements(&arm.1, variables)),
            Statement::Set { .. } | Statement::Note(_) => {}
        }
    }
}

impl Writer<'_> {
    fn fresh(&mut self, wish: &str) -> String {
        let mut name = wish.to_string();
        let mut count = 2;
        while is_keyword(&name) || !self.names.insert(name.clone()) {
            name = format!("{wish}_{count}");
            count += 1;
        }
        name
    }

    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    // ---- how processes are printed

    fn choose_forms(&mut self) {
        let driven = self.driven;
        for (i, process) in driven.processes.iter().enumerate() {
            if let [variable] = process.drives[..] {
                self.sole.insert(variable, i);
            }
            let form = self.form(process);
            self.forms.push(form);
        }
    }

    fn form(&self, process: &Process) -> Form {
        let code: Vec<_> = process.statements.iter().filter(|s| !matches!(s, Statement::Note(_))).collect();
        if let [Statement::Set { target, partial: false, value }] = code[..] {
            let whole = value.width == self.scope.variables[target.variable].bits();
            let mut reads_itself = false;
            value.for_each_select(&mut |select, _| reads_itself |= select.variable == target.variable);
            if whole && !reads_itself {
                return Form::Assign(target.variable, value.clone());
            }
        }
        if !process.has_inputs {
            let mut store = Store::new(self.scope);
            store.run(&process.statements);
            return Form::Constant(process.drives.iter().map(|v| (*v, store.values[*v].clone())).collect());
        }
        Form::Always
    }

    // ---- parts of the module

    fn ports(&mut self) {
        let ports: Vec<&Variable> =
            self.scope.variables.iter().filter(|v| matches!(v.role, Role::Input | Role::Output)).collect();
        self.line(" (");
        for (i, variable) in ports.iter().enumerate() {
            let id = self.id_of(variable);
            let kind = match variable.role {
                Role::Input => "input  wire",
                _ if self.is_reg(id) => "output reg ",
                _ => "output wire",
            };
            let comma = if i + 1 < ports.len() { "," } else { "" };
            let (name, comment) = match variable.name.as_str() {
                "reset" => (self.reset.port(), self.reset.doc(&self.comment(variable))),
                name => (name, self.comment(variable)),
            };
            let line = format!("    {kind} {}{name}{comma}{comment}", range(variable.bits()));
            self.line(&line);
        }
        self.line(");");
    }

    fn id_of(&self, variable: &Variable) -> VariableId {
        self.scope.variables.iter().position(|v| std::ptr::eq(v, variable)).expect("a variable of this scope")
    }

    fn is_reg(&self, id: VariableId) -> bool {
        let wire = self.outputs.iter().find(|(_, output)| **output == id).map_or(id, |(wire, _)| *wire);
        let process = self.driven.processes.iter().position(|p| p.drives.contains(&wire));
        process.is_some_and(|p| matches!(self.forms[p], Form::Always))
    }

    fn comment(&self, variable: &Variable) -> String {
        let shape = if variable.elements() == 1 {
            String::new()
        } else {
            format!("{} x {} bit{}", variable.elements(), variable.width, if variable.width == 1 { "" } else { "s" })
        };
        match (variable.doc.as_str(), shape.as_str()) {
            ("", "") => String::new(),
            (text, "") | ("", text) => format!(" // {text}"),
            (doc, shape) => format!(" // {doc} ({shape})"),
        }
    }

    fn memory(&mut self, memory: MemoryInfo) {
        let width = self.scope.variables.iter().find(|v| v.name == "read_data").map_or(1, |v| v.width);
        let has_pins = self.scope.variables.iter().any(|v| v.name == memory_pins::SLEEP);
        self.out += &memory::text(memory, width, has_pins, OWN_NAME);
    }

    fn declarations(&mut self) {
        self.out.push(CONSTANTS);
        let groups: [(&str, &[Role]); 3] = [
            ("registers", &[Role::RegisterNow, Role::RegisterNext]),
            ("wires", &[Role::Local]),
            ("ports of sub-blocks", &[Role::ChildInput, Role::ChildOutput]),
        ];
        let scope = self.scope;
        for (title, roles) in groups {
            let mut lines = vec![];
            for (id, variable) in scope.variables.iter().enumerate().filter(|(_, v)| roles.contains(&v.role)) {
                let wired = self.renamed.values().any(|to| *to == id);
                let port = self.outputs.contains_key(&id);
                if port || self.driven.clocked[id] || self.is_elsewhere(id) && !wired || self.renamed.contains_key(&id)
                {
                    continue;
                }
                let kind = if variable.role == Role::RegisterNow || self.is_reg(id) { "reg " } else { "wire" };
                let name = &self.printer.names[id];
                let comment = match variable.role {
                    Role::RegisterNext => String::new(),
                    _ => self.comment(variable),
                };
                lines.push(format!("    {kind} {}{name};{comment}", range(variable.bits())));
            }
            if !lines.is_empty() {
                self.line(&format!("\n    // {title}"));
                lines.iter().for_each(|line| self.line(line));
            }
        }
    }

    /// Declares the constants that the text has come to use: those that only assertions use, with the assertions.
    fn constants(&mut self, elaborated: &Elaborated) {
        let (logic, assertions) = self.out.split_once(properties::CONSTANTS).unwrap_or((&self.out, ""));
        let declared = declarations(elaborated, &words(logic));
        let of_assertions: Vec<String> =
            declarations(elaborated, &words(assertions)).into_iter().filter(|line| !declared.contains(line)).collect();
        let start = if declared.is_empty() { "" } else { "\n" };
        let reset = if words(&without_comments(logic)).contains("reset") { self.reset.declaration() } else { "" };
        let out = self.out.replace(CONSTANTS, &(start.to_string() + &declared.concat() + reset));
        self.out = out.replace(properties::CONSTANTS, &of_assertions.concat());
    }

    fn is_elsewhere(&self, id: VariableId) -> bool {
        self.sole.get(&id).is_some_and(|p| matches!(self.forms[*p], Form::Elsewhere))
    }

    fn processes(&mut self) {
        let driven = self.driven;
        let mut in_assigns = false;
        for (i, process) in driven.processes.iter().enumerate() {
            let assigns = matches!(self.forms[i], Form::Assign(..) | Form::Constant(_));
            if assigns && !in_assigns {
                self.out.push('\n');
            }
            in_assigns = assigns || (in_assigns && matches!(self.forms[i], Form::Elsewhere));
            match &self.forms[i] {
                Form::Elsewhere => {}
                Form::Constant(values) => {
                    let mut lines = vec![];
                    for (id, value) in values {
                        let variable = &self.scope.variables[*id];
                        let name = &self.printer.names[*id];
                        lines.push(format!("    assign {name} = {};", constant_array(variable, value)));
                    }
                    lines.iter().for_each(|line| self.line(line));
                }
                Form::Assign(id, value) => {
                    let mut text = String::new();
                    for statement in &process.statements {
                        if let Statement::Note(note) = statement {
                            let _ = writeln!(text, "    // {note}");
                        }
                    }
                    let name = &self.printer.names[*id];
                    let _ = writeln!(text, "    assign {name} = {};", self.printer.expression(value));
                    self.out.push_str(&text);
                }
                Form::Always => self.always(process),
            }
        }
    }

    fn always(&mut self, process: &Process) {
        let mut indices = BTreeSet::new();
        loop_indices(&process.statements, &mut indices);
        self.out.push('\n');
        if indices.is_empty() {
            self.line("    always @* begin");
        } else {
            let label = format!("{}_logic", self.printer.names[process.drives[0]]);
            let label = self.fresh(&label);
            self.line(&format!("    always @* begin : {label}"));
            for index in indices {
                self.line(&format!("        integer {index};"));
            }
            let mut stepwise = BTreeSet::new();
            elements(&process.statements, &mut stepwise);
            for id in stepwise {
                let variable = &self.scope.variables[id];
                let name = self.fresh(&format!("{}_element", variable.name));
                self.line(&format!("        reg  {}{name};", range(variable.width)));
                self.printer.elements.insert(id, name);
            }
            let mut conditional = BTreeSet::new();
            conditional_loop_indices(&process.statements, &mut conditional);
            for index in conditional {
                self.line(&format!("        {index} = 0;"));
            }
        }
        let mut text = String::new();
        self.printer.statements(&process.statements, 2, &mut text);
        self.out.push_str(&text);
        self.line("    end");
    }

    fn properties(&mut self, elaborated: &Elaborated) {
        if !elaborated.properties.is_empty() {
            let label = self.fresh("assertions");
            self.out += &properties::text(&elaborated.properties, &self.printer, &label, self.reset);
        }
    }
}

fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or_default().to_string() + "\n").collect()
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect()
}

/// The declarations of the constants that are among these words.
fn declarations(elaborated: &Elaborated, words: &BTreeSet<&str>) -> Vec<String> {
    let line = |name: &str, range: String, value: String| {
        let name = constant_name(name);
        words.contains(name.as_str()).then(|| format!("    localparam {range}{name} = {value};\n"))
    };
    let number = |(name, number): (&String, &Number)| match number.widths.first() {
        Some(width) if !is_integer(number) => line(name, range(*width), literal(&(number.value as u64).into(), *width)),
        _ => line(name, String::new(), number.value.to_string()),
    };
    let constant =
        |(name, (value, width)): (&String, &(BigUint, usize))| line(name, range(*width), hexadecimal(value, *width));
    let numbers = elaborated.numbers.iter().filter_map(number);
    numbers.chain(elaborated.constants.iter().filter_map(constant)).collect()
}

/// Whether a number is declared without a width: a loop ends at it, or it is used as values of several widths.
fn is_integer(number: &Number) -> bool {
    number.ends_loop || number.widths.len() != 1
}

/// A constant for a variable: repeated where its elements are equal.
fn constant_array(variable: &Variable, value: &BigUint) -> String {
    let (count, width) = (variable.elements(), variable.width);
    let mask = (BigUint::from(1u8) << width) - 1u8;
    let element = |i: usize| (value >> (i * width)) & &mask;
    let all_ones = value.count_ones() == variable.bits() as u64;
    if all_ones && width > 1 && count == 1 || width == 1 {
        return hexadecimal(value, variable.bits());
    }
    if count == 1 || *value == BigUint::default() {
        return literal(value, variable.bits());
    }
    if (1..count).all(|i| element(i) == element(0)) {
        return format!("{{{count}{{{}}}}}", literal(&element(0), width));
    }
    let elements: Vec<String> = (0..count).rev().map(|i| literal(&element(i), width)).collect();
    format!("{{{}}}", elements.join(", "))
}
