//! `railyard man`.

use crate::cli::{ManArgs, NAME};
use crate::folder::write_files;
use crate::table::two_columns;
use crate::{answer, cli, Error, Outcome};
use clap::Command;
use clap_mangen::roff::{roman, Roff};
use clap_mangen::Man;
use serde_json::json;
use std::io;

/// Writes a manual page for each verb.
///
/// # Errors
/// The folder can't be written.
pub fn run(args: &ManArgs) -> Result<Outcome, Error> {
    let mut command = cli::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    add_pages(&command, &mut pages).expect("writing to memory");
    let files = write_files(&args.output, &pages)?;
    match args.json {
        true => answer::json(&json!({"files": answer::paths(&files)}))?,
        false => answer::text(&two_columns(&[("wrote", format!("{} pages", files.len()))]))?,
    }
    Ok(Outcome::Fine)
}

/// The pages of a command and of those below it: name of the file and text.
fn add_pages(command: &Command, pages: &mut Vec<(String, String)>) -> io::Result<()> {
    let man = Man::new(command.clone()).source(format!("{NAME} {}", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    notes(command).to_writer(&mut text)?;
    pages.push((man.get_filename(), String::from_utf8(text).expect("help texts are UTF-8")));
    command.get_subcommands().try_for_each(|below| add_pages(below, pages))
}

/// What `--help` shows last, line by line: examples are no running text.
fn notes(command: &Command) -> Roff {
    let mut page = Roff::default();
    if let Some(last) = command.get_after_long_help().or(command.get_after_help()) {
        page.control("SH", ["NOTES"]);
        page.control("nf", []);
        for line in last.to_string().lines() {
            page.text([roman(line)]);
        }
        page.control("fi", []);
    }
    page
}
