//! Sub-blocks of a module, and the wires that they make needless.

use super::super::ir::*;
use super::super::scope::{Instance, Role};
use super::super::simplify::{origin, Piece};
use super::super::text::literal;
use super::super::{module_mark, ElaborationError, ModuleId, ModulePort};
use super::{Form, PortPart, Writer};
use std::collections::HashMap;
use std::fmt::Write;

/// A longer list at a port is harder to read than a wire.
const MOST_PORT_PARTS: usize = 4;

impl Writer<'_> {
    /// Inputs of sub-blocks that are plain signals or constants are connected directly.
    pub(super) fn inline_port_connections(&mut self) {
        for instance in &self.scope.instances {
            let count = instance.count.unwrap_or(1);
            for id in instance.ports.values().flatten() {
                let Some(process) = self.sole.get(id) else { continue };
                if self.scope.variables[*id].role != Role::ChildInput || self.driven.read[*id] {
                    continue;
                }
                if let Some(parts) = self.port_parts(*id, count, *process) {
                    self.forms[*process] = Form::Elsewhere;
                    self.connections.insert(*id, parts);
                }
            }
        }
    }

    /// What an input of each of `count` sub-blocks is connected to, if a short list of slices says it for all.
    fn port_parts(&self, id: VariableId, count: usize, process: usize) -> Option<Vec<PortPart>> {
        let origin = origin(self.scope, id, &self.driven.processes[process].statements)?;
        let width = self.scope.variables[id].bits() / count;
        let of: Vec<Vec<Piece>> = (0..count).map(|k| origin.pieces(k * width, width)).collect();
        if of[0].len() > MOST_PORT_PARTS || of.iter().any(|pieces| pieces.len() != of[0].len()) {
            return None;
        }
        let mut parts = vec![];
        for (i, first) in of[0].iter().enumerate() {
            parts.push(match first {
                Piece::Constant(value, width) => {
                    if of.iter().any(|pieces| pieces[i] != *first) {
                        return None;
                    }
                    PortPart::Constant(value.clone(), *width)
                }
                Piece::Slice { variable, lsb, width } => {
                    let base = *lsb as i64;
                    let mut stride = 0;
                    for (k, pieces) in of.iter().enumerate() {
                        match &pieces[i] {
                            Piece::Slice { variable: v, lsb, width: w } if v == variable && w == width => {
                                if k == 1 {
                                    stride = *lsb as i64 - base;
                                }
                                if *lsb as i64 != base + stride * k as i64 {
                                    return None;
                                }
                            }
                            _ => return None,
                        }
                    }
                    PortPart::Slice { variable: *variable, base, stride, width: *width }
                }
            });
        }
        Some(parts)
    }

    /// An output of a sub-block that only gets another name here is connected to that; one that nobody reads says so
    /// (lint tools know the word).
    pub(super) fn rename_outputs_of_sub_blocks(&mut self) {
        let scope = self.scope;
        for role in [Role::Output, Role::Local] {
            for (id, _) in scope.variables.iter().enumerate().filter(|(_, v)| v.role == role) {
                let Some(process) = self.sole.get(&id) else { continue };
                let statements = &self.driven.processes[*process].statements;
                if !matches!(self.forms[*process], Form::Assign(..)) || statements.len() > 1 {
                    continue;
                }
                let Some(from) = origin(scope, id, statements).and_then(|origin| origin.copy_of(scope)) else {
                    continue;
                };
                if scope.variables[from].role == Role::ChildOutput && !self.renamed.contains_key(&from) {
                    self.renamed.insert(from, id);
                    self.forms[*process] = Form::Elsewhere;
                    self.printer.names[from] = scope.variables[id].name.clone();
                }
            }
        }
        for (id, variable) in scope.variables.iter().enumerate() {
            if variable.role == Role::ChildOutput && !self.driven.read[id] {
                self.printer.names[id] = format!("{}_unused", variable.name);
            }
        }
    }

    /// A wire that an output only gives another name is that output.
    pub(super) fn rename_outputs(&mut self) {
        let scope = self.scope;
        for id in (0..scope.variables.len()).filter(|id| scope.variables[*id].role == Role::Output) {
            let Some(from) = self.copied(id) else { continue };
            if scope.variables[from].role != Role::Local || self.outputs.contains_key(&from) {
                continue;
            }
            self.forms[self.sole[&id]] = Form::Elsewhere;
            self.outputs.insert(from, id);
            self.printer.names[from] = scope.variables[id].name.clone();
            // The wire may be what an output of a sub-block is called.
            if let Some((of_child, wire)) = self.renamed.iter_mut().find(|(_, wire)| **wire == from) {
                *wire = id;
                self.printer.names[*of_child] = scope.variables[id].name.clone();
            }
        }
    }

    /// A wire that is only another name goes by that of what it is.
    pub(super) fn drop_aliases(&mut self) {
        let scope = self.scope;
        let mut aliases: Vec<(VariableId, VariableId)> = vec![];
        for id in (0..scope.variables.len()).filter(|id| scope.variables[*id].role == Role::Local) {
            let Some(from) = self.copied(id) else { continue };
            if !self.outputs.contains_key(&id) && scope.variables[from].role != Role::ChildInput {
                aliases.push((id, from));
            }
        }
        let of: HashMap<VariableId, VariableId> = aliases.iter().copied().collect();
        for (id, from) in aliases {
            let mut origin = from;
            while let Some(further) = of.get(&origin) {
                origin = *further;
            }
            self.forms[self.sole[&id]] = Form::Elsewhere;
            self.printer.names[id] = self.printer.names[origin].clone();
        }
    }

    /// The variable that the process of this one copies, all of it.
    fn copied(&self, id: VariableId) -> Option<VariableId> {
        let process = *self.sole.get(&id)?;
        let [statement] = &self.driven.processes[process].statements[..] else { return None };
        let assign = matches!(self.forms[process], Form::Assign(..));
        origin(self.scope, id, std::slice::from_ref(statement)).filter(|_| assign)?.copy_of(self.scope)
    }

    pub(super) fn instances(
        &mut self,
        child_ports: &dyn Fn(ModuleId) -> Vec<ModulePort>,
        block: &str,
        errors: &mut Vec<ElaborationError>,
    ) {
        let scope = self.scope;
        let arrays = scope.instances.iter().any(|instance| instance.count.unwrap_or(1) > 1);
        let counter = if arrays { self.fresh("k") } else { String::new() };
        let mut declared = false;
        for instance in &scope.instances {
            if instance.count.unwrap_or(1) > 1 && !declared {
                self.line(&format!("\n    genvar {counter};"));
                declared = true;
            }
            let ports = child_ports(instance.module);
            if self.reset.asynchronous && ports.iter().any(|port| port.name == self.reset.port()) {
                self.check_reset(instance, block, errors);
            }
            self.instance(instance, &ports, &counter);
        }
    }

    /// An asynchronous reset has no logic on its way: a short pulse would reset registers.
    fn check_reset(&self, instance: &Instance, block: &str, errors: &mut Vec<ElaborationError>) {
        let straight = |id: &VariableId| match self.connections.get(id).map(Vec::as_slice) {
            Some([PortPart::Slice { variable, .. }]) => self.scope.variables[*variable].name == "reset",
            _ => false,
        };
        if !instance.ports["reset"].iter().all(straight) {
            let message = "an asynchronous reset comes straight from the port `reset`".into();
            errors.push(ElaborationError { block: block.into(), signal: instance.name.clone(), message });
        }
    }

    fn instance(&mut self, instance: &Instance, ports: &[ModulePort], counter: &str) {
        let mark = module_mark(instance.module);
        let count = instance.count.filter(|count| *count > 1);
        let counter = count.map(|_| counter);
        let pad = if counter.is_some() { "            " } else { "    " };
        let mut text = String::new();
        if !self.out.ends_with(&format!("genvar {};\n", counter.unwrap_or_default())) {
            text.push('\n');
        }
        if let (Some(k), Some(count)) = (counter, count) {
            let label = self.fresh(&format!("{}_array", instance.name));
            let _ = writeln!(text, "    generate");
            let _ = writeln!(text, "        for ({k} = 0; {k} < {count}; {k} = {k} + 1) begin : {label}");
        }
        let _ = writeln!(text, "{pad}{mark} {} (", instance.name);
        for (i, port) in ports.iter().enumerate() {
            let comma = if i + 1 < ports.len() { "," } else { "" };
            let connection = match self.reset.port() == port.name {
                true => self.reset_connection(instance, port, counter),
                false => self.connection(instance, &port.name, port, counter),
            };
            let _ = writeln!(text, "{pad}    .{}({connection}){comma}", port.name);
        }
        let _ = writeln!(text, "{pad});");
        if counter.is_some() {
            text.push_str("        end\n    endgenerate\n");
        }
        self.out.push_str(&text);
    }

    /// The block's port is `reset`, whatever it is called here.
    fn reset_connection(&self, instance: &Instance, port: &ModulePort, counter: Option<&str>) -> String {
        match self.connection(instance, "reset", port, counter) {
            straight if straight == "reset" => self.reset.port().into(),
            made if self.reset.active_low => format!("~{made}"),
            made => made,
        }
    }

    fn connection(&self, instance: &Instance, of_block: &str, port: &ModulePort, counter: Option<&str>) -> String {
        let variables = instance.ports.get(of_block).map_or(&[][..], Vec::as_slice);
        let parts: Vec<String> = variables.iter().rev().flat_map(|id| self.connected(*id, port, counter)).collect();
        match &parts[..] {
            [one] => one.clone(),
            _ => format!("{{{}}}", parts.join(", ")),
        }
    }

    /// What a port is connected to, the most significant part first: the net, the part of it that is this instance's,
    /// or what the net would carry.
    fn connected(&self, id: VariableId, port: &ModulePort, counter: Option<&str>) -> Vec<String> {
        let number = Index::Loop(counter.unwrap_or_default().into());
        let slice = |variable: VariableId, base: i64, stride: i64, width: usize| {
            let start = Index::op(number.clone(), IndexOp::Mul, Index::Number(stride));
            let lsb = Index::op(start, IndexOp::Add, Index::Number(base));
            self.printer.select(&Select { variable, indices: vec![], lsb }, width)
        };
        match (self.connections.get(&id), counter) {
            (Some(parts), _) => {
                let text = |part: &PortPart| match part {
                    PortPart::Slice { variable, base, stride, width } => slice(*variable, *base, *stride, *width),
                    PortPart::Constant(value, width) => literal(value, *width),
                };
                parts.iter().rev().map(text).collect()
            }
            (None, Some(_)) if self.scope.variables[id].bits() > port.width => {
                vec![slice(id, 0, port.width as i64, port.width)]
            }
            _ => vec![self.printer.names[id].clone()],
        }
    }
}
