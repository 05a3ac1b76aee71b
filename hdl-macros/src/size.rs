//! Sizes in the types of fields: `Sig<In, ports>` has `ports` bits, `Vec<Flag<In>, vcs>` has `vcs` elements;
//! `Arbiter<ports>` is made by `arbiter(ports)`.
//!
//! A size is a number of the block or a constant, or an expression of these in braces, as an argument of a type is in
//! Rust.

use crate::doc::snake_case;
use proc_macro2::TokenStream;
use quote::quote;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprBlock, GenericArgument, Ident, Path, PathArguments, Stmt, Type};

/// A type without its sizes, and what makes a part of it, where sizes were in it.
pub struct Size {
    pub ty: Type,
    pub made: Option<TokenStream>,
}

/// Takes the sizes off a type.
pub fn size(ty: &Type) -> Size {
    let unsized_type = |ty: &Type| Size { ty: ty.clone(), made: None };
    let Some((name, arguments)) = arguments(ty) else { return unsized_type(ty) };
    let rtl = quote!(::railyard_hdl::rtl);
    let (types, made) = match (&name.to_string()[..], &arguments[..]) {
        ("Sig", [_, width]) => (1, quote!(#rtl::sig(#width))),
        ("Reg", [width]) => (0, quote!(#rtl::reg(#width, 0u8))),
        ("Reg", [width, reset]) if is_none(reset) => (0, quote!(#rtl::reg_no_reset(#width))),
        ("Reg", [width, reset]) => (0, quote!(#rtl::reg(#width, #reset))),
        ("Regs", [count, width]) => (0, quote!(#rtl::regs(#count, #width, 0u8))),
        ("Regs", [count, width, reset]) if is_none(reset) => (0, quote!(#rtl::regs_no_reset(#count, #width))),
        ("Regs", [count, width, reset]) => (0, quote!(#rtl::regs(#count, #width, #reset))),
        ("FlagReg", [reset]) if is_none(reset) => (0, quote!(#rtl::flag_reg_no_reset())),
        ("FlagReg", [reset]) => (0, quote!(#rtl::flag_reg(#reset))),
        ("Field", [lsb, width]) => (0, quote!(#rtl::field(#lsb, #width))),
        ("Konst", [width, value]) => (0, quote!(#rtl::konst(#width, #value))),
        ("Ram", [depth, width]) => (0, quote!(#rtl::ram(#depth, #width))),
        ("Vec", [Argument::Type(element), count]) => {
            return held(ty, element, |made| quote!(#rtl::many(#count, || #made)))
        }
        ("Vec", [Argument::Type(element), count, built]) => {
            return held(ty, element, |made| quote!(#rtl::many(if #built { #count } else { 0 }, || #made)))
        }
        ("Option", [Argument::Type(part), built]) => return held(ty, part, |made| quote!((#built).then(|| #made))),
        ("Bare", [Argument::Type(part)]) => {
            let Size { ty: inner, made } = size(part);
            return Size { ty: with_types(ty, 1, Some(inner)), made };
        }
        ("Vec" | "Option", _) => return unsized_type(ty),
        ("Param" | "Number", [value]) if value.is_value() => (0, quote!(#value)),
        ("Param" | "Number", [_, value]) => (1, quote!(#value)),
        (name, all) => match all.iter().position(Argument::is_value) {
            Some(types) => {
                let (made, values) = (function(ty, name), &all[types..]);
                (types, quote!(#made(#(#values),*)))
            }
            None => return unsized_type(ty),
        },
    };
    Size { ty: with_types(ty, types, None), made: Some(made) }
}

/// A `Vec` or `Option`: without its size, of what it holds without theirs.
fn held(ty: &Type, part: &Type, make: impl Fn(TokenStream) -> TokenStream) -> Size {
    let (rt, Size { ty: inner, made }) = (crate::hygiene::part(), size(part));
    let made = make(made.unwrap_or(quote!(#rt::Plain::plain())));
    Size { ty: with_types(ty, 1, Some(inner)), made: Some(made) }
}

/// An argument of a type: a type or a number, which the parser cannot always tell apart.
enum Argument {
    Type(Type),
    Number(Expr),
}

impl Argument {
    /// Whether it is a value by its form: a literal, an expression in braces, or a name as variables and constants have
    /// it.
    fn is_value(&self) -> bool {
        match self {
            Argument::Number(_) => true,
            Argument::Type(Type::Path(path)) => path.path.get_ident().is_some_and(|ident| {
                let name = ident.to_string();
                let is_constant = name.len() > 1 && !name.contains(char::is_lowercase);
                is_constant || name.starts_with(char::is_lowercase) && name != "usize" && name != "bool"
            }),
            Argument::Type(_) => false,
        }
    }
}

/// The function that makes a part of a type: its name in snake_case, at the type's place.
fn function(ty: &Type, name: &str) -> Path {
    let Type::Path(path) = ty else { unreachable!("a type with arguments is a path") };
    let mut function = path.path.clone();
    if let Some(last) = function.segments.last_mut() {
        last.ident = Ident::new(&snake_case(name), last.ident.span());
        last.arguments = PathArguments::None;
    }
    function
}

impl quote::ToTokens for Argument {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Argument::Type(ty) => ty.to_tokens(tokens),
            Argument::Number(e) => e.to_tokens(tokens),
        }
    }
}

/// The name of a type, and its arguments.
fn arguments(ty: &Type) -> Option<(&Ident, Vec<Argument>)> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let argument = |argument: &GenericArgument| match argument {
        GenericArgument::Type(ty) => Some(Argument::Type(ty.clone())),
        GenericArgument::Const(e) => Some(Argument::Number(without_braces(e))),
        _ => None,
    };
    Some((&last.ident, arguments.args.iter().map(argument).collect::<Option<_>>()?))
}

fn without_braces(e: &Expr) -> Expr {
    match e {
        Expr::Block(ExprBlock { block: Block { stmts, .. }, .. }) => match &stmts[..] {
            [Stmt::Expr(inner, None)] => inner.clone(),
            _ => e.clone(),
        },
        e => e.clone(),
    }
}

/// `NoReset`, in place of a reset value.
fn is_none(argument: &Argument) -> bool {
    matches!(argument, Argument::Type(Type::Path(path)) if path.path.is_ident("NoReset"))
}

/// The type with its first arguments only; the first may be another.
fn with_types(ty: &Type, count: usize, first: Option<Type>) -> Type {
    let mut ty = ty.clone();
    let Type::Path(path) = &mut ty else { return ty };
    let Some(last) = path.path.segments.last_mut() else { return ty };
    if count == 0 {
        last.arguments = PathArguments::None;
    } else if let PathArguments::AngleBracketed(arguments) = &mut last.arguments {
        arguments.args = arguments.args.iter().take(count).cloned().collect();
        if let (Some(first), Some(argument)) = (first, arguments.args.first_mut()) {
            *argument = GenericArgument::Type(first);
        }
    }
    ty
}

/// Whether `made` reads the number `name` of the block.
pub fn reads(made: &TokenStream, name: &Ident) -> bool {
    struct Reads<'n>(&'n Ident, bool);
    impl<'ast> Visit<'ast> for Reads<'_> {
        fn visit_path(&mut self, path: &'ast Path) {
            self.1 |= path.is_ident(self.0);
            visit::visit_path(self, path);
        }
    }
    let mut reads = Reads(name, false);
    if let Ok(e) = syn::parse2::<Expr>(made.clone()) {
        reads.visit_expr(&e);
    }
    reads.1
}
