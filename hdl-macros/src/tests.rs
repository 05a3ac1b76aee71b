//! Error texts: each file of `tests/errors` says, under a line, where in it an error stands and what its text is.
//!
//! The attributes run here as plain functions, so the texts are those of the macros and not of a version of rustc.

use crate::constructor::Arguments;
use crate::{block, bundle, group, kernel};
use proc_macro2::{TokenStream, TokenTree};
use std::fs;
use std::path::Path;
use syn::spanned::Spanned;
use syn::{Attribute, Item, Meta};

/// An error: line, column (both from 1), text.
type Found = (usize, usize, String);

/// Errors that the file's annotations expect: ``//~ `sum`: text`` stands under the line in which `sum` is wrong.
/// A long text goes on in the next line, after `//~` and three spaces.
fn expected(source: &str) -> Vec<Found> {
    let mut found: Vec<Found> = vec![];
    let (mut number, mut line) = (0, "");
    for (i, text) in source.lines().enumerate() {
        if let Some(rest) = text.trim_start().strip_prefix("//~   ") {
            let (_, _, text) = found.last_mut().expect("a text goes on only after its first line");
            *text += &format!(" {rest}");
            continue;
        }
        match text.trim_start().strip_prefix("//~ `") {
            None => (number, line) = (i + 1, text),
            Some(annotation) => {
                let (place, text) = annotation.split_once("`: ").expect("an annotation is a place and a text");
                let column = line.find(place).expect("the place is in the line above");
                found.push((number, column + 1, text.to_string()));
            }
        }
    }
    found
}

/// The errors in generated code.
fn errors(code: TokenStream, found: &mut Vec<Found>) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            let of_error = i >= 2 && tokens[i - 2].to_string() == "compile_error";
            match group.stream().into_iter().next() {
                Some(TokenTree::Literal(text)) if of_error => {
                    let start = tokens[i - 2].span().start();
                    let text: syn::LitStr = syn::parse_quote!(#text);
                    found.push((start.line, start.column + 1, text.value()));
                }
                _ => errors(group.stream(), found),
            }
        }
    }
}

/// The attribute of an item that is ours, taken off it, and its arguments.
fn attribute(attributes: &mut Vec<Attribute>) -> (String, Arguments) {
    let taken = attributes.remove(0);
    let name = taken.path().require_ident().expect("our attributes are one word").to_string();
    let arguments = match taken.meta {
        Meta::List(list) => syn::parse2(list.tokens).expect("arguments have names and types"),
        _ => Arguments::default(),
    };
    (name, arguments)
}

fn expanded(item: Item) -> TokenStream {
    match item {
        Item::Struct(mut item) => match attribute(&mut item.attrs) {
            (name, arguments) if name == "block" => block::block(&arguments, item),
            (name, arguments) if name == "bundle" => bundle::bundle(&arguments, item),
            (name, arguments) if name == "group" => group::group(&arguments, item),
            (name, _) => panic!("`{name}` does not stand on a struct"),
        },
        Item::Impl(mut item) => {
            attribute(&mut item.attrs);
            kernel::kernel(item, false)
        }
        other => panic!("line {}: no item of ours", other.span().start().line),
    }
}

/// Errors, a line each.
fn list(all: &[Found]) -> String {
    all.iter().map(|(line, column, text)| format!("  {line}:{column}: {text}\n")).collect()
}

#[test]
fn errors_stand_at_the_expression_of_the_user() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    let (mut files, mut wrong) = (0, String::new());
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        let source = fs::read_to_string(&file).unwrap();
        let mut found = vec![];
        for item in syn::parse_file(&source).unwrap().items {
            errors(expanded(item), &mut found);
        }
        found.sort();
        let expected = expected(&source);
        if found != expected {
            wrong.push_str(&format!("{}\nfound:\n{}expected:\n{}", file.display(), list(&found), list(&expected)));
        }
        files += 1;
    }
    assert!(files > 0 && wrong.is_empty(), "{wrong}");
}
