//! Calls: of the kernel's own functions and of shared steps, which puts their statements in place, and of `link` and
//! `join`.

use super::decide::{depends, shared};
use super::name::name;
use super::scope::{is_self, Binding, Names, Parameter};
use super::value::value;
use super::{fail, Result};
use crate::hygiene::{out, part};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprCall, ExprMethodCall, Ident, Path, Token};

/// `self.step(..)`.
pub fn stepped(m: &ExprMethodCall, names: &Names) -> Result<TokenStream> {
    let arguments = arguments(Some(m.method.to_string()), &m.args, names)?;
    let (function, out) = (format_ident!("{}_hdl", m.method), out());
    Ok(quote!(self.#function(#(#arguments,)* #out);))
}

/// `Self::step(..)`, and `Steps::step(..)` of steps that several blocks share.
pub fn call(c: &ExprCall, names: &Names) -> Result<TokenStream> {
    let out = out();
    match &*c.func {
        Expr::Path(p) if is_step(&p.path) => {
            let mut function = p.path.clone();
            let own = p.path.segments[0].ident == "Self";
            let step = last_of(&mut function);
            let arguments = arguments(own.then(|| step.to_string()), &c.args, names)?;
            *step = format_ident!("{}_hdl", step);
            Ok(quote!(#function(#(#arguments,)* #out);))
        }
        f => {
            let message =
                "a kernel calls its own functions, `self.step(..)` or `Self::step(..)`, or those of shared steps, \
                           `Steps::step(..)`";
            fail(f, message)
        }
    }
}

fn last_of(path: &mut Path) -> &mut Ident {
    &mut path.segments.last_mut().expect("a path has segments").ident
}

/// Whether a path is that of a function of a type.
fn is_step(path: &Path) -> bool {
    let before_last = path.segments.iter().nth_back(1);
    before_last.is_some_and(|segment| segment.ident.to_string().starts_with(char::is_uppercase))
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

/// The arguments of a call, of a function of this kernel if it has a name.
fn arguments(function: Option<String>, all: &Punctuated<Expr, Token![,]>, names: &Names) -> Result<Vec<TokenStream>> {
    let parameters = function.as_ref().and_then(|function| names.function(function));
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
