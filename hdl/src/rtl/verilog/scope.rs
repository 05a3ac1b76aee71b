//! The variables of a module and the names that its kernel calls them by.

use super::collect::{array_name, element_name, split_indices, Constant, Node, RegisterInfo};
use super::ir::VariableId;
use super::ModuleId;
use rust_hdl_core::prelude::AtomKind;
use std::collections::HashMap;

/// A signal of a module, or an array of equal signals: `dims` elements of `width` bits, packed, element 0 lowest.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name in Verilog.
    pub name: String,
    pub dims: Vec<usize>,
    pub width: usize,
    pub role: Role,
    pub doc: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    Input,
    Output,
    Local,
    /// Input of a sub-block: driven here.
    ChildInput,
    /// Output of a sub-block: read here.
    ChildOutput,
    /// What a register becomes.
    RegisterNext,
    /// What a register holds.
    RegisterNow,
}

impl Role {
    /// Whether the kernel has to drive it.
    pub fn driven_here(&self) -> bool {
        matches!(self, Role::Output | Role::Local | Role::ChildInput | Role::RegisterNext)
    }
}

impl Variable {
    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.dims.iter().product()
    }
    /// Bits of all elements.
    pub fn bits(&self) -> usize {
        self.elements() * self.width
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// A variable; indices after the name choose the element.
    Whole(VariableId),
    /// Elements that differ in width: a variable each.
    Split(HashMap<Vec<usize>, VariableId>, usize),
}

/// A register or an array of them.
#[derive(Clone, Debug)]
pub(crate) struct Register {
    pub next: VariableId,
    pub now: VariableId,
    /// Reset values, one an element.
    pub info: Vec<RegisterInfo>,
    /// Name in the kernel.
    pub key: String,
}

/// A sub-block or an array of equal ones.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Name in the kernel, with `$` before indices only where it is one of an uneven array.
    pub key: String,
    pub name: String,
    pub count: Option<usize>,
    pub module: ModuleId,
    /// What each port of the module is connected to: one variable, or one an element of an uneven array.
    pub ports: HashMap<String, Vec<VariableId>>,
}

/// The variables, constants, registers and instances of a block.
#[derive(Debug, Default)]
pub struct Scope {
    pub variables: Vec<Variable>,
    pub entries: HashMap<String, Entry>,
    pub constants: HashMap<String, Constant>,
    pub registers: Vec<Register>,
    pub instances: Vec<Instance>,
}

/// Whether a port of a block is an array of elements that differ in width: a port each in its module.
fn is_unlike(block: &Node, port: &str) -> bool {
    let mut widths = block.signals.iter().filter(|s| split_indices(&s.path).0 == port).map(|s| s.width);
    let first = widths.next();
    widths.any(|width| Some(width) != first)
}

/// Whether a block has such a port.
fn has_unlike_ports(block: &Node) -> bool {
    let ports = block.signals.iter().filter(|s| s.kind != AtomKind::LocalSignal);
    ports.map(|s| split_indices(&s.path).0).any(|port| is_unlike(block, &port))
}

struct Element {
    /// Name with indices.
    path: String,
    indices: Vec<usize>,
    width: usize,
    role: Role,
    doc: String,
}

