//! `plain()`, from which a constructor takes what it does not say: clocks, flags, what is not there.

use crate::hygiene::part;
use crate::member::{Kind, Member};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{parse_quote, ItemStruct};

/// `impl Plain`, for a struct all of whose fields have something plain. Sizes in types count where `sizes` says so:
/// there they are constants, and no numbers of a block.
pub fn plain(item: &ItemStruct, members: &[Member], sizes: bool) -> TokenStream {
    let (rt, name) = (part(), &item.ident);
    let mut generics = item.generics.clone();
    let bounds = &mut generics.make_where_clause().predicates;
    // Over a lifetime: so the compiler asks where `plain` is called, and not here.
    bounds.extend(members.iter().map(|m| -> syn::WherePredicate {
        let ty = &m.ty;
        match m.kind {
            Kind::Data => parse_quote!(for<'later> #ty: ::core::default::Default),
            _ => parse_quote!(for<'later> #ty: #rt::Plain),
        }
    }));
    let fields = members.iter().map(|m| {
        let (field, ty) = (&m.name, &m.ty);
        match (m.kind, m.made.as_ref().filter(|_| sizes)) {
            (Kind::Data, _) => quote!(#field: <#ty as ::core::default::Default>::default()),
            (_, Some(made)) => quote!(#field: #made),
            _ => quote!(#field: <#ty as #rt::Plain>::plain()),
        }
    });
    let (generics, arguments, bounds) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #generics #rt::Plain for #name #arguments #bounds {
            fn plain() -> Self {
                #name { #(#fields),* }
            }
        }
    }
}
