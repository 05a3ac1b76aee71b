//! `#[bundle]`: wires that belong together, as one field of a block and one statement of a kernel.

use crate::constructor::{constructor, Arguments};
use crate::hygiene::{hidden, out, part};
use crate::member::{cleaned, members, Kind};
use crate::plain::plain;
use crate::simulated::{simulated, visit, Visit};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, GenericParam, ItemStruct};

pub fn bundle(given: &Arguments, item: ItemStruct) -> TokenStream {
    let (members, mut errors) = members(&item);
    let side = match item.generics.params.iter().collect::<Vec<_>>()[..] {
        [GenericParam::Type(side)] => side.ident.clone(),
        _ => {
            let message = "a bundle is a struct over the direction of its wires: `struct Request<D: Side>`";
            errors.push(Error::new(item.ident.span(), message));
            let errors = errors.iter().map(Error::to_compile_error);
            let item = cleaned(&item);
            return quote!(#item #(#errors)*);
        }
    };
    for member in members.iter().filter(|m| m.kind != Kind::Part) {
        errors.push(Error::new(member.name.span(), format!("`{}`: a bundle holds wires and bundles", member.name)));
    }
    let errors = errors.iter().map(Error::to_compile_error);
    let (rt, out, Visit { probe, name: visited }) = (part(), out(), visit());
    let name = &item.ident;
    let start = quote!(#probe.visit_start_namespace(#visited, self););
    let simulated = simulated(&item, &members, start, quote!(#probe.visit_end_namespace(#visited, self);));
    let (generics, arguments, bounds) = item.generics.split_for_impl();
    let fields: Vec<_> = members.iter().filter(|m| m.kind == Kind::Part).map(|m| &m.name).collect();
    let (this, that, other) = (hidden("this"), hidden("that"), hidden("other"));
    let ends: Vec<_> = fields
        .iter()
        .map(|field| {
            let text = field.to_string();
            quote!(&format!("{}${}", #this, #text), &format!("{}${}", #that, #text))
        })
        .collect();
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
        #[automatically_derived]
        impl #generics #name #arguments #bounds {
            /// Hands the bundle on: `self` is of this block, `other` of a part of it.
            pub fn link(&mut self, #other: &mut Self) {
                #rt::Bundle::link(self, #other)
            }
            /// Connects two ends.
            pub fn join(&mut self, #other: &mut #name<#rt::Opposite<#side>>) {
                #rt::Bundle::join(self, #other)
            }
        }
        #[automatically_derived]
        impl #generics #rt::Bundle for #name #arguments #bounds {
            type End = #name<#rt::Opposite<#side>>;
            fn link(&mut self, #other: &mut Self) {
                #(#rt::Bundle::link(&mut self.#fields, &mut #other.#fields);)*
            }
            fn join(&mut self, #other: &mut Self::End) {
                #(#rt::Bundle::join(&mut self.#fields, &mut #other.#fields);)*
            }
            fn link_hdl(&self, #other: &Self, #this: &str, #that: &str, #out: &mut #rt::ast::VerilogBlock) {
                #(#rt::Bundle::link_hdl(&self.#fields, &#other.#fields, #ends, #out);)*
            }
            fn join_hdl(&self, #other: &Self::End, #this: &str, #that: &str, #out: &mut #rt::ast::VerilogBlock) {
                #(#rt::Bundle::join_hdl(&self.#fields, &#other.#fields, #ends, #out);)*
            }
        }
    }
}
