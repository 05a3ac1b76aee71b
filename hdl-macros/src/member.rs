//! The fields of a block, bundle or group: what each is, and how its parts are reached.

use crate::doc::comment;
use crate::hygiene::hidden;
use crate::size::{size, Size};
use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Error, Expr, Field, Fields, GenericArgument, Ident, ItemStruct, PathArguments, Type, Visibility};

/// What a field is.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// A signal, register, sub-block or bundle: known to the simulator.
    Part,
    /// A number or flag that the kernel knows as a constant.
    Number {
        /// Listed in the header of the module, and telling it from others of its kind.
        listed: bool,
    },
    /// Plain Rust.
    Data,
}

/// A field.
pub struct Member {
    pub name: Ident,
    /// Its type, without the sizes in it.
    pub ty: Type,
    /// What makes the part or number, where its sizes or value stand in its type, or `#[made(..)]` says it.
    pub made: Option<TokenStream>,
    pub kind: Kind,
    /// Text of its `///`.
    pub doc: String,
    /// A bundle whose wires go by their own names, without that of the field.
    pub bare: bool,
    /// The comment of the module, where it depends on the shape.
    pub about: bool,
    /// The text that tells modules of one kind apart by name.
    pub label: bool,
    /// A parameter that is listed in hexadecimal.
    pub hexadecimal: bool,
    /// The name in the header of a parameter: that of the field, or `name` of `#[listed(name)]`.
    pub listed_as: String,
}

/// Our attributes of fields.
const ATTRIBUTES: [&str; 6] = ["made", "listed", "hex", "label", "data", "about"];

/// What `reset` means where nothing else is said.
const RESET: &str = "Synchronous reset, active high.";

/// The fields, and what is wrong with them.
pub fn members(item: &ItemStruct) -> (Vec<Member>, Vec<Error>) {
    let Fields::Named(fields) = &item.fields else {
        let message = format!("`{}`: a block is a struct with named fields", item.ident);
        return (vec![], vec![Error::new(item.ident.span(), message)]);
    };
    // A block in the old style, which says all of itself in its constructor.
    let old = fields.named.iter().any(|f| f.ident.as_ref().is_some_and(|name| name == "about"));
    let mut errors = vec![];
    let members = fields.named.iter().map(|field| member(field, old, &mut errors)).collect();
    (members, errors)
}

