//! Names in generated code: they reach the run-time part from any crate, and never meet a name of the user.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Ident;

/// The module that generated code calls.
pub fn part() -> TokenStream {
    quote!(::railyard_hdl::rtl::part)
}

/// A local variable of generated code: the user's variables of the same name are others.
pub fn hidden(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// The block of the syntax tree that generated code appends to.
pub fn out() -> Ident {
    hidden("out")
}

/// The variable that holds the name of a place, or the text of a number.
pub fn text_of(ident: &Ident) -> Ident {
    hidden(&format!("{ident}_text"))
}
