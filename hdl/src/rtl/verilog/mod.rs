//! The Verilog back-end: prints a block and its sub-blocks as Verilog-2005 of the same meaning, for people.
//!
//! Stages, a file each: `collect` reads the block tree through rust-hdl's probe, `scope` lays out the variables,
//! `elaborate` resolves names and makes widths exact, `drive` finds latches, loops and missing drivers and splits the
//! kernel into processes, `simplify` shortens these, `module` and `text` print. `properties` takes what a kernel
//! asserts out of its logic, and prints that for simulation. rust-hdl's own printer is not used: it gets precedence,
//! widths and wrap-around wrong against its own simulator.

mod collect;
mod complete;
mod drive;
mod elaborate;
mod error;
mod evaluate;
mod ir;
mod keywords;
mod memory;
mod memory_pins;
mod module;
mod properties;
mod reset;
mod scope;
mod simplify;
mod stored;
mod text;

pub use error::ElaborationError;
pub use memory_pins::SLEEP as MEMORY_SLEEP;
pub use memory_pins::TEST as MEMORY_TEST;
pub use reset::ResetStyle;
pub use stored::{stored, Stored};
pub(crate) use text::{comment_lines, range, wrap, FOOT, HEAD};

use collect::{collect, AboutInfo, Node};
use rust_hdl_core::prelude::Block;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// Number of a module in the design.
type ModuleId = usize;

/// A design: its modules, each after the ones that it instantiates, the top last.
#[derive(Clone, Debug)]
pub struct Design {
    /// The modules, top last.
    pub modules: Vec<Module>,
}

/// A Verilog module: one for each distinct shape of a block.
#[derive(Clone, Debug)]
pub struct Module {
    /// Name in Verilog: that of the block, with the parameters that tell it from others of its kind.
    pub name: String,
    /// The complete text of its file.
    pub text: String,
    /// What the block does.
    pub doc: String,
    /// Ports in order.
    pub ports: Vec<ModulePort>,
    /// Parameters of this instance.
    pub parameters: Vec<(String, usize)>,
    /// Depth and width, if it is a memory.
    pub memory: Option<Memory>,
}

/// The shape of a memory module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Words.
    pub depth: usize,
    /// Bits of a word.
    pub width: usize,
}

/// A port of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModulePort {
    /// Name in Verilog.
    pub name: String,
    /// Input or output.
    pub direction: PortDirection,
    /// Bits in all.
    pub width: usize,
    /// Equal elements it is packed of, element 0 lowest (1 where it is no array).
    pub elements: usize,
    /// What it means.
    pub doc: String,
}

/// Direction of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortDirection {
    /// Into the module.
    Input,
    /// Out of the module.
    Output,
}

impl Design {
    /// The top module.
    pub fn top(&self) -> &Module {
        self.modules.last().expect("a design has a top module")
    }

    /// All modules in one text.
    pub fn text(&self) -> String {
        self.modules.iter().map(|module| module.text.as_str()).collect::<Vec<_>>().join("\n")
    }
}

/// Prints `block` as a design whose top module is named `top`. The errors are all that were found.
pub fn emit(block: &dyn Block, top: &str) -> Result<Design, Vec<ElaborationError>> {
    emit_styled(block, top, "", Style::default())
}

/// The same; the names of all modules but the top begin with `prefix`, so that two designs can be used in one chip.
pub fn emit_prefixed(block: &dyn Block, top: &str, prefix: &str) -> Result<Design, Vec<ElaborationError>> {
    emit_styled(block, top, prefix, Style::default())
}

/// What all modules of a design have in common.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// How registers are reset.
    pub reset: ResetStyle,
    /// Width of the pin [`MEMORY_TEST`], if memories have pins.
    pub memory_test_bits: Option<usize>,
}