fn member(field: &Field, old: bool, errors: &mut Vec<Error>) -> Member {
    let has = |attribute: &str| field.attrs.iter().any(|a| a.path().is_ident(attribute));
    let (name, Size { ty, made }) = (field.ident.clone().expect("fields are named"), size(&field.ty));
    let made = match field.attrs.iter().find(|a| a.path().is_ident("made")).map(|a| a.parse_args::<Expr>()) {
        Some(Ok(made)) => Some(quote!(#made)),
        Some(Err(error)) => {
            errors.push(error);
            None
        }
        None => made,
    };
    let (bare, listed) = (alias(&ty, "Bare").is_some(), alias(&ty, "Param").is_some());
    let aliased = alias(&ty, "Param").or(alias(&ty, "Number"));
    let (optional, ty) = (aliased.is_some(), aliased.or(alias(&ty, "Bare")).unwrap_or(ty));
    let is_number = |ty: &Type| is_named(ty, "usize") || is_named(ty, "bool");
    let number = is_number(&ty) || optional && inside(&ty, "Option").is_some_and(is_number);
    let kind = match () {
        _ if has("data") || has("about") || has("label") || name.to_string().starts_with('_') => Kind::Data,
        _ if number => Kind::Number { listed },
        _ if listed => {
            let message = "a parameter is a `usize` or a `bool`, or an `Option` of one; other plain Rust is `#[data]`";
            errors.push(Error::new(ty.span(), format!("`{name}`: {message}")));
            Kind::Data
        }
        _ => Kind::Part,
    };
    if !old {
        check(field, &name, kind, &ty, errors);
    }
    if has("hex") && !listed {
        let message = format!("`{name}`: what is listed in hexadecimal is a parameter: its type is `Param`");
        errors.push(Error::new(field.ty.span(), message));
    }
    let listed_as = listed_as(field, &name, errors);
    let mut doc = comment(&field.attrs);
    if doc.is_empty() && name == "reset" {
        doc = RESET.into();
    }
    let public = !matches!(field.vis, Visibility::Inherited);
    if !old && public && doc.is_empty() && is_wire(&ty) {
        errors.push(Error::new(name.span(), format!("say in `///` what the port `{name}` means")));
    }
    let (about, label, hexadecimal) = (has("about"), has("label"), has("hex"));
    Member { bare, about, label, hexadecimal, listed_as, name, ty, made, kind, doc }
}

/// What is wrong with a field, beside its comment.
fn check(field: &Field, name: &Ident, kind: Kind, ty: &Type, errors: &mut Vec<Error>) {
    if kind == Kind::Part && is_plain_rust(ty) {
        let message = "a field of this type is no hardware: a number is a `usize`, other plain Rust is `#[data]`";
        errors.push(Error::new(field.ty.span(), format!("`{name}`: {message}")));
    }
    if inside(&field.ty, "Bare").is_some() && (kind != Kind::Part || is_wire(ty)) {
        errors.push(Error::new(field.ty.span(), format!("`{name}`: what is `Bare<..>` is a bundle")));
    }
}

/// What is wrong with the clock and the reset of a block.
pub fn clock_errors(members: &[Member]) -> Vec<Error> {
    let is_flag = |ty: &Type| inside(ty, "Flag").is_some_and(|inner| is_named(inner, "In"));
    let wrong = |member: &&Member| match &member.name.to_string()[..] {
        "clock" => !is_named(&member.ty, "ClockIn"),
        "reset" => !is_flag(&member.ty),
        _ => false,
    };
    let error = |member: &Member| {
        let (name, right) = (&member.name, if member.name == "clock" { "ClockIn" } else { "Flag<In>" });
        Error::new(member.ty.span(), format!("`{name}`: a block has its {name} as `{name}: {right}`"))
    };
    members.iter().filter(wrong).map(error).collect()
}

/// The name under which a parameter is listed.
fn listed_as(field: &Field, name: &Ident, errors: &mut Vec<Error>) -> String {
    let listed = field.attrs.iter().find(|a| a.path().is_ident("listed"));
    match listed.map(|a| (a, a.parse_args::<Ident>())) {
        None => name.to_string(),
        Some((_, Ok(other))) => other.to_string(),
        Some((attribute, Err(_))) => {
            let message = format!("`{name}`: a parameter is listed by a name: `#[listed(lanes)]`");
            errors.push(Error::new(attribute.span(), message));
            name.to_string()
        }
    }
}

/// The struct without our attributes and sizes.
pub fn cleaned(item: &ItemStruct) -> ItemStruct {
    let mut item = item.clone();
    item.attrs.retain(|a| !a.path().is_ident("requires"));
    let ours = |a: &syn::Attribute| ATTRIBUTES.iter().any(|name| a.path().is_ident(name));
    item.fields.iter_mut().for_each(|f| {
        f.attrs.retain(|a| !ours(a));
        f.ty = size(&f.ty).ty;
    });
    // Ports have a rule of their own: flags and vectors say what they mean, clocks and bundles need not.
    item.attrs.push(syn::parse_quote!(#[allow(missing_docs)]));
    item
}

// ---- types

fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ungrouped(ty), Type::Path(path) if path.path.is_ident(name))
}

/// The type itself, where it comes from a macro.
fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        other => other,
    }
}

/// The number that `Param` is, or `Param<T>`; nothing where the type has another name.
fn alias(ty: &Type, name: &str) -> Option<Type> {
    match is_named(ty, name) {
        true => Some(syn::parse_quote!(usize)),
        false => inside(ty, name).cloned(),
    }
}

/// `T` of `Wrapper<T>`.
fn inside<'t>(ty: &'t Type, wrapper: &str) -> Option<&'t Type> {
    let Type::Path(path) = ungrouped(ty) else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == wrapper)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) => Some(inner),
        _ => None,
    }
}

