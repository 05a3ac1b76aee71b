//! `#[block]`: a struct of parts becomes a block, with name, comment and parameters, and its parts get their clock.

use crate::constructor::{constructor, sizes, Arguments};
use crate::doc::{comment, snake_case};
use crate::hygiene::{hidden, out, part};
use crate::member::{cleaned, clock_errors, members, Kind, Member};
use crate::plain::plain;
use crate::simulated::{simulated, visit, Visit};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, ItemStruct};

pub fn block(arguments: &Arguments, item: ItemStruct) -> TokenStream {
    let (members, mut errors) = members(&item);
    errors.extend(clock_errors(&members));
    let errors = errors.iter().map(Error::to_compile_error);
    let (rt, Visit { probe, name }) = (part(), visit());
    let about = about(&item, &members);
    let start = quote!(#probe.visit_start_scope(#name, self); #about);
    let simulated = simulated(&item, &members, start, quote!(#probe.visit_end_scope(#name, self);));
    let (wired, wiring) = (wired(&item, &members), wiring(&item, &members));
    let (plain, made) = (
        plain(&item, &members, false),
        match arguments.is_empty() {
            true => sizes(&item, &members),
            false => constructor(&item, &members, arguments),
        },
    );
    let item = cleaned(&item);
    quote! {
        #item
        #(#errors)*
        #plain
        #made
        #simulated
        #wired
        #[allow(unused_variables, unused_imports, clippy::all)]
        const _: () = {
            use #rt::{Clocked as _, Unclocked as _};
            #wiring
        };
    }
}

/// The visit of what the block says about itself; nothing where a field `about` does.
fn about(item: &ItemStruct, members: &[Member]) -> TokenStream {
    let (rt, probe) = (part(), visit().probe);
    let constants = quote!({
        #[allow(unused_imports)]
        use #rt::{KernelConstants as _, NoConstants as _};
        self.kernel_constants()
    });
    if members.iter().any(|m| m.name == "about") {
        return quote!(#rt::visit_constants(#constants, #probe););
    }
    let (text, doc) = (snake_case(&item.ident.to_string()), comment(&item.attrs));
    let doc = match members.iter().find(|m| m.about) {
        Some(Member { name, .. }) => quote!(if self.#name.is_empty() { #doc } else { self.#name }),
        None => quote!(#doc),
    };
    let about = hidden("about");
    let labels = members.iter().filter(|m| m.label).map(|m| {
        let (field, text) = (&m.name, m.name.to_string());
        quote!(#about = #about.label(#text, self.#field);)
    });
    let params = members.iter().filter(|m| m.kind == Kind::Number { listed: true }).map(|m| {
        let (text, hexadecimal) = (&m.listed_as, m.hexadecimal);
        let param = if hexadecimal { quote!(hex_param) } else { quote!(param) };
        m.each(&|place| quote!(#about = #about.#param(#text, #rt::Known::number(&#place));))
    });
    quote! {
        #[allow(unused_mut)]
        let mut #about = #rt::about(#text, #doc);
        #(#labels)*
        #(#params)*
        #probe.visit_atom("about", &#about);
        #rt::visit_constants(#constants, #probe);
    }
}

fn has(members: &[Member], name: &str) -> bool {
    members.iter().any(|m| m.name == name)
}

/// `impl Clocked`: how the block that holds this one wires its clock and reset.
fn wired(item: &ItemStruct, members: &[Member]) -> TokenStream {
    let (rt, out) = (part(), out());
    let (name, (generics, arguments, bounds)) = (&item.ident, item.generics.split_for_impl());
    let (clock, reset, path, resets) = (hidden("clock"), hidden("reset"), hidden("path"), hidden("resets"));
    let (mut wire, mut tree) = (vec![], vec![]);
    if has(members, "clock") {
        wire.push(quote!(self.clock.next = #clock;));
        tree.push(quote!(#rt::wire_port(#path, "clock", #out);));
    }
    if has(members, "reset") {
        wire.push(quote!(if let Some(#reset) = #reset { self.reset.next = #reset; }));
        tree.push(quote!(if #resets { #rt::wire_port(#path, "reset", #out); }));
    }
    quote! {
        #[automatically_derived]
        #[allow(unused_variables)]
        impl #generics #rt::Clocked for #name #arguments #bounds {
            fn wire_clock(&mut self, #clock: #rt::Clock, #reset: Option<bool>) {
                #(#wire)*
            }
            fn wire_clock_hdl(&self, #path: &str, #resets: bool, #out: &mut #rt::ast::VerilogBlock) {
                #(#tree)*
            }
        }
    }
}

/// `impl WiresParts`: clock and reset of every part are the block's own.
fn wiring(item: &ItemStruct, members: &[Member]) -> TokenStream {
    let (rt, out) = (part(), out());
    let (name, (generics, arguments, bounds)) = (&item.ident, item.generics.split_for_impl());
    let in_reset = if has(members, "reset") { quote!(self.reset.val()) } else { quote!(false) };
    let (wire, tree) = if has(members, "clock") {
        let own_reset = if has(members, "reset") { quote!(Some(self.reset.val())) } else { quote!(None) };
        let (clock, reset, resets) = (hidden("clock"), hidden("reset"), hidden("resets"));
        let (has_reset, parts) = (has(members, "reset"), clocked(members));
        let (wire, tree) = (parts.wire, parts.tree);
        (
            quote!(let (#clock, #reset): (#rt::Clock, Option<bool>) = (self.clock.val(), #own_reset); #wire),
            quote!(let #resets = #has_reset; #tree),
        )
    } else {
        (quote!(), quote!())
    };
    quote! {
        #[automatically_derived]
        impl #generics #rt::WiresParts for #name #arguments #bounds {
            fn wire_parts(&mut self) {
                #wire
            }
            fn wire_parts_hdl(&self, #out: &mut #rt::ast::VerilogBlock) {
                #tree
            }
            fn in_reset(&self) -> bool {
                #in_reset
            }
        }
    }
}

/// What wires clock and reset of parts, in simulation and in the syntax tree.
struct ClockedParts {
    wire: TokenStream,
    tree: TokenStream,
}

fn clocked(members: &[Member]) -> ClockedParts {
    let parts = || members.iter().filter(|m| m.kind == Kind::Part && m.name != "clock" && m.name != "reset");
    let wire = parts().map(|m| m.each_mut(&wire_call));
    let tree = parts().map(|m| {
        let tree = m.each_named(&tree_call);
        if m.is_optional() {
            as_defaults(tree)
        } else {
            tree
        }
    });
    ClockedParts { wire: quote!(#(#wire)*), tree: quote!(#(#tree)*) }
}

/// What `tree` appends, as defaults of parts that may be missing.
pub fn as_defaults(tree: TokenStream) -> TokenStream {
    let (rt, out, defaults) = (part(), out(), hidden("defaults"));
    quote! {
        let mut #defaults = ::std::vec![];
        {
            let #out = &mut #defaults;
            #tree
        }
        #rt::push_defaults(#defaults, #out);
    }
}

/// `part.wire_clock(..)`: by [`Clocked`], or by `Unclocked`, one reference further away.
pub fn wire_call(place: TokenStream) -> TokenStream {
    let (clock, reset) = (hidden("clock"), hidden("reset"));
    quote!((&mut #place).wire_clock(#clock, #reset);)
}

/// The same in the syntax tree.
pub fn tree_call(place: TokenStream) -> TokenStream {
    let (name, resets, out) = (hidden("name"), hidden("resets"), out());
    quote!((&#place).wire_clock_hdl(#name, #resets, #out);)
}
