//! `assert!(condition, "what holds")`: a property of the block, checked at each rising clock edge outside of reset.
//!
//! The simulator notes each pass in which the condition is false; a bench looks at the notes of the last pass before
//! the edge. The syntax tree has the property as an `if` around a marked comment, which the back-end takes out again.

use super::scope::Names;
use super::value::value;
use super::{fail, Result};
use crate::hygiene::{out, part};
use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{parse_quote, Expr, ExprLit, Lit, LitStr, Macro, Stmt, Token};

/// Longest text: with its indentation it fits a line of the Verilog.
const MOST_LETTERS: usize = 80;

struct Property {
    condition: Expr,
    text: LitStr,
}

/// Whether a statement of this macro states a property.
pub fn is_property(mac: &Macro) -> bool {
    mac.path.is_ident("assert")
}

fn property(mac: &Macro) -> Result<Property> {
    let arguments = mac.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated)?;
    let mut arguments = arguments.into_iter();
    let (condition, text) = match (arguments.next(), arguments.next(), arguments.next()) {
        (Some(condition), Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })), None) => (condition, text),
        _ => return fail(mac, "a property is `assert!(condition, \"what holds\")`"),
    };
    let letters = text.value();
    let printable = letters.chars().all(|c| (c.is_ascii_graphic() || c == ' ') && !"\"\\%{}".contains(c));
    if letters.is_empty() || letters.len() > MOST_LETTERS || !printable {
        let message = format!("the text is of 1 to {MOST_LETTERS} ASCII characters, without quotes, `\\`, `%`, braces");
        return fail(text, message);
    }
    Ok(Property { condition, text })
}

/// What the twin does.
pub fn stated(mac: &Macro, names: &Names) -> Result<TokenStream> {
    let (Property { condition, text }, rt, out) = (property(mac)?, part(), out());
    let condition = value(&condition, names)?;
    Ok(quote!(#out.push(#rt::property(#text, #condition));))
}

/// What the simulator does; nothing where the property is wrong, which the twin reports.
pub fn checked(mac: &Macro) -> Option<Stmt> {
    let (Property { condition, text }, rt) = (property(mac).ok()?, part());
    Some(parse_quote!(#rt::check(#condition, #text, ::std::any::type_name::<Self>());))
}