/// The same, in this style.
pub fn emit_styled(block: &dyn Block, top: &str, prefix: &str, style: Style) -> Result<Design, Vec<ElaborationError>> {
    let mut node = collect(block, top);
    if let Some(bits) = style.memory_test_bits {
        memory_pins::lead(&mut node, bits);
    }
    let mut emitter = Emitter { prefix: prefix.into(), reset: style.reset, ..Emitter::default() };
    let root = emitter.module(&node);
    if emitter.errors.is_empty() {
        Ok(emitter.finish(root, top))
    } else {
        Err(emitter.errors)
    }
}

/// A module before all names are known.
struct Draft {
    about: AboutInfo,
    ports: Vec<ModulePort>,
    body: String,
}

#[derive(Default)]
struct Emitter {
    drafts: Vec<Draft>,
    shapes: HashMap<String, ModuleId>,
    errors: Vec<ElaborationError>,
    prefix: String,
    reset: ResetStyle,
}

/// Stands for the name of the module itself in its body.
const OWN_NAME: &str = "\u{1}\u{1}";

/// Stands for the name of a module in a body.
fn module_mark(id: ModuleId) -> String {
    format!("\u{1}{id}\u{1}")
}

impl Emitter {
    fn module(&mut self, node: &Node) -> ModuleId {
        let children: Vec<ModuleId> = node
            .children
            .iter()
            .map(|child| if child.about.register.is_some() { usize::MAX } else { self.module(child) })
            .collect();
        let shape = shape(node, &children);
        if let Some(id) = self.shapes.get(&shape) {
            return *id;
        }
        let mut about = node.about.clone();
        if about.name.is_empty() {
            about.name = collect::split_indices(&node.instance).0.replace('$', "_");
        }
        let mut errors = vec![];
        if keywords::is_keyword(&about.name) {
            let (block, signal) = (about.name.clone(), about.name.clone());
            errors.push(ElaborationError { block, signal, message: "the block's name is a Verilog keyword".into() });
        }
        complete::check(node, &about.name, &mut errors);
        if !errors.is_empty() {
            self.errors.append(&mut errors);
            return self.draft(about, vec![], String::new(), shape);
        }
        let scope = scope::Scope::new(node, &children);
        let elaborated = elaborate::elaborate(node, &about.name, &scope, &mut errors);
        let body = if node.about.memory.is_some() {
            let driven = drive::Driven { clocked: vec![false; scope.variables.len()], ..drive::Driven::default() };
            let surroundings = module::Surroundings { reset: self.reset, child_ports: &|_| vec![] };
            module::body(node, &about.name, &scope, &elaborated, &driven, &surroundings, &mut errors)
        } else if errors.is_empty() {
            let driven = drive::analyse(&scope, &about.name, &elaborated, &mut errors);
            properties::check(&scope, &about.name, &elaborated.properties, &driven, &mut errors);
            let child_ports = |id: ModuleId| self.drafts[id].ports.clone();
            let surroundings = module::Surroundings { reset: self.reset, child_ports: &child_ports };
            module::body(node, &about.name, &scope, &elaborated, &driven, &surroundings, &mut errors)
        } else {
            String::new()
        };
        self.errors.append(&mut errors);
        self.draft(about, module::ports(&scope, self.reset), body, shape)
    }

    fn draft(&mut self, about: AboutInfo, ports: Vec<ModulePort>, body: String, shape: String) -> ModuleId {
        self.drafts.push(Draft { about, ports, body });
        let id = self.drafts.len() - 1;
        self.shapes.insert(shape, id);
        id
    }

    fn finish(self, root: ModuleId, top: &str) -> Design {
        let names = self.names(root, top);
        let modules = self.drafts.iter().enumerate().map(|(id, draft)| self.finish_module(id, draft, &names)).collect();
        Design { modules }
    }

