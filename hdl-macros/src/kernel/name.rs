//! Names of the syntax tree: `self.q[2 * i + 1].valid.val()` is `q[2*i+1]$valid`. What is bound by `if let`, an
//! argument or a `let` has another name at each call, so a name is a format string with holes.

use super::scope::{is_self, Binding, Names};
use super::{fail, Result};
use crate::hygiene::text_of;
use proc_macro2::TokenStream;
use quote::{quote, ToTokens};
use syn::{BinOp, Expr, ExprPath, UnOp};

/// An expression of type `String`: the name of `e`.
pub fn name(e: &Expr, names: &Names) -> Result<TokenStream> {
    let mut name = Name { names, text: String::new(), holes: vec![] };
    name.write(e)?;
    let Name { text, holes, .. } = name;
    Ok(if holes.is_empty() { quote!(::std::string::String::from(#text)) } else { quote!(format!(#text, #(#holes),*)) })
}

struct Name<'n> {
    names: &'n Names,
    text: String,
    holes: Vec<TokenStream>,
}

impl Name<'_> {
    fn write(&mut self, e: &Expr) -> Result<()> {
        match e {
            Expr::Path(p) => return self.path(p),
            Expr::Field(f) => {
                if !is_self(&f.base) {
                    self.write(&f.base)?;
                    self.text.push('$');
                }
                self.text.push_str(&f.member.to_token_stream().to_string());
            }
            Expr::Index(i) => {
                self.write(&i.expr)?;
                self.text.push('[');
                self.write(&i.index)?;
                self.text.push(']');
            }
            Expr::MethodCall(m) if m.method == "val" || m.method == "index" => self.write(&m.receiver)?,
            Expr::MethodCall(m) if m.method == "len" => {
                self.write(&m.receiver)?;
                self.text.push_str("$len()");
            }
            Expr::Paren(p) => {
                self.text.push('(');
                self.write(&p.expr)?;
                self.text.push(')');
            }
            Expr::Binary(b) => {
                let Some(op) = operator(&b.op) else { return self.refuse(e) };
                self.write(&b.left)?;
                self.text.push_str(op);
                self.write(&b.right)?;
            }
            Expr::Lit(l) => self.text.push_str(&l.lit.to_token_stream().to_string()),
            Expr::Reference(r) => self.write(&r.expr)?,
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => self.write(&u.expr)?,
            _ => return self.refuse(e),
        }
        Ok(())
    }

    fn path(&mut self, p: &ExprPath) -> Result<()> {
        let bound = p.path.get_ident().and_then(|ident| Some((ident, self.names.of(ident)?)));
        match bound {
            Some((ident, Binding::Place | Binding::Number { .. })) => {
                let text = text_of(ident);
                self.text.push_str("{}");
                self.holes.push(quote!(#text));
            }
            Some((ident, Binding::LoopIndex)) => self.text.push_str(&ident.to_string()),
            Some((_, Binding::Value)) => return fail(p, "an argument that carries a value is no index"),
            None => self.text.push_str(&self.names.constant(&p.path)),
        }
        Ok(())
    }

    fn refuse<T>(&self, e: &Expr) -> Result<T> {
        fail(e, "this cannot stand in the name of a signal or in an index")
    }
}

fn operator(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add(_) => "+",
        BinOp::Sub(_) => "-",
        BinOp::Mul(_) => "*",
        BinOp::Div(_) => "/",
        BinOp::Rem(_) => "%",
        BinOp::Shl(_) => "<<",
        BinOp::Shr(_) => ">>",
        _ => return None,
    })
}
