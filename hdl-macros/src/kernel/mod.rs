//! `#[kernel]`: each function stays as it is for the simulator, and gets a twin, `<name>_hdl`, that makes its syntax
//! tree.
//!
//! A twin runs once for each instance of the block, with the instance at hand. What is decided at elaboration
//! (`if let`, `if` and `match` over parameters and `Option`s, calls) is therefore plain Rust in it, and not in the tree
//! at all.

mod branch;
mod call;
mod decide;
mod name;
mod property;
mod scope;
mod statement;
mod twin;
mod value;

use crate::hygiene::{out, part};
use proc_macro2::TokenStream;
use quote::{quote, ToTokens};
use scope::{Constants, Kernel, Parameter};
use std::rc::Rc;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, Error, FnArg, ImplItem, ImplItemFn, ItemImpl, Result, Stmt};

/// An error at this place in the source.
fn fail<T>(at: impl ToTokens, message: impl std::fmt::Display) -> Result<T> {
    Err(Error::new_spanned(at, message))
}

/// The kernel of a block; or, with `steps`, further functions of it, in a file of their own.
pub fn kernel(item: ItemImpl, steps: bool) -> TokenStream {
    if let Some((_, path, _)) = &item.trait_ {
        let message = "`#[kernel]` stands on a plain `impl Block { .. }`: it writes `impl Logic` itself";
        let error = Error::new_spanned(path, message).to_compile_error();
        return quote!(#item #error);
    }
    let (functions, mut errors) = functions(&item, steps);
    let parameters = functions.iter().map(|f| (f.sig.ident.to_string(), parameters(f))).collect();
    let kernel = Kernel { functions: Rc::new(parameters), ..Kernel::default() };
    let twins: Vec<TokenStream> = functions.iter().map(|function| twin::twin(function, &kernel)).collect();
    errors.extend(kernel.constants.errors());
    if steps {
        let unknown = |(_, path)| Error::new_spanned(path, "constants are read in the kernel that has `update`");
        errors.extend(kernel.constants.all().into_iter().map(unknown));
    }
    let errors = errors.iter().map(Error::to_compile_error);
    let simulated = item.items.iter().map(simulated);
    let (ty, (generics, _, bounds)) = (&item.self_ty, item.generics.split_for_impl());
    let attributes = &item.attrs;
    let updates = functions.iter().any(|f| f.sig.ident == "update");
    let logic = if steps { quote!() } else { logic(&item, &kernel.constants, updates) };
    // A decision at elaboration stands outside of one of the hardware; loops run over the numbers of ports and VCs.
    quote! {
        #(#attributes)*
        #[allow(clippy::collapsible_if, clippy::collapsible_else_if, clippy::needless_range_loop, clippy::single_match)]
        impl #generics #ty #bounds { #(#simulated)* }
        #(#errors)*
        #[automatically_derived]
        #[allow(unused_variables, unused_mut, clippy::all)]
        impl #generics #ty #bounds { #(#twins)* }
        #logic
    }
}

/// The functions of a kernel, and what is wrong with them as a whole.
fn functions(item: &ItemImpl, steps: bool) -> (Vec<&ImplItemFn>, Vec<Error>) {
    let (mut functions, mut errors) = (vec![], vec![]);
    for item in &item.items {
        match item {
            ImplItem::Fn(function) => functions.push(function),
            other => errors.push(Error::new_spanned(
                other,
                "a kernel holds functions only: other items stand in an `impl` of their own",
            )),
        }
    }
    if !steps && !functions.iter().any(|f| f.sig.ident == "update") {
        errors.push(Error::new_spanned(&item.self_ty, "a kernel has a function `update`"));
    }
    let names: Vec<String> = functions.iter().map(|f| f.sig.ident.to_string()).collect();
    for function in &functions {
        let name = function.sig.ident.to_string();
        if let Some(of) = name.strip_suffix("_hdl").filter(|of| names.iter().any(|name| name == of)) {
            let message =
                format!("`{name}` is what `{of}` is called where it makes the syntax tree: take another name");
            errors.push(Error::new(function.sig.ident.span(), message));
        }
    }
    (functions, errors)
}

/// What a function takes, as far as it can be told.
fn parameters(function: &ImplItemFn) -> Vec<Parameter> {
    let typed = |input: &FnArg| match input {
        FnArg::Receiver(_) => None,
        FnArg::Typed(typed) => Some(twin::parameter(&typed.ty).unwrap_or(Parameter::Place)),
    };
    function.sig.inputs.iter().filter_map(typed).collect()
}

/// `impl Logic`, and the constants that the kernel reads.
fn logic(item: &ItemImpl, constants: &Constants, updates: bool) -> TokenStream {
    let (rt, out) = (part(), out());
    let (update, update_hdl) = match updates {
        true => (quote!(Self::update(self);), quote!(self.update_hdl(&mut #out);)),
        false => (quote!(), quote!()),
    };
    let (ty, (generics, _, bounds)) = (&item.self_ty, item.generics.split_for_impl());
    let (names, paths): (Vec<_>, Vec<_>) = constants.all().into_iter().unzip();
    quote! {
        #[automatically_derived]
        impl #generics #rt::Logic for #ty #bounds {
            fn update(&mut self) {
                #rt::WiresParts::wire_parts(self);
                #rt::begin_checks(#rt::WiresParts::in_reset(self));
                #update
            }
            fn hdl(&self) -> #rt::ast::Verilog {
                let mut #out = ::std::vec![];
                #rt::WiresParts::wire_parts_hdl(self, &mut #out);
                #update_hdl
                #rt::ast::Verilog::Combinatorial(#out)
            }
        }
        #[automatically_derived]
        impl #generics #rt::KernelConstants for #ty #bounds {
            fn kernel_constants(&self) -> ::std::vec::Vec<(&'static str, usize)> {
                ::std::vec![#((#names, #paths)),*]
            }
        }
    }
}

/// The item as the simulator takes it: without what only the twin understands (`///` on statements and `comment!`), and
/// with properties that are checked.
fn simulated(item: &ImplItem) -> ImplItem {
    struct Clean;
    impl VisitMut for Clean {
        fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
            attributes.retain(|a| !a.path().is_ident("doc"));
        }
        fn visit_block_mut(&mut self, block: &mut Block) {
            let each = |s: Stmt| match s {
                Stmt::Macro(m) if m.mac.path.is_ident("comment") => None,
                Stmt::Macro(m) if property::is_property(&m.mac) => property::checked(&m.mac),
                s => Some(s),
            };
            block.stmts = std::mem::take(&mut block.stmts).into_iter().filter_map(each).collect();
            visit_mut::visit_block_mut(self, block);
        }
    }
    let mut item = item.clone();
    if let ImplItem::Fn(function) = &mut item {
        Clean.visit_block_mut(&mut function.block);
    }
    item
}
