//! `railyard picture`.

use crate::cli::{DescriptionArgs, PictureArgs};
use crate::folder::{check_file, write_file};
use crate::table::{columns, two_columns};
use crate::text::read_text;
use crate::{answer, Error, Outcome};
use railyard_input::{Faults, FileKind, InputSource};
use railyard_picture::kind::{find, PictureKind, Trouble, KINDS};
use serde_json::json;

/// Draws a picture, or lists the kinds.
///
/// # Errors
/// A bad description or network file, a picture that it has no part for, a file that can't be written.
pub fn run(args: &PictureArgs) -> Result<Outcome, Error> {
    let (Some(name), Some(source)) = (&args.kind, &args.source) else { return list(args.json) };
    let kind = find(name).expect("clap has checked the name");
    let place = args.output.as_deref();
    place.map(check_file).transpose()?;
    let svg = draw(&kind, source)?;
    place.map(|place| write_file(place, &svg)).transpose()?;
    match (args.json, place) {
        (true, None) => answer::json(&json!({"kind": name, "svg": svg}))?,
        (true, Some(file)) => answer::json(&json!({"kind": name, "file": file}))?,
        (false, None) => answer::text(&svg)?,
        (false, Some(file)) => answer::text(&two_columns(&[("wrote", file.display().to_string())]))?,
    }
    Ok(Outcome::Fine)
}

fn list(json: bool) -> Result<Outcome, Error> {
    let source = |kind: &PictureKind| if kind.is_of_network() { "network file" } else { "switch description" };
    if json {
        let kinds = KINDS.map(
            |kind| json!({"name": kind.name, "about": kind.about, "source": source(&kind), "example": kind.example}),
        );
        answer::json(&kinds)?;
    } else {
        let row = |kind: PictureKind| [kind.name, kind.about, source(&kind), kind.example].map(String::from).to_vec();
        let heads = ["kind", "what is seen", "made of", "for instance"].map(String::from).to_vec();
        let rows: Vec<Vec<String>> = std::iter::once(heads).chain(KINDS.map(row)).collect();
        answer::text(&columns(&rows))?;
    }
    Ok(Outcome::Fine)
}

/// The picture as SVG.
fn draw(kind: &PictureKind, source: &InputSource) -> Result<String, Error> {
    let drawn = match kind.is_of_network() {
        false => kind.of_switch(&DescriptionArgs { config: source.clone() }.load()?),
        true => {
            let text = read_text(source, FileKind::Network)?;
            kind.of_network(&text, source.folder())
        }
    };
    match drawn.expect("the kind is of that source") {
        Ok(canvas) => Ok(canvas.svg()),
        Err(Trouble::Description(cause)) => Err(Error::Network { path: source.to_string(), cause }),
        Err(Trouble::Unsuited(fault)) => {
            Err(Error::Picture { path: source.to_string(), kind: kind.name.into(), faults: Faults::from(fault) })
        }
    }
}
