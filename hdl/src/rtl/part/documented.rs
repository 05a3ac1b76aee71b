//! Comments of fields on their way to the Verilog.

use crate::rtl::constant::tag;
use rust_hdl_core::ast::VerilogLiteral;
use rust_hdl_core::prelude::*;

/// A probe that gives what it visits the comment of the field, where it has none of its own.
pub struct Documented<'p> {
    probe: &'p mut dyn Probe,
    doc: &'static str,
    depth: usize,
}

impl<'p> Documented<'p> {
    /// Visits on behalf of `probe`.
    pub fn new(probe: &'p mut dyn Probe, doc: &'static str) -> Self {
        Documented { probe, doc, depth: 0 }
    }
}

impl Probe for Documented<'_> {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        self.depth += 1;
        self.probe.visit_start_scope(name, node);
    }
    fn visit_start_namespace(&mut self, name: &str, node: &dyn Block) {
        self.depth += 1;
        self.probe.visit_start_namespace(name, node);
    }
    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let mut descriptor = atom.descriptor();
        match (self.depth, &mut descriptor.kind) {
            _ if self.doc.is_empty() => {}
            (0, TypeKind::Bits(_)) if descriptor.name.is_empty() => descriptor.name = self.doc.into(),
            // A register tells its comment by what it says about itself.
            (1, TypeKind::Composite(entries)) if descriptor.name == tag::ABOUT => {
                let register = entries.first().is_some_and(|e| e.kind.name == tag::REGISTER);
                if register && entries.iter().all(|e| e.fieldname != "register_doc") {
                    let kind = TypeDescriptor { name: self.doc.into(), kind: TypeKind::Bits(0) };
                    entries.push(Box::new(TypeField { fieldname: "register_doc".into(), kind }));
                }
            }
            _ => {}
        }
        self.probe.visit_atom(name, &Described { atom, descriptor });
    }
    fn visit_end_namespace(&mut self, name: &str, node: &dyn Block) {
        self.depth -= 1;
        self.probe.visit_end_namespace(name, node);
    }
    fn visit_end_scope(&mut self, name: &str, node: &dyn Block) {
        self.depth -= 1;
        self.probe.visit_end_scope(name, node);
    }
}

/// A signal under another description.
struct Described<'a> {
    atom: &'a dyn Atom,
    descriptor: TypeDescriptor,
}

impl Logic for Described<'_> {
    fn update(&mut self) {}
}

impl Block for Described<'_> {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        self.atom.changed()
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_atom(name, self);
    }
}

impl Atom for Described<'_> {
    fn bits(&self) -> usize {
        self.atom.bits()
    }
    fn connected(&self) -> bool {
        self.atom.connected()
    }
    fn changed(&self) -> bool {
        self.atom.changed()
    }
    fn kind(&self) -> AtomKind {
        self.atom.kind()
    }
    fn descriptor(&self) -> TypeDescriptor {
        self.descriptor.clone()
    }
    fn vcd(&self) -> VCDValue {
        self.atom.vcd()
    }
    fn id(&self) -> usize {
        self.atom.id()
    }
    fn verilog(&self) -> VerilogLiteral {
        self.atom.verilog()
    }
    fn constraints(&self) -> Vec<PinConstraint> {
        self.atom.constraints()
    }
}