impl Scope {
    pub fn new(node: &Node, child_modules: &[ModuleId]) -> Scope {
        let mut scope = Scope::default();
        let mut order: Vec<String> = vec![];
        let mut groups: HashMap<String, Vec<Element>> = HashMap::new();
        let mut add = |key: String, element: Element| {
            let group = groups.entry(key.clone()).or_default();
            if group.is_empty() {
                order.push(key);
            }
            group.push(element);
        };
        for signal in &node.signals {
            let role = match signal.kind {
                AtomKind::InputParameter => Role::Input,
                AtomKind::OutputParameter => Role::Output,
                _ => Role::Local,
            };
            let (key, indices) = split_indices(&signal.path);
            let path = signal.path.clone();
            add(key, Element { path, indices, width: signal.width, role, doc: signal.doc.clone() });
        }
        let mut registers: Vec<(String, Vec<RegisterInfo>)> = vec![];
        let mut instances: Vec<(String, Vec<(&Node, ModuleId)>)> = vec![];
        for (child, module) in node.children.iter().zip(child_modules) {
            let (key, indices) = split_indices(&child.instance);
            if let Some(info) = &child.about.register {
                let mut count = 0;
                for signal in &child.signals {
                    let (port, more) = split_indices(&signal.path);
                    let role = match port.as_str() {
                        "d" => Role::RegisterNext,
                        "q" => Role::RegisterNow,
                        _ => continue,
                    };
                    count += usize::from(role == Role::RegisterNow);
                    let indices = indices.iter().copied().chain(more).collect();
                    let (path, doc) = (format!("{}${}", child.instance, signal.path), info.doc.clone());
                    add(format!("{key}${port}"), Element { path, indices, width: signal.width, role, doc });
                }
                match registers.iter_mut().find(|r| r.0 == key) {
                    Some(register) => register.1.extend(vec![info.clone(); count]),
                    None => registers.push((key, vec![info.clone(); count])),
                }
                continue;
            }
            for signal in child.signals.iter() {
                let (port, more) = split_indices(&signal.path);
                let role = if signal.kind == AtomKind::InputParameter { Role::ChildInput } else { Role::ChildOutput };
                if signal.kind == AtomKind::LocalSignal {
                    continue;
                }
                let indices = indices.iter().copied().chain(more).collect();
                let (path, doc) = (format!("{}${}", child.instance, signal.path), String::new());
                add(format!("{key}${port}"), Element { path, indices, width: signal.width, role, doc });
            }
            let instance = (child, *module);
            match instances.iter_mut().find(|i| i.0 == key) {
                Some(known) => known.1.push(instance),
                None => instances.push((key, vec![instance])),
            }
        }
        let uneven: Vec<String> = instances
            .iter()
            .filter(|(_, all)| {
                let indexed = all[0].0.instance.contains('$');
                all.iter().any(|i| i.1 != all[0].1) || (indexed && has_unlike_ports(all[0].0))
            })
            .map(|(key, _)| format!("{key}$"))
            .collect();
        for key in order {
            let elements = groups.remove(&key).expect("grouped above");
            let split = uneven.iter().any(|prefix| key.starts_with(prefix));
            scope.declare(key, elements, split);
        }
        for (key, info) in registers {
            let variable = |port: &str| match scope.entries.get(&format!("{key}${port}")) {
                Some(Entry::Whole(id)) => vec![(*id, None)],
                Some(Entry::Split(all, _)) => {
                    let mut all: Vec<_> = all.iter().map(|(index, id)| (*id, Some(index.clone()))).collect();
                    all.sort();
                    all
                }
                None => vec![],
            };
            let (next, now) = (variable("d"), variable("q"));
            if next.len() == 1 {
                scope.registers.push(Register { next: next[0].0, now: now[0].0, info, key });
            } else {
                for (i, (next, now)) in next.iter().zip(&now).enumerate() {
                    let info = vec![info[i].clone()];
                    scope.registers.push(Register { next: next.0, now: now.0, info, key: key.clone() });
                }
            }
        }
        for (key, all) in instances {
            if uneven.contains(&format!("{key}$")) {
                for (child, module) in all {
                    let (key, ports) = (child.instance.clone(), scope.connections(child));
                    let name = element_name(&key);
                    scope.instances.push(Instance { key, name, count: None, module, ports });
                }
            } else {
                let (child, module) = all[0];
                let count = child.instance.contains('$').then_some(all.len());
                let (name, ports) = (array_name(&child.instance), scope.connections(child));
                scope.instances.push(Instance { key, name, count, module, ports });
            }
        }
        scope.constants.extend(node.constants.iter().cloned());
        scope
    }

    /// The variables that the ports of a sub-block are.
    fn connections(&self, child: &Node) -> HashMap<String, Vec<VariableId>> {
        let mut ports: HashMap<String, Vec<VariableId>> = HashMap::new();
        for signal in child.signals.iter().filter(|s| s.kind != AtomKind::LocalSignal) {
            let (key, indices) = split_indices(&format!("{}${}", child.instance, signal.path));
            let id = match self.entries.get(&key) {
                Some(Entry::Whole(id)) => *id,
                Some(Entry::Split(all, _)) => all[&indices],
                None => continue,
            };
            let unlike = is_unlike(child, &split_indices(&signal.path).0);
            let port = if unlike { element_name(&signal.path) } else { array_name(&signal.path) };
            let all = ports.entry(port).or_default();
            if all.last() != Some(&id) {
                all.push(id);
            }
        }
        ports
    }

    fn declare(&mut self, key: String, elements: Vec<Element>, split: bool) {
        let rank = elements[0].indices.len();
        let dims: Vec<usize> = (0..rank)
            .map(|axis| elements.iter().map(|e| e.indices.get(axis).map_or(0, |i| i + 1)).max().unwrap_or(0))
            .collect();
        let even = elements.iter().all(|e| e.width == elements[0].width && e.indices.len() == rank)
            && dims.iter().product::<usize>() == elements.len();
        if even && !split {
            let first = elements.into_iter().next().expect("a group has an element");
            self.variables.push(Variable {
                name: array_name(&first.path),
                dims,
                width: first.width,
                role: first.role,
                doc: first.doc,
            });
            self.entries.insert(key, Entry::Whole(self.variables.len() - 1));
            return;
        }
        let mut ids = HashMap::new();
        for element in elements {
            let Element { path, indices, width, role, doc } = element;
            ids.insert(indices, self.variables.len());
            let name = element_name(&path);
            self.variables.push(Variable { name, dims: vec![], width, role, doc });
        }
        self.entries.insert(key, Entry::Split(ids, dims.first().copied().unwrap_or(0)));
    }
}
