//! What is decided at elaboration, in the twin, and what stays in the syntax tree.
//!
//! Without `.val()` nothing depends on the hardware, and the twin decides. But a comparison with a loop index stays in
//! the tree, so that the loop may stay a loop.

use super::scope::{is_self, Binding, Names};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprCall, ExprForLoop, ExprIf, ExprLet, ExprMatch, ExprMethodCall, ExprPath, ExprReference, Local};

/// What an expression depends on.
#[derive(Clone, Copy, Default)]
pub struct Depends {
    /// A value of the hardware.
    pub value: bool,
    /// A loop index, or an argument that may be one.
    pub index: bool,
}

/// What `e` depends on.
pub fn depends(e: &Expr, names: &Names) -> Depends {
    struct Inspect<'n> {
        names: &'n Names,
        found: Depends,
    }
    impl<'ast> Visit<'ast> for Inspect<'_> {
        fn visit_expr_method_call(&mut self, m: &'ast ExprMethodCall) {
            self.found.value |= m.method == "val";
            visit::visit_expr_method_call(self, m);
        }
        fn visit_expr_path(&mut self, p: &'ast ExprPath) {
            match p.path.get_ident().and_then(|ident| self.names.of(ident)) {
                Some(Binding::Value) => self.found.value = true,
                Some(Binding::LoopIndex | Binding::Number { varies: true }) => self.found.index = true,
                _ => {}
            }
        }
    }
    let mut inspect = Inspect { names, found: Depends::default() };
    inspect.visit_expr(e);
    inspect.found
}

/// Whether the condition of an `if` is decided by the twin.
pub fn decides_if(condition: &Expr, names: &Names) -> bool {
    let Depends { value, index } = depends(condition, names);
    matches!(condition, Expr::Let(_)) || (!value && (!index || !is_arithmetic(condition)))
}

/// Whether a `match` is decided by the twin.
pub fn decides_match(scrutinee: &Expr, names: &Names) -> bool {
    looks_into(scrutinee) || !depends(scrutinee, names).value
}

/// Whether `if let` and `match` look into parts of the block, as in `&mut self.stage[i].cache`.
pub fn looks_into(e: &Expr) -> bool {
    match e {
        Expr::Reference(r) => matches!(&*r.expr, Expr::Field(_) | Expr::Index(_) | Expr::Path(_)),
        Expr::Tuple(t) => t.elems.iter().all(looks_into),
        _ => false,
    }
}

/// Whether the tree can say it: names, numbers, operators, `len`.
fn is_arithmetic(e: &Expr) -> bool {
    match e {
        Expr::Path(_) | Expr::Field(_) | Expr::Lit(_) => true,
        Expr::Paren(p) => is_arithmetic(&p.expr),
        Expr::Unary(u) => is_arithmetic(&u.expr),
        Expr::Binary(b) => is_arithmetic(&b.left) && is_arithmetic(&b.right),
        Expr::MethodCall(m) => m.method == "len",
        _ => false,
    }
}

/// Whether something in a loop is decided for each index: its twin then goes through all rounds.
pub fn loop_decides(l: &ExprForLoop, index: &syn::Ident, names: &Names) -> bool {
    let mut names = names.clone();
    names.bind(index, Binding::LoopIndex);
    let mut decides = Decides { index: index.to_string(), names: &names, found: false };
    decides.visit_block(&l.body);
    decides.found
}

struct Decides<'n> {
    index: String,
    names: &'n Names,
    found: bool,
}

impl Decides<'_> {
    fn on(&mut self, e: &Expr) {
        struct Uses<'i>(&'i str, bool);
        impl<'ast> Visit<'ast> for Uses<'_> {
            fn visit_expr_path(&mut self, p: &'ast ExprPath) {
                self.1 |= p.path.is_ident(self.0);
            }
        }
        let mut uses = Uses(&self.index, false);
        uses.visit_expr(e);
        self.found |= uses.1;
    }

    fn on_number(&mut self, e: &Expr) {
        if !depends(e, self.names).value {
            self.on(e);
        }
    }
}

impl<'ast> Visit<'ast> for Decides<'_> {
    fn visit_local(&mut self, l: &'ast Local) {
        l.init.iter().for_each(|init| self.on(&init.expr));
    }
    fn visit_expr_let(&mut self, l: &'ast ExprLet) {
        self.on(&l.expr);
    }
    fn visit_expr_if(&mut self, x: &'ast ExprIf) {
        if decides_if(&x.cond, self.names) {
            self.on(&x.cond);
        }
        visit::visit_expr_if(self, x);
    }
    fn visit_expr_match(&mut self, m: &'ast ExprMatch) {
        if decides_match(&m.expr, self.names) {
            self.on(&m.expr);
        }
        visit::visit_expr_match(self, m);
    }
    fn visit_expr_for_loop(&mut self, l: &'ast ExprForLoop) {
        self.on(&l.expr);
        visit::visit_expr_for_loop(self, l);
    }
    fn visit_expr_method_call(&mut self, m: &'ast ExprMethodCall) {
        if is_self(&m.receiver) || m.method == "link" || m.method == "join" {
            m.args.iter().chain([&*m.receiver]).for_each(|e| self.on_number(e));
        }
        visit::visit_expr_method_call(self, m);
    }
    fn visit_expr_call(&mut self, c: &'ast ExprCall) {
        // A function of the kernel, or `bit_cast_to`, whose width is a number.
        c.args.iter().for_each(|e| self.on_number(e));
        visit::visit_expr_call(self, c);
    }
}

/// `&mut self.x` as the twin borrows it: `&self.x`.
pub fn shared(e: &Expr) -> Expr {
    struct Share;
    impl VisitMut for Share {
        fn visit_expr_reference_mut(&mut self, r: &mut ExprReference) {
            r.mutability = None;
            visit_mut::visit_expr_reference_mut(self, r);
        }
    }
    let mut e = e.clone();
    Share.visit_expr_mut(&mut e);
    e
}
