//! Comments: `///` in the source becomes the comment in the Verilog.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The text of the `///` lines up to the first empty one, as one line. What follows is for the reader of the source.
pub fn comment(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(line);
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    match &meta.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if meta.path.is_ident("doc") => {
            Some(text.value().trim().to_string())
        }
        _ => None,
    }
}

/// The name of a module: that of its struct in snake_case.
pub fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}
