//! The language of hardware blocks: attributes that turn a struct and its functions into a block of rust-hdl.
//!
//! `#[block]` stands on the struct, `#[kernel]` on the `impl` with the block's behaviour, `#[bundle]` on wires that
//! belong together, `#[group]` on parts that are there together. The chapter "Writing a block" of the book describes
//! the language. Generated code calls `railyard_hdl::rtl::part`.

mod block;
mod bundle;
mod constructor;
mod doc;
mod group;
mod hygiene;
mod kernel;
mod member;
mod plain;
mod simulated;
mod size;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use syn::parse_macro_input;

/// A block: its ports, registers, wires, sub-blocks (each may be an `Option`) and parameters.
#[proc_macro_attribute]
pub fn block(arguments: TokenStream, item: TokenStream) -> TokenStream {
    block::block(&parse_macro_input!(arguments), parse_macro_input!(item)).into()
}

/// Parts of a block that are there together, as one `Option`: ports, registers, wires, sub-blocks.
#[proc_macro_attribute]
pub fn group(arguments: TokenStream, item: TokenStream) -> TokenStream {
    group::group(&parse_macro_input!(arguments), parse_macro_input!(item)).into()
}

/// Wires that belong together: a struct over the direction in which they lead.
#[proc_macro_attribute]
pub fn bundle(arguments: TokenStream, item: TokenStream) -> TokenStream {
    bundle::bundle(&parse_macro_input!(arguments), parse_macro_input!(item)).into()
}

/// What a block does: `update`, and the steps that it calls. `#[kernel(steps)]` has further steps, in a file of their
/// own.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = arguments.to_string();
    if !matches!(&arguments[..], "" | "steps") {
        let error = syn::Error::new(proc_macro2::Span::call_site(), "it is `#[kernel]` or `#[kernel(steps)]`");
        return error.to_compile_error().into();
    }
    kernel::kernel(parse_macro_input!(item), arguments == "steps").into()
}
