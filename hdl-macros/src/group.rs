//! `#[group]`: parts of a block that are there together, as one `Option`. In Verilog they go by their own names.

use crate::block::{as_defaults, tree_call, wire_call};
use crate::constructor::{constructor, Arguments};
use crate::hygiene::{hidden, out, part};
use crate::member::{cleaned, members, Kind};
use crate::plain::plain;
use crate::simulated::{simulated, visit, Visit};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, ItemStruct};

pub fn group(given: &Arguments, item: ItemStruct) -> TokenStream {
    let (members, errors) = members(&item);
    let errors = errors.iter().map(Error::to_compile_error);
    let (rt, Visit { probe, name: visited }) = (part(), visit());
    let own = hidden("own");
    let start = quote!(let #own = &#rt::unnamed(#visited); #probe.visit_start_namespace(#own, self););
    let simulated = simulated(&item, &members, start, quote!(#probe.visit_end_namespace(#own, self);));
    let (name, (generics, arguments, bounds)) = (&item.ident, item.generics.split_for_impl());
    let parts = || members.iter().filter(|m| m.kind == Kind::Part);
    let wire = parts().map(|m| m.each_mut(&wire_call));
    let tree = parts().map(|m| m.each_named_under(&tree_call));
    let tree = as_defaults(quote!(#(#tree)*));
    let (clock, reset, prefix, resets, out) =
        (hidden("clock"), hidden("reset"), hidden("prefix"), hidden("resets"), out());
    let clocked = quote! {
        #[automatically_derived]
        impl #generics #rt::Clocked for #name #arguments #bounds {
            fn wire_clock(&mut self, #clock: #rt::Clock, #reset: Option<bool>) {
                #(#wire)*
            }
            fn wire_clock_hdl(&self, #prefix: &str, #resets: bool, #out: &mut #rt::ast::VerilogBlock) {
                #tree
            }
        }
    };
    let plain = plain(&item, &members, given.is_empty());
    let (constructor, cleaned) = (constructor(&item, &members, given), cleaned(&item));
    quote! {
        #cleaned
        #(#errors)*
        #plain
        #constructor
        #simulated
        #[automatically_derived]
        impl #generics #rt::Logic for #name #arguments #bounds {
            fn update(&mut self) {}
        }
        #[allow(unused_variables, unused_imports, clippy::all)]
        const _: () = {
            use #rt::{Clocked as _, Unclocked as _};
            #clocked
        };
    }
}
