//! Calls: of the kernel's own functions, which puts their statements in place, and of `link` and `join`.

use super::decide::{depends, shared};
use super::name::name;
use super::scope::{is_self, Binding, Names, Parameter};
use super::value::value;
use super::{fail, Result};
use crate::hygiene::{out, part};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprCall, ExprMethodCall, ExprPath, Token};

/// `self.step(..)`.
pub fn stepped(m: &ExprMethodCall, names: &Names) -> Result<TokenStream> {
    let arguments = arguments(&m.method.to_string(), &m.args, names)?;
    let (function, out) = (format_ident!("{}_hdl", m.method), out());
    Ok(quote!(self.#function(#(#arguments,)* #out);))
}

/// `Self::step(..)`.
pub fn call(c: &ExprCall, names: &Names) -> Result<TokenStream> {
    let out = out();
    match &*c.func {
        Expr::Path(p) if is_own(p) => {
            let (function, arguments) = (format_ident!("{}_hdl", last(p)), arguments(&last(p), &c.args, names)?);
            Ok(quote!(Self::#function(#(#arguments,)* #out);))
        }
        f => fail(f, "a kernel calls its own functions: `self.step(..)` or `Self::step(..)`"),
    }
}

fn last(p: &ExprPath) -> String {
    p.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default()
}

fn is_own(p: &ExprPath) -> bool {
    p.path.segments.len() == 2 && p.path.segments[0].ident == "Self"
}

/// `self.a.link(&mut self.b.a)` and `self.b.x.join(&mut self.c.x)`.
pub fn linked(m: &ExprMethodCall, names: &Names) -> Result<TokenStream> {
    let (Some(other), 1) = (m.args.first(), m.args.len()) else {
        return fail(m, "`link` and `join` take the other end");
    };
    let (rt, out, method) = (part(), out(), format_ident!("{}_hdl", m.method));
    let (this, that) = (name(&m.receiver, names)?, name(other, names)?);
    let (a, b) = (instance(&m.receiver, names)?, instance(other, names)?);
    Ok(quote!(#rt::Bundle::#method(#a, #b, &#this, &#that, #out);))
}

/// The part that a place is, borrowed.
fn instance(e: &Expr, names: &Names) -> Result<TokenStream> {
    if depends(e, names).value {
        return fail(e, "which part is meant is known at elaboration: it cannot be chosen by a signal");
    }
    Ok(match e {
        Expr::Reference(_) => {
            let e = shared(e);
            quote!(#e)
        }
        e if names.of_expression(e) == Some(Binding::Place) => quote!(#e),
        e => quote!(&#e),
    })
}

fn arguments(function: &str, all: &Punctuated<Expr, Token![,]>, names: &Names) -> Result<Vec<TokenStream>> {
    let parameters = names.function(function);
    let parameter = |i: usize| parameters.and_then(|p| p.get(i).copied());
    all.iter().enumerate().map(|(i, e)| argument(e, parameter(i).unwrap_or_else(|| guess(e, names)), names)).collect()
}

/// What an argument is, where the function is one of another kernel of the block.
fn guess(e: &Expr, names: &Names) -> Parameter {
    match e {
        Expr::Reference(_) => Parameter::Place,
        e if names.of_expression(e) == Some(Binding::Place) => Parameter::Place,
        e if depends(e, names).value => Parameter::Value,
        _ => Parameter::Number,
    }
}

fn argument(e: &Expr, parameter: Parameter, names: &Names) -> Result<TokenStream> {
    let rt = part();
    match parameter {
        Parameter::Place => {
            let (instance, name) = (instance(e, names)?, name(e, names)?);
            Ok(quote!(#instance, &#name))
        }
        Parameter::Value => {
            let value = value(e, names)?;
            Ok(quote!(&#rt::ast::VerilogExpression::Paren(Box::new(#value))))
        }
        Parameter::Number if depends(e, names).value => fail(
            e,
            "a `usize` argument is known at elaboration; an argument that carries a value is a `Value` or `bool`",
        ),
        Parameter::Number => match e {
            Expr::Field(f) if !is_self(&f.base) => Ok(quote!(#e, &#rt::Known::text(&#e))),
            Expr::Path(_) | Expr::Lit(_) | Expr::Field(_) => {
                let name = name(e, names)?;
                Ok(quote!(#e, &#name))
            }
            e => fail(e, "name the number first: `let next = i + 1;`"),
        },
    }
}
