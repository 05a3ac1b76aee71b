//! What the names of a kernel stand for, where its syntax tree is made.

use quote::ToTokens;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use syn::{Error, Expr, Ident, Path};

/// What an identifier stands for in the twin.
#[derive(Clone, Copy, PartialEq)]
pub enum Binding {
    /// A part of the block: the twin has it as a reference, and its name in the variable `text_of(ident)`.
    Place,
    /// The index of a loop that stays a loop: the twin has no number for it.
    LoopIndex,
    /// A number known at elaboration, with its text in the variable `text_of(ident)`.
    Number {
        /// A loop index, or an argument that may be one: a comparison with it stays in the tree, as the loop may.
        varies: bool,
    },
    /// An argument that carries a value of the hardware: the twin has it as an expression of the tree.
    Value,
}

/// What a function takes.
#[derive(Clone, Copy, PartialEq)]
pub enum Parameter {
    /// A part of the block.
    Place,
    /// A number known at elaboration.
    Number,
    /// A value of the hardware.
    Value,
}

/// What all functions of a kernel share: what they take, and the constants of Rust that they read.
#[derive(Clone, Default)]
pub(crate) struct Kernel {
    pub functions: Rc<HashMap<String, Vec<Parameter>>>,
    pub constants: Constants,
}

/// The names in sight.
#[derive(Clone)]
pub struct Names {
    bindings: HashMap<String, Binding>,
    kernel: Kernel,
}

impl Names {
    /// No names.
    pub fn new(kernel: &Kernel) -> Names {
        Names { bindings: HashMap::new(), kernel: kernel.clone() }
    }

    /// What the function of this name takes, if it is one of this kernel.
    pub fn function(&self, name: &str) -> Option<&[Parameter]> {
        self.kernel.functions.get(name).map(Vec::as_slice)
    }

    pub fn bind(&mut self, ident: &Ident, binding: Binding) {
        self.bindings.insert(ident.to_string(), binding);
    }

    pub fn of(&self, ident: &Ident) -> Option<Binding> {
        self.bindings.get(&ident.to_string()).copied()
    }

    /// What an expression that is one name stands for.
    pub fn of_expression(&self, e: &Expr) -> Option<Binding> {
        self.of(ident_of(e)?)
    }

    /// The name in the tree of a constant of Rust.
    pub fn constant(&self, path: &Path) -> String {
        self.kernel.constants.note(path)
    }
}

/// The identifier that an expression is.
pub fn ident_of(e: &Expr) -> Option<&Ident> {
    match e {
        Expr::Path(p) => p.path.get_ident(),
        Expr::Paren(p) => ident_of(&p.expr),
        _ => None,
    }
}

/// Whether an expression is `self`.
pub fn is_self(e: &Expr) -> bool {
    ident_of(e).is_some_and(|ident| ident == "self")
}

/// Constants of Rust that a kernel reads, by their names in the tree.
#[derive(Clone, Default)]
pub struct Constants(Rc<RefCell<Vec<(String, Path)>>>);

impl Constants {
    fn note(&self, path: &Path) -> String {
        let name = path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        if !name.starts_with(char::is_uppercase) {
            // A name that rustc does not know either: that is its error.
            return name;
        }
        let mut all = self.0.borrow_mut();
        let text = |path: &Path| path.to_token_stream().to_string();
        if !all.iter().any(|(_, known)| text(known) == text(path)) {
            all.push((name.clone(), path.clone()));
        }
        name
    }

    pub fn all(&self) -> Vec<(String, Path)> {
        self.0.borrow().clone()
    }

    /// Names that stand for two constants.
    pub fn errors(&self) -> Vec<Error> {
        let all = self.0.borrow();
        let twice = all.iter().enumerate().filter(|(i, (name, _))| all[..*i].iter().any(|(other, _)| other == name));
        twice
            .map(|(_, (name, path))| {
                Error::new_spanned(path, format!("two constants named `{name}`: import one under another name"))
            })
            .collect()
    }
}
