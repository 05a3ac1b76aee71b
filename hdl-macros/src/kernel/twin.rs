//! The twin of a function: the same arguments, each with what the syntax tree calls it by.

use super::fail;
use super::scope::{Binding, Kernel, Names, Parameter};
use super::statement::block;
use crate::hygiene::{out, part, text_of};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Error, FnArg, ImplItemFn, Pat, PatType, Result, ReturnType, Type};

/// The twin. Where there is an error it stands in the body: a caller then finds the function all the same.
pub fn twin(function: &ImplItemFn, kernel: &Kernel) -> TokenStream {
    let mut names = Names::new(kernel);
    let (mut arguments, mut errors) = (vec![], vec![]);
    if let ReturnType::Type(_, ty) = &function.sig.output {
        errors.push(Error::new_spanned(ty, "a function of a kernel returns nothing: assign a `Local` signal"));
    }
    let mut receiver = quote!();
    for input in &function.sig.inputs {
        match input {
            FnArg::Receiver(_) => receiver = quote!(&self,),
            FnArg::Typed(typed) => match argument(typed, &mut names) {
                Ok(tokens) => arguments.push(tokens),
                Err(error) => {
                    errors.push(error);
                    let (pat, ty) = (&typed.pat, &typed.ty);
                    arguments.push(quote!(#pat: #ty, _: &str));
                }
            },
        }
    }
    let body = match block(&function.block, &names) {
        Ok(body) => body,
        Err(error) => error.to_compile_error(),
    };
    let (rt, out, errors) = (part(), out(), errors.iter().map(Error::to_compile_error));
    let (name, visibility) = (format_ident!("{}_hdl", function.sig.ident), &function.vis);
    let (generics, _, bounds) = function.sig.generics.split_for_impl();
    quote! {
        #[doc(hidden)]
        #visibility fn #name #generics(#receiver #(#arguments,)* #out: &mut #rt::ast::VerilogBlock) #bounds {
            #(#errors)*
            #body
        }
    }
}

/// What a type says that a function takes.
pub fn parameter(ty: &Type) -> Option<Parameter> {
    let named = |expected: &str| matches!(ty, Type::Path(p) if p.path.is_ident(expected));
    match ty {
        Type::Reference(_) => Some(Parameter::Place),
        _ if named("usize") => Some(Parameter::Number),
        _ if named("bool") || named("Value") => Some(Parameter::Value),
        _ => None,
    }
}

fn argument(typed: &PatType, names: &mut Names) -> Result<TokenStream> {
    let Pat::Ident(pattern) = &*typed.pat else { return fail(&typed.pat, "an argument is a name") };
    let (rt, ident, ty, text) = (part(), &pattern.ident, &*typed.ty, text_of(&pattern.ident));
    match parameter(ty) {
        Some(Parameter::Place) => {
            names.bind(ident, Binding::Place);
            let ty = shared(ty);
            Ok(quote!(#ident: #ty, #text: &str))
        }
        Some(Parameter::Number) => {
            names.bind(ident, Binding::Number { varies: true });
            Ok(quote!(#ident: usize, #text: &str))
        }
        Some(Parameter::Value) => {
            names.bind(ident, Binding::Value);
            Ok(quote!(#ident: &#rt::ast::VerilogExpression))
        }
        None => fail(ty, "an argument is a `usize`, a `bool`, a `Value`, or a reference to a part of the block"),
    }
}

/// The reference without `mut`.
fn shared(ty: &Type) -> Type {
    let mut ty = ty.clone();
    if let Type::Reference(reference) = &mut ty {
        reference.mutability = None;
    }
    ty
}
