//! Reads a block tree through rust-hdl's probe: every block with its signals, constants, sub-blocks and kernel.

use crate::rtl::bundle::UNNAMED;
use crate::rtl::constant::{tag, UNSET};
use num_bigint::BigUint;
use rust_hdl_core::prelude::*;

/// A block as found.
#[derive(Debug)]
pub struct Node {
    /// Instance name within its parent, with `$` before array indices.
    pub instance: String,
    /// Signals, in the order of the Rust struct.
    pub signals: Vec<SignalInfo>,
    /// Constants by name.
    pub constants: Vec<(String, Constant)>,
    pub children: Vec<Node>,
    pub kernel: Verilog,
    pub about: AboutInfo,
}

#[derive(Debug)]
pub struct SignalInfo {
    /// Name with `$` for `.` and before array indices.
    pub path: String,
    pub kind: AtomKind,
    pub width: usize,
    pub doc: String,
}

#[derive(Clone, Debug)]
pub enum Constant {
    /// A number without a width.
    Number(i64),
    /// A number that the constructor has not set.
    Unset,
    /// A vector.
    Vector(BigUint, usize),
    /// A slice of a word.
    Field { lsb: i64, width: usize },
}

/// What the block says about itself.
#[derive(Clone, Debug, Default)]
pub struct AboutInfo {
    pub name: String,
    pub doc: String,
    pub params: Vec<(String, usize)>,
    /// Parameters that are listed in hexadecimal.
    pub hexadecimal: Vec<String>,
    /// What tells it from modules of its kind by name, and what that is.
    pub label: Option<(String, String)>,
    /// Set for registers.
    pub register: Option<RegisterInfo>,
    /// Set for memories.
    pub memory: Option<MemoryInfo>,
}

/// A memory's words, and how they are read.
#[derive(Clone, Copy, Debug)]
pub struct MemoryInfo {
    pub depth: usize,
    /// Whether a register is behind the read port.
    pub registered: bool,
}

#[derive(Clone, Debug, Default)]
pub struct RegisterInfo {
    pub reset: Option<BigUint>,
    pub doc: String,
}

/// Walks the tree under `block`.
pub fn collect(block: &dyn Block, name: &str) -> Node {
    let mut walk = Walk::default();
    block.accept(name, &mut walk);
    walk.root.expect("a block visits itself")
}

#[derive(Default)]
struct Walk {
    open: Vec<Node>,
    namespaces: Vec<Vec<String>>,
    root: Option<Node>,
}

impl Probe for Walk {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        // A part of a group has the group's name in front, which is not written.
        let groups = self.namespaces.last().into_iter().flatten().map(String::as_str);
        self.open.push(Node {
            instance: groups.chain([name]).collect::<Vec<_>>().join("$"),
            signals: vec![],
            constants: vec![],
            children: vec![],
            kernel: node.hdl(),
            about: AboutInfo::default(),
        });
        self.namespaces.push(vec![]);
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        if let Some(names) = self.namespaces.last_mut() {
            names.push(name.into());
        }
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        if let Some(names) = self.namespaces.last_mut() {
            names.pop();
        }
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let (Some(node), Some(names)) = (self.open.last_mut(), self.namespaces.last()) else { return };
        let path = names.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("$");
        let descriptor = signal.descriptor();
        match (signal.kind(), descriptor.kind) {
            (AtomKind::Constant, TypeKind::Composite(entries)) if descriptor.name == tag::ABOUT => {
                read_about(node, &entries);
            }
            (AtomKind::Constant, TypeKind::Composite(entries)) => {
                let value: BigUint = entries[0].kind.name.parse().unwrap_or_default();
                let number = i64::try_from(&value).unwrap_or(i64::MAX);
                let constant = match descriptor.name.as_str() {
                    tag::PARAM if value == BigUint::from(UNSET) => Constant::Unset,
                    tag::PARAM => Constant::Number(number),
                    tag::FIELD => Constant::Field { lsb: number, width: signal.bits() },
                    _ => Constant::Vector(value, signal.bits()),
                };
                node.constants.push((path, constant));
            }
            (kind, _) => {
                let width = signal.bits();
                let doc = if descriptor.name == "clock" { "Clock, rising edge.".into() } else { descriptor.name };
                node.signals.push(SignalInfo { path, kind, width, doc });
            }
        }
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.namespaces.pop();
        let node = self.open.pop().expect("scopes nest");
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.root = Some(node),
        }
    }
}

fn read_about(node: &mut Node, entries: &[Box<TypeField>]) {
    let about = &mut node.about;
    for entry in entries {
        let (text, value) = (&entry.kind.name, &entry.kind.kind);
        let TypeKind::Bits(value) = *value else { continue };
        match entry.fieldname.as_str() {
            "name" if text == tag::REGISTER => about.register = Some(RegisterInfo::default()),
            "name" => about.name = text.clone(),
            "doc" => about.doc = text.clone(),
            "hex" => about.hexadecimal.push(text.clone()),
            "label" => about.label = text.split_once(' ').map(|(name, text)| (name.into(), text.into())),
            "param" => about.params.push((text.clone(), value)),
            "constant" => node.constants.push((text.clone(), Constant::Number(value as i64))),
            tag::MEMORY => about.memory = Some(MemoryInfo { depth: value, registered: text == tag::REGISTER }),
            "reset" => about.register.get_or_insert_default().reset = text.parse().ok(),
            "register_doc" => about.register.get_or_insert_default().doc = text.clone(),
            _ => {}
        }
    }
}

/// Splits a path into its name without array indices, and the indices: `q$3$pop` is `q$pop` and `[3]`.
pub fn split_indices(path: &str) -> (String, Vec<usize>) {
    let mut indices = vec![];
    let names: Vec<&str> = path
        .split('$')
        .filter(|part| match part.parse() {
            Ok(index) => {
                indices.push(index);
                false
            }
            Err(_) => true,
        })
        .map(|part| part.trim_end_matches(UNNAMED))
        .collect();
    (names.join("$"), indices)
}

/// The name in Verilog of an array: `q$3$pop` is `q_pop`, and `q~$3$pop` is `pop`.
pub fn array_name(path: &str) -> String {
    let named = path.split('$').filter(|part| !part.ends_with(UNNAMED) && part.parse::<usize>().is_err());
    named.collect::<Vec<_>>().join("_")
}

/// The name in Verilog of a single element: `q$3$pop` is `q_3_pop`.
pub fn element_name(path: &str) -> String {
    path.split('$').filter(|part| !part.ends_with(UNNAMED)).collect::<Vec<_>>().join("_")
}
