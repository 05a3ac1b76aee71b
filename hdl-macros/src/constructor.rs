//! Constructors: the parts whose sizes stand in their types, and the whole where the attribute names its arguments.

use crate::doc::snake_case;
use crate::hygiene::part;
use crate::member::{Kind, Member};
use crate::size::reads;
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, FnArg, Ident, ItemStruct, Meta, Pat, PatType, Token};

/// `impl Sizes`: the parts whose sizes stand in their types, made of the numbers that the constructor has set.
pub fn sizes(item: &ItemStruct, members: &[Member]) -> TokenStream {
    let (rt, name, (generics, arguments, bounds)) = (part(), &item.ident, item.generics.split_for_impl());
    let sized = || members.iter().filter_map(|m| Some((m, m.made.as_ref()?)));
    let numbers = members.iter().filter(|m| matches!(m.kind, Kind::Number { .. }));
    let read = numbers.filter(|m| sized().any(|(_, made)| reads(made, &m.name))).map(|m| {
        let (number, text) = (&m.name, m.name.to_string());
        quote!(let #number = #rt::Given::given(self.#number, #text);)
    });
    let set = sized().filter(|(m, _)| m.kind == Kind::Part).map(|(m, made)| {
        let (field, text) = (&m.name, m.name.to_string());
        quote!(#rt::Unset::check_unset(&self.#field, #text); self.#field = #made;)
    });
    quote! {
        #[automatically_derived]
        impl #generics #rt::Sizes for #name #arguments #bounds {
            fn sized(mut self) -> Self {
                #(#read)*
                #(#set)*
                self
            }
        }
    }
}

/// The arguments of a constructor: `#[block(width: usize, saturates: bool)]`.
#[derive(Default)]
pub struct Arguments(Punctuated<PatType, Token![,]>);

impl Parse for Arguments {
    fn parse(input: ParseStream) -> syn::Result<Arguments> {
        let argument = |input: ParseStream| match input.parse()? {
            FnArg::Typed(argument) => Ok(argument),
            FnArg::Receiver(me) => Err(Error::new_spanned(me, "an argument of a constructor has a name and a type")),
        };
        Punctuated::parse_terminated_with(input, argument).map(Arguments)
    }
}

impl Arguments {
    /// Whether the attribute leaves the constructor to the user.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn has(&self, name: &Ident) -> bool {
        self.0.iter().any(|argument| matches!(&*argument.pat, Pat::Ident(pattern) if pattern.ident == *name))
    }
}

/// The constructor: numbers first, each behind those that it is made of, then the parts.
pub fn constructor(item: &ItemStruct, members: &[Member], arguments: &Arguments) -> TokenStream {
    if arguments.is_empty() {
        return quote!();
    }
    let (rt, name, visibility, all) = (part(), &item.ident, &item.vis, &arguments.0);
    let function = Ident::new(&snake_case(&name.to_string()), name.span());
    let numbers = members.iter().filter(|m| matches!(m.kind, Kind::Number { .. }) && !arguments.has(&m.name));
    let numbers = in_order(numbers.collect()).into_iter().map(|m| match (&m.name, &m.ty, &m.made) {
        (number, ty, Some(made)) => quote!(let #number: #ty = #made;),
        (number, _, None) => {
            let message = format!(
                "`{number}`: a number is an argument of the same name, or has its value: `{number}: Param<{{ .. }}>`"
            );
            Error::new(number.span(), message).to_compile_error()
        }
    });
    let fields = members.iter().map(|m| {
        let (field, ty) = (&m.name, &m.ty);
        match (m.kind, &m.made) {
            (Kind::Number { .. }, _) => quote!(#field),
            (_, Some(made)) => quote!(#field: #made),
            (Kind::Data, None) if arguments.has(field) => quote!(#field),
            (Kind::Data, None) => quote!(#field: <#ty as ::core::default::Default>::default()),
            (Kind::Part, None) => quote!(#field: <#ty as #rt::Plain>::plain()),
        }
    });
    let required = item.attrs.iter().filter(|a| a.path().is_ident("requires")).map(|a| match &a.meta {
        Meta::List(list) => list.tokens.clone(),
        _ => Error::new_spanned(a, "it is `#[requires(condition, \"what is required\")]`").to_compile_error(),
    });
    let doc = format!("[`{name}`].");
    let (generics, of, bounds) = item.generics.split_for_impl();
    quote! {
        #[doc = #doc]
        #[allow(clippy::too_many_arguments)]
        #visibility fn #function #generics(#all) -> #name #of #bounds {
            #(#numbers)*
            #(assert!(#required);)*
            #name { #(#fields),* }
        }
    }
}

/// The numbers, each behind those that its value reads. Of numbers that read each other rustc says what is wrong.
fn in_order(mut numbers: Vec<&Member>) -> Vec<&Member> {
    let mut ordered = vec![];
    while !numbers.is_empty() {
        let reads_later = |m: &Member| m.made.as_ref().is_some_and(|made| numbers.iter().any(|n| reads(made, &n.name)));
        let next = numbers.iter().position(|m| !reads_later(m)).unwrap_or(0);
        ordered.push(numbers.remove(next));
    }
    ordered
}
