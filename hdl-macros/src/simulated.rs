//! rust-hdl's `Block` for a struct of parts: what the simulator walks, and what the back-end visits.

use crate::hygiene::{hidden, part};
use crate::member::{Kind, Member};
use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemStruct;

/// `impl Block`; `start` and `end` are what a visit begins and ends with. Both may use the variables of [`visit`].
pub fn simulated(item: &ItemStruct, members: &[Member], start: TokenStream, end: TokenStream) -> TokenStream {
    let (name, (generics, arguments, bounds)) = (&item.ident, item.generics.split_for_impl());
    let (rt, Visit { probe, name: visited }) = (part(), visit());
    let parts = || members.iter().filter(|m| m.kind == Kind::Part);
    let connect = parts().map(|m| m.each_mut(&|place| quote!(#rt::Block::connect_all(&mut #place);)));
    let update = parts().map(|m| m.each_mut(&|place| quote!(#rt::Block::update_all(&mut #place);)));
    let changed = parts().map(|m| m.each(&|place| quote!(if #rt::Block::has_changed(&#place) { return true; })));
    let accept = members.iter().map(visited_member);
    quote! {
        #[automatically_derived]
        impl #generics #rt::Block for #name #arguments #bounds {
            fn connect_all(&mut self) {
                #rt::Logic::connect(self);
                #(#connect)*
            }
            fn update_all(&mut self) {
                #rt::Logic::update(self);
                #(#update)*
            }
            fn has_changed(&self) -> bool {
                #(#changed)*
                false
            }
            fn accept(&self, #visited: &str, #probe: &mut dyn #rt::Probe) {
                #start
                #(#accept)*
                #end
            }
        }
    }
}

/// The variables of a visit.
pub struct Visit {
    pub probe: syn::Ident,
    pub name: syn::Ident,
}

/// Their names.
pub fn visit() -> Visit {
    Visit { probe: hidden("probe"), name: hidden("visited") }
}

fn visited_member(member: &Member) -> TokenStream {
    let (rt, probe, name) = (part(), visit().probe, hidden("name"));
    let (text, doc) = (member.name.to_string(), &member.doc);
    match member.kind {
        Kind::Part => member.each_named(
            &|place| quote!(#rt::Block::accept(&#place, #name, &mut #rt::Documented::new(&mut *#probe, #doc));),
        ),
        Kind::Number { .. } => member.each(&|place| quote!(#rt::Known::visit(&#place, #text, #probe);)),
        Kind::Data => quote!(),
    }
}
