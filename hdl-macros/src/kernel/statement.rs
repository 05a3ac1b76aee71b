//! Statements of a kernel: what the twin does for each.

use super::branch::{conditional, matched};
use super::call::{call, linked, stepped};
use super::decide::{depends, loop_decides, shared};
use super::name::name;
use super::property;
use super::scope::{is_self, Binding, Names};
use super::value::value;
use super::{fail, Result};
use crate::doc::comment;
use crate::hygiene::{hidden, out, part, text_of};
use proc_macro2::TokenStream;
use quote::{quote, ToTokens};
use syn::{
    Attribute, BinOp, Block, Error, Expr, ExprAssign, ExprField, ExprForLoop, ExprMethodCall, ExprRange, Ident, Local,
    Member, Pat, RangeLimits, Stmt,
};

const STATEMENTS: &str =
    "a kernel has assignments, `set`, `if`, `match`, `for`, `let`, calls of its functions, `link`, `join`, `assert!`, \
     `comment!`";

/// Statements one after the other.
pub fn block(block: &Block, names: &Names) -> Result<TokenStream> {
    let (mut names, mut all, mut errors) = (names.clone(), vec![], None::<Error>);
    for s in &block.stmts {
        match statement(s, &mut names) {
            Ok(code) => all.push(code),
            Err(e) => match &mut errors {
                Some(errors) => errors.combine(e),
                None => errors = Some(e),
            },
        }
    }
    match errors {
        Some(errors) => Err(errors),
        None => Ok(quote!(#(#all)*)),
    }
}

/// Code that appends to a block of its own, and is that block.
pub fn own_block(code: TokenStream) -> TokenStream {
    let (out, inner) = (out(), hidden("inner"));
    quote!({
        let mut #inner = ::std::vec![];
        {
            let #out = &mut #inner;
            #code
        }
        #inner
    })
}

fn statement(s: &Stmt, names: &mut Names) -> Result<TokenStream> {
    match s {
        Stmt::Expr(e, _) => {
            let (comment, code) = (commented(&comment(leading_attributes(e))), effect(e, names)?);
            Ok(quote!(#comment #code))
        }
        Stmt::Macro(m) if m.mac.path.is_ident("comment") => {
            let text: syn::LitStr = m.mac.parse_body()?;
            Ok(commented(&text.value()))
        }
        Stmt::Macro(m) if property::is_property(&m.mac) => property::stated(&m.mac, names),
        Stmt::Local(l) => local(l, names),
        _ => fail(s, STATEMENTS),
    }
}

fn commented(text: &str) -> TokenStream {
    let (rt, out) = (part(), out());
    match text {
        "" => quote!(),
        _ => quote!(#out.push(#rt::ast::VerilogStatement::Comment(#text.into()));),
    }
}

/// Where syn leaves the attributes of a statement.
fn leading_attributes(e: &Expr) -> &[Attribute] {
    match e {
        Expr::Assign(a) => leading_attributes(&a.left),
        Expr::If(x) => &x.attrs,
        Expr::Match(x) => &x.attrs,
        Expr::ForLoop(x) => &x.attrs,
        Expr::Field(x) => &x.attrs,
        Expr::MethodCall(x) => &x.attrs,
        Expr::Call(x) => &x.attrs,
        _ => &[],
    }
}

/// `let last = self.lanes.len() - 1;` names a number, `let lane = &mut self.lanes[i];` a part.
fn local(l: &Local, names: &mut Names) -> Result<TokenStream> {
    let pattern = match &l.pat {
        Pat::Type(typed) => &*typed.pat,
        pattern => pattern,
    };
    let (Pat::Ident(p), Some(init)) = (pattern, &l.init) else {
        return fail(&l.pat, "`let` names one number or part: `let last = self.lanes - 1;`");
    };
    let (e, ident, text, rt) = (&init.expr, &p.ident, text_of(&p.ident), part());
    let depends = depends(e, names);
    if depends.value {
        let message = "`let` holds what is known at elaboration; for a value of the hardware, assign a `Local` signal";
        return fail(e, message);
    }
    if let Expr::Reference(_) = &**e {
        let (place, name) = (shared(e), name(e, names)?);
        names.bind(ident, Binding::Place);
        return Ok(quote!(let #ident = #place; let #text = &#name[..];));
    }
    names.bind(ident, Binding::Number { varies: depends.index });
    Ok(quote!(let #ident = #e; let #text = &#rt::Known::text(&#ident)[..];))
}

/// What one statement does, without its comment.
pub fn effect(e: &Expr, names: &Names) -> Result<TokenStream> {
    match e {
        Expr::Assign(a) => assignment(a, names),
        Expr::If(x) => conditional(x, names),
        Expr::Match(x) => matched(x, names),
        Expr::ForLoop(x) => for_loop(x, names),
        Expr::Block(b) => block(&b.block, names),
        Expr::MethodCall(m) if is_self(&m.receiver) => stepped(m, names),
        Expr::MethodCall(m) if m.method == "link" || m.method == "join" => linked(m, names),
        Expr::MethodCall(m) if m.method == "set" => set(m, names),
        Expr::Call(c) => call(c, names),
        Expr::Binary(b) if is_compound(&b.op) => {
            let message =
                format!("a signal is assigned by `signal.next = ..`: there is no `{}`", b.op.to_token_stream());
            fail(e, message)
        }
        _ => fail(e, STATEMENTS),
    }
}

/// `+=` and its like.
fn is_compound(op: &BinOp) -> bool {
    let text = op.to_token_stream().to_string();
    text.ends_with('=') && !["==", "!=", "<=", ">="].contains(&&text[..])
}

fn assignment(a: &ExprAssign, names: &Names) -> Result<TokenStream> {
    let (rt, out) = (part(), out());
    match &*a.left {
        Expr::Field(target) if matches!(&target.member, Member::Named(m) if m == "next") => {
            let (target, value) = (name(&a.left, names)?, value(&a.right, names)?);
            Ok(quote!(#out.push(#rt::assign(#target, #value));))
        }
        other => fail(other, "a signal is assigned by `signal.next = ..`"),
    }
}

/// `word.set(place, bits)`: some bits of a signal.
fn set(m: &ExprMethodCall, names: &Names) -> Result<TokenStream> {
    let (Some(place), Some(bits), 2) = (m.args.first(), m.args.last(), m.args.len()) else {
        return fail(m, "`set` takes a place and the bits that it gets: `self.word.set(i, self.flag.val())`");
    };
    let (rt, out, target) = (part(), out(), name(&m.receiver, names)?);
    let (place, bits) = (value(place, names)?, value(bits, names)?);
    Ok(quote!(#out.push(#rt::set(&#target, #place, #bits));))
}

fn for_loop(x: &ExprForLoop, names: &Names) -> Result<TokenStream> {
    let Pat::Ident(index) = &*x.pat else { return fail(&x.pat, "the index of a loop is a name") };
    let (from, to) = match &*x.expr {
        Expr::Range(ExprRange { start: Some(from), end: Some(to), limits: RangeLimits::HalfOpen(_), .. }) => (from, to),
        other => return fail(other, "a loop runs over a range, `a..b`"),
    };
    bound(from, names)?;
    bound(to, names)?;
    let (rt, out, index) = (part(), out(), &index.ident);
    let (name, mut inner) = (named_range(index, to, names), names.clone());
    let (from, to) = (quote!(#rt::bound(#from)), quote!(#rt::bound(#to)));
    if loop_decides(x, index, names) {
        inner.bind(index, Binding::Number { varies: true });
        let (text, body) = (text_of(index), own_block(block(&x.body, &inner)?));
        return Ok(quote!(#rt::push_rounds(#name, #from, #to, &|#index: usize, #text: &str| #body, #out);));
    }
    inner.bind(index, Binding::LoopIndex);
    let body = own_block(block(&x.body, &inner)?);
    Ok(quote!(#rt::push_loop(#name, #from, #to, &|| #body, #out);))
}

/// The index of a loop, and the number of the block that its range ends at, if it is one.
fn named_range(index: &Ident, to: &Expr, names: &Names) -> TokenStream {
    let (rt, plain) = (part(), index.to_string());
    match (to, names.of_expression(to)) {
        (Expr::Field(ExprField { base, member: Member::Named(number), .. }), _) if is_self(base) => {
            let named = format!("{index}<{number}");
            quote!(#named)
        }
        (Expr::Path(p), Some(Binding::Number { .. })) => {
            let number = p.path.get_ident().map(text_of);
            quote!(&#rt::named_range(#plain, #number))
        }
        _ => quote!(#plain),
    }
}

/// A bound of a loop is a number of the elaboration; so a value may not be looked at on the way to it.
fn bound(e: &Expr, names: &Names) -> Result<()> {
    let of_value = matches!(e, Expr::MethodCall(m) if m.method != "val" && depends(&m.receiver, names).value);
    if of_value {
        return fail(e, "a bound of a loop is known at elaboration: loop over all, and write `if` inside");
    }
    match e {
        Expr::Paren(p) => bound(&p.expr, names),
        Expr::Binary(b) => bound(&b.left, names).and(bound(&b.right, names)),
        _ => Ok(()),
    }
}
