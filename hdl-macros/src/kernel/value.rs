//! Values of the hardware: expressions of the syntax tree.

use super::decide::depends;
use super::name::name;
use super::scope::{Binding, Names};
use super::{fail, Result};
use crate::hygiene::{part, text_of};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned, ToTokens};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprCall, ExprField, ExprMethodCall, ExprPath, Member, UnOp};

/// An expression of type `VerilogExpression`.
pub fn value(e: &Expr, names: &Names) -> Result<TokenStream> {
    let rt = part();
    Ok(match e {
        Expr::Path(p) => return path(p, names),
        Expr::Field(f) => return field(f, names),
        Expr::Index(_) => return signal(e, names),
        Expr::Lit(l) => quote!(#rt::ast::VerilogExpression::Literal(#l.into())),
        Expr::Paren(p) => {
            let inner = value(&p.expr, names)?;
            quote!(#rt::ast::VerilogExpression::Paren(Box::new(#inner)))
        }
        Expr::Unary(u) => match u.op {
            UnOp::Not(_) => reduced(quote!(Not), &u.expr, names)?,
            UnOp::Deref(_) => return value(&u.expr, names),
            _ => return fail(u, "signals have no sign"),
        },
        Expr::Binary(b) => {
            let (op, left, right) = (operator(&b.op)?, value(&b.left, names)?, value(&b.right, names)?);
            quote!(#rt::ast::VerilogExpression::Binary(Box::new(#left), #rt::ast::VerilogOp::#op, Box::new(#right)))
        }
        Expr::MethodCall(m) => return method(m, names),
        Expr::Call(c) => return cast(c, names),
        e => return fail(e, "no value of the hardware: assign a `Local` signal and read that"),
    })
}

fn path(p: &ExprPath, names: &Names) -> Result<TokenStream> {
    let rt = part();
    let bound = p.path.get_ident().and_then(|ident| Some((ident, names.of(ident)?)));
    let name = match bound {
        Some((ident, Binding::Value)) => return Ok(quote!(#ident.clone())),
        Some((ident, Binding::Number { .. })) => {
            let text = text_of(ident);
            return Ok(quote!(#rt::number(#text)));
        }
        Some((ident, Binding::Place)) => return fail(ident, format!("read the part `{ident}` by `.val()`")),
        Some((ident, Binding::LoopIndex)) => ident.to_string(),
        None => names.constant(&p.path),
    };
    Ok(quote!(#rt::ast::VerilogExpression::Signal(#name.into())))
}

/// `self.ports`: a parameter.
fn field(f: &ExprField, names: &Names) -> Result<TokenStream> {
    if matches!(&f.member, Member::Named(m) if m == "next") {
        return fail(&f.member, "`.next` is assigned only: read `.val()`");
    }
    let (rt, e) = (part(), Expr::Field(f.clone()));
    if depends(&e, names).index {
        return signal(&e, names);
    }
    let name = name(&e, names)?;
    Ok(quote_spanned!(f.span()=> #rt::Known::expression(&#e, &#name)))
}

fn signal(e: &Expr, names: &Names) -> Result<TokenStream> {
    let (rt, name) = (part(), name(e, names)?);
    Ok(quote!(#rt::ast::VerilogExpression::Signal(#name)))
}

fn operator(op: &BinOp) -> Result<TokenStream> {
    Ok(match op {
        BinOp::Add(_) => quote!(Add),
        BinOp::Sub(_) => quote!(Sub),
        BinOp::Mul(_) => quote!(Mul),
        BinOp::And(_) => quote!(LogicalAnd),
        BinOp::Or(_) => quote!(LogicalOr),
        BinOp::BitXor(_) => quote!(BitXor),
        BinOp::BitAnd(_) => quote!(BitAnd),
        BinOp::BitOr(_) => quote!(BitOr),
        BinOp::Shl(_) => quote!(Shl),
        BinOp::Shr(_) => quote!(Shr),
        BinOp::Eq(_) => quote!(Eq),
        BinOp::Lt(_) => quote!(Lt),
        BinOp::Le(_) => quote!(Le),
        BinOp::Ne(_) => quote!(Ne),
        BinOp::Ge(_) => quote!(Ge),
        BinOp::Gt(_) => quote!(Gt),
        op => return fail(op, "no hardware for this operator: there are + - & | ^ ! << >> == != < <= > >= && ||"),
    })
}

/// A unary operator of the tree.
fn reduced(op: TokenStream, e: &Expr, names: &Names) -> Result<TokenStream> {
    let (rt, word) = (part(), value(e, names)?);
    Ok(quote!(#rt::ast::VerilogExpression::Unary(#rt::ast::VerilogOpUnary::#op, Box::new(#word))))
}

fn method(m: &ExprMethodCall, names: &Names) -> Result<TokenStream> {
    let rt = part();
    match (&m.method.to_string()[..], &m.args.iter().collect::<Vec<_>>()[..]) {
        ("val", []) => signal(&m.receiver, names),
        ("into" | "index" | "clone", []) => value(&m.receiver, names),
        ("any", []) => reduced(quote!(Any), &m.receiver, names),
        ("all", []) => reduced(quote!(All), &m.receiver, names),
        ("xor", []) => reduced(quote!(Xor), &m.receiver, names),
        ("get_bit", [index]) => {
            let (word, index) = (value(&m.receiver, names)?, value(index, names)?);
            Ok(quote!(#rt::ast::VerilogExpression::Index(Box::new(#word), Box::new(#index))))
        }
        ("replace_bit", [index, new]) => {
            let (word, index, new) = (value(&m.receiver, names)?, value(index, names)?, value(new, names)?);
            Ok(quote!(#rt::ast::VerilogExpression::IndexReplace(Box::new(#word), Box::new(#index), Box::new(#new))))
        }
        ("len", []) => signal(&Expr::MethodCall(m.clone()), names),
        (name, _) => fail(
            &m.method,
            format!("no hardware for `{name}`: there are val, into, index, get_bit, replace_bit, any, all, xor"),
        ),
    }
}

fn cast(c: &ExprCall, names: &Names) -> Result<TokenStream> {
    let rt = part();
    match (&c.func.to_token_stream().to_string()[..], &c.args.iter().collect::<Vec<_>>()[..]) {
        ("unsigned_cast", [word]) => {
            let word = value(word, names)?;
            Ok(quote!(#rt::ast::VerilogExpression::Unsigned(Box::new(#word))))
        }
        ("bit_cast_to", [word, width]) => {
            let word = value(word, names)?;
            Ok(quote!(#rt::ast::VerilogExpression::Cast(Box::new(#word), #width)))
        }
        _ => fail(
            &c.func,
            "an expression calls `unsigned_cast` and `bit_cast_to`; for the rest, assign a `Local` signal",
        ),
    }
}
