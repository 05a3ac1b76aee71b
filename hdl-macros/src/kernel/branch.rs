//! `if` and `match`: decided by the twin, or left in the tree.

use super::decide::{decides_if, decides_match, depends, looks_into, shared};
use super::name::name;
use super::scope::{Binding, Names};
use super::statement::{block, effect, own_block};
use super::value::value;
use super::{fail, Result};
use crate::hygiene::{out, part, text_of};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Arm, Expr, ExprIf, ExprLet, ExprMatch, Pat};

pub fn conditional(x: &ExprIf, names: &Names) -> Result<TokenStream> {
    if decides_if(&x.cond, names) {
        decided_if(x, names)
    } else {
        hardware_if(x, names)
    }
}

// ---- decided at elaboration

fn decided_if(x: &ExprIf, names: &Names) -> Result<TokenStream> {
    let (condition, then) = match &*x.cond {
        Expr::Let(l) => looked_into(l, x, names)?,
        condition => (quote!(#condition), block(&x.then_branch, names)?),
    };
    let otherwise = match &x.else_branch {
        None => quote!(),
        Some((_, e)) => {
            let code = otherwise(e, names)?;
            quote!(else { #code })
        }
    };
    Ok(quote!(if #condition { #then } #otherwise))
}

/// `if let Some(x) = &self.x`: condition and body.
fn looked_into(l: &ExprLet, x: &ExprIf, names: &Names) -> Result<(TokenStream, TokenStream)> {
    if depends(&l.expr, names).value {
        let message =
            "`if let` is decided at elaboration: it looks into an `Option` field, not at a value of the hardware";
        return fail(&l.expr, message);
    }
    let (mut inner, mut lets, pattern, place) = (names.clone(), vec![], &l.pat, shared(&l.expr));
    bind(pattern, &l.expr, "", &mut inner, &mut lets)?;
    let then = block(&x.then_branch, &inner)?;
    Ok((quote!(let #pattern = #place), quote!(#(#lets)* #then)))
}

/// What follows `else`.
fn otherwise(e: &Expr, names: &Names) -> Result<TokenStream> {
    match e {
        Expr::Block(b) => block(&b.block, names),
        Expr::If(next) => conditional(next, names),
        e => fail(e, "`else` is followed by a block or `if`"),
    }
}

/// Binds the names of a pattern to the parts of `place` that they are; the `let`s with which the twin has their names.
/// `suffix` follows the place in the name: `[0]` for what an `Option` holds.
fn bind(pattern: &Pat, place: &Expr, suffix: &str, names: &mut Names, lets: &mut Vec<TokenStream>) -> Result<()> {
    match (pattern, place) {
        (Pat::Tuple(p), Expr::Tuple(e)) if p.elems.len() == e.elems.len() => {
            p.elems.iter().zip(&e.elems).try_for_each(|(p, e)| bind(p, e, suffix, names, lets))
        }
        (Pat::TupleStruct(p), _) if p.path.is_ident("Some") && p.elems.len() == 1 => {
            bind(&p.elems[0], place, &format!("{suffix}[0]"), names, lets)
        }
        (Pat::Ident(p), _) if is_constant(p) => Ok(()),
        (Pat::Ident(p), _) => {
            let (variable, text) = (text_of(&p.ident), name(place, names)?);
            lets.push(quote!(let #variable = &(#text + #suffix)[..];));
            names.bind(&p.ident, Binding::Place);
            Ok(())
        }
        (Pat::Wild(_) | Pat::Path(_) | Pat::Lit(_) | Pat::Or(_), _) => Ok(()),
        (Pat::Struct(p), _) if p.fields.is_empty() => Ok(()),
        _ => {
            fail(pattern, "a pattern of a kernel is `Some(name)`, `None`, a name, a constant, `_`, or a tuple of these")
        }
    }
}

/// `None`, or a constant of Rust, by its first letter.
fn is_constant(p: &syn::PatIdent) -> bool {
    p.ident.to_string().starts_with(char::is_uppercase)
}

pub fn matched(x: &ExprMatch, names: &Names) -> Result<TokenStream> {
    if !decides_match(&x.expr, names) {
        return hardware_match(x, names);
    }
    let scrutinee = shared(&x.expr);
    let arms = x.arms.iter().map(|arm| decided_arm(arm, &x.expr, names)).collect::<Result<Vec<_>>>()?;
    Ok(quote!(match #scrutinee { #(#arms)* }))
}

fn decided_arm(arm: &Arm, scrutinee: &Expr, names: &Names) -> Result<TokenStream> {
    let (mut inner, mut lets, pattern) = (names.clone(), vec![], &arm.pat);
    if looks_into(scrutinee) || names.of_expression(scrutinee) == Some(Binding::Place) {
        bind(pattern, scrutinee, "", &mut inner, &mut lets)?;
    }
    let guard = match &arm.guard {
        Some((_, guard)) if depends(guard, names).value => {
            return fail(guard, "this `match` is decided at elaboration, so its guards are too")
        }
        Some((_, guard)) => quote!(if #guard),
        None => quote!(),
    };
    let body = arm_body(&arm.body, &inner)?;
    Ok(quote!(#pattern #guard => { #(#lets)* #body }))
}

fn arm_body(e: &Expr, names: &Names) -> Result<TokenStream> {
    match e {
        Expr::Block(b) => block(&b.block, names),
        Expr::Tuple(t) if t.elems.is_empty() => Ok(quote!()),
        e => effect(e, names),
    }
}

// ---- left in the tree

fn hardware_if(x: &ExprIf, names: &Names) -> Result<TokenStream> {
    let (rt, out) = (part(), out());
    let (test, then) = (value(&x.cond, names)?, own_block(block(&x.then_branch, names)?));
    let otherwise = match &x.else_branch {
        None => quote!(#rt::ast::VerilogBlockOrConditional::None),
        Some((_, e)) => {
            let code = own_block(otherwise(e, names)?);
            match &**e {
                Expr::If(_) => quote!(#rt::else_if(#code)),
                _ => quote!(#rt::ast::VerilogBlockOrConditional::Block(#code)),
            }
        }
    };
    Ok(quote!(#out.push(#rt::ast::VerilogStatement::If(
        #rt::ast::VerilogConditional { test: #test, then: #then, otherwise: #otherwise }
    ));))
}

fn hardware_match(x: &ExprMatch, names: &Names) -> Result<TokenStream> {
    let (rt, out, test) = (part(), out(), value(&x.expr, names)?);
    let cases = x.arms.iter().map(|arm| case(arm, names)).collect::<Result<Vec<_>>>()?;
    Ok(quote!(#out.push(#rt::ast::VerilogStatement::Match(
        #rt::ast::VerilogMatch { test: #test, cases: ::std::vec![#(#cases),*] }
    ));))
}

fn case(arm: &Arm, names: &Names) -> Result<TokenStream> {
    if let Some((_, guard)) = &arm.guard {
        return fail(guard, "an arm has no guard in hardware: write `if` inside");
    }
    let label = match &arm.pat {
        Pat::Lit(l) => quote!(#l).to_string(),
        Pat::Ident(i) => names.constant(&i.ident.clone().into()),
        Pat::Path(p) => names.constant(&p.path),
        Pat::Wild(_) => "default".into(),
        p => return fail(p, "an arm is a number, a constant or `_`"),
    };
    let (rt, block) = (part(), own_block(arm_body(&arm.body, names)?));
    Ok(quote!(#rt::ast::VerilogCase { condition: #label.into(), block: #block }))
}