    fn finish_module(&self, id: ModuleId, draft: &Draft, names: &[String]) -> Module {
        let about = &draft.about;
        let mut text = String::new();
        let doc = if about.doc.is_empty() { &about.name } else { &about.doc };
        text::comment_lines(doc, 0, &mut text);
        let params = listed(about);
        if !params.is_empty() {
            text.push_str("//\n");
            text::comment_lines(&format!("Parameters of this instance: {}.", params.join(", ")), 0, &mut text);
        }
        let _ = writeln!(text, "// Generated by Railyard {}.", env!("CARGO_PKG_VERSION"));
        let _ = write!(text, "{}module {}", text::HEAD, names[id]);
        for (i, part) in draft.body.split('\u{1}').enumerate() {
            match (i % 2, part.parse::<usize>()) {
                (1, Ok(child)) => text.push_str(&names[child]),
                (1, Err(_)) => text.push_str(&names[id]),
                _ => text.push_str(part),
            }
        }
        text.push_str(text::FOOT);
        let memory = about.memory.map(|memory| {
            let width = draft.ports.iter().find(|p| p.name == "read_data").map_or(0, |p| p.width);
            Memory { depth: memory.depth, width }
        });
        Module {
            name: names[id].clone(),
            text: text::wrap(&text),
            doc: about.doc.clone(),
            ports: draft.ports.clone(),
            parameters: about.params.clone(),
            memory,
        }
    }

    /// Names: the block's, and its label, or the parameters in which modules of one kind differ.
    fn names(&self, root: ModuleId, top: &str) -> Vec<String> {
        let mut kinds: BTreeMap<&str, Vec<ModuleId>> = BTreeMap::new();
        for (id, draft) in self.drafts.iter().enumerate().filter(|(id, _)| *id != root) {
            kinds.entry(&draft.about.name).or_default().push(id);
        }
        let mut names = vec![String::new(); self.drafts.len()];
        names[root] = top.into();
        let mut taken = BTreeSet::from([top.to_string()]);
        for (kind, ids) in kinds {
            let value = |id: ModuleId, param: usize| self.drafts[id].about.params.get(param).map(|p| p.1);
            let params = self.drafts[ids[0]].about.params.len();
            let differ: Vec<usize> =
                (0..params).filter(|p| ids.iter().any(|id| value(*id, *p) != value(ids[0], *p))).collect();
            for id in ids {
                let of_size = self.drafts[id].about.params.iter().map(|p| p.0.as_str()).eq(["depth", "width"]);
                let base = match (&self.drafts[id].about.label, of_size, value(id, 0), value(id, 1)) {
                    (Some((_, label)), ..) => format!("{kind}_{label}"),
                    // Memories and queues are known by their size.
                    (None, true, Some(depth), Some(width)) => format!("{kind}_{depth}x{width}"),
                    _ => {
                        let values = differ.iter().filter_map(|p| value(id, *p));
                        values.fold(kind.to_string(), |name, value| format!("{name}_{value}"))
                    }
                };
                let base = self.prefix.clone() + &base;
                let mut name = base.clone();
                let mut count = 2;
                while !taken.insert(name.clone()) {
                    name = format!("{base}_v{count}");
                    count += 1;
                }
                names[id] = name;
            }
        }
        names
    }
}

/// Label and parameters as the header lists them.
fn listed(about: &AboutInfo) -> Vec<String> {
    let label = about.label.iter().map(|(name, text)| format!("{name} = {text}"));
    let params = about.params.iter().map(|(name, value)| match about.hexadecimal.contains(name) {
        true => format!("{name} = {value:#x}"),
        false => format!("{name} = {value}"),
    });
    label.chain(params).collect()
}

/// Two blocks of the same shape are one module.
fn shape(node: &Node, children: &[ModuleId]) -> String {
    let mut shape = format!("{:?} {:?} {:?} {:?}", node.about, node.signals, node.constants, node.kernel);
    for (child, id) in node.children.iter().zip(children) {
        let _ = match child.about.register {
            Some(_) => write!(shape, " {} {:?} {:?}", child.instance, child.about, child.signals),
            None => write!(shape, " {} {id}", child.instance),
        };
    }
    shape
}