/// Whether the type, without `Option` and `Vec`, is a `Flag` or `Sig`.
fn is_wire(ty: &Type) -> bool {
    match inside(ty, "Option").or_else(|| inside(ty, "Vec")) {
        Some(inner) => is_wire(inner),
        None => inside(ty, "Flag").is_some() || inside(ty, "Sig").is_some(),
    }
}

/// Whether the type, without `Option` and `Vec`, is one of Rust's own that no hardware has.
fn is_plain_rust(ty: &Type) -> bool {
    const PLAIN: [&str; 15] =
        ["u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64", "char", "String"];
    match inside(ty, "Option").or_else(|| inside(ty, "Vec")) {
        Some(inner) => is_plain_rust(inner),
        None => matches!(ungrouped(ty), Type::Reference(_)) || PLAIN.iter().any(|name| is_named(ty, name)),
    }
}

/// The elements of a `Vec` that are looked into one by one: there is an `Option` in each.
fn elements(ty: &Type) -> Option<&Type> {
    let holds_option = |ty: &Type| inside(ty, "Option").is_some() || elements(ty).is_some();
    inside(ty, "Vec").filter(|inner| holds_option(inner))
}

// ---- how parts are reached

impl Member {
    /// `body` for each part that is there, borrowed as `&mut`; it is given a place.
    pub fn each_mut(&self, body: &dyn Fn(TokenStream) -> TokenStream) -> TokenStream {
        each(&self.ty, self.place(), &quote!(&mut), body)
    }

    /// `body` for each part that is there, borrowed as `&`.
    pub fn each(&self, body: &dyn Fn(TokenStream) -> TokenStream) -> TokenStream {
        each(&self.ty, self.place(), &quote!(&), body)
    }

    /// The same; the variable `name` holds the name of the part, as it is visited.
    pub fn each_named(&self, body: &dyn Fn(TokenStream) -> TokenStream) -> TokenStream {
        let (name, own) = (hidden("name"), self.name.to_string() + if self.bare { "~" } else { "" });
        let body = named(&self.ty, self.place(), body);
        quote!({ let #name: &str = #own; #body })
    }

    /// The same within a group or array that goes by the name in the variable `prefix`.
    pub fn each_named_under(&self, body: &dyn Fn(TokenStream) -> TokenStream) -> TokenStream {
        let (name, prefix, own) = (hidden("name"), hidden("prefix"), self.name.to_string());
        let body = named(&self.ty, self.place(), body);
        quote!({ let #name: &str = &format!("{}${}", #prefix, #own); #body })
    }

    /// Whether parts are looked for in it: it is an `Option`, or an array of them.
    pub fn is_optional(&self) -> bool {
        inside(&self.ty, "Option").is_some() || elements(&self.ty).is_some()
    }

    fn place(&self) -> TokenStream {
        let name = &self.name;
        quote!(self.#name)
    }
}

fn each(ty: &Type, place: TokenStream, borrow: &TokenStream, body: &dyn Fn(TokenStream) -> TokenStream) -> TokenStream {
    let part = hidden("part");
    if let Some(inner) = inside(ty, "Option") {
        let body = each(inner, quote!((*#part)), borrow, body);
        return quote!(if let Some(#part) = #borrow #place { #body });
    }
    if let Some(inner) = elements(ty) {
        let body = each(inner, quote!((*#part)), borrow, body);
        return quote!(for #part in #borrow #place { #body });
    }
    body(place)
}

fn named(ty: &Type, place: TokenStream, body: &dyn Fn(TokenStream) -> TokenStream) -> TokenStream {
    let (part, name, index) = (hidden("part"), hidden("name"), hidden("index"));
    if let Some(inner) = inside(ty, "Option") {
        let body = named(inner, quote!((*#part)), body);
        // To the back-end an `Option` is an array of one element or none.
        return quote!(if let Some(#part) = &#place { let #name: &str = &format!("{}$0", #name); #body });
    }
    if let Some(inner) = elements(ty) {
        let body = named(inner, quote!((*#part)), body);
        return quote!(for (#index, #part) in #place.iter().enumerate() {
            let #name: &str = &format!("{}${}", #name, #index);
            #body
        });
    }
    body(place)
}
