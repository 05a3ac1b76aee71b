//! The arguments of the verbs for machine and shell: `doctor`, `completions`, `man`.

use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

/// What `completions --help` shows last.
pub const COMPLETIONS: &str = "\
Examples:
  railyard completions bash > ~/.local/share/bash-completion/completions/railyard
  railyard completions zsh > ~/.zfunc/_railyard        with ~/.zfunc in fpath
  railyard completions fish > ~/.config/fish/completions/railyard.fish";

/// What `man --help` shows last.
pub const MAN: &str = "\
Examples:
  railyard man -o ~/.local/share/man/man1
  man railyard-network-check";

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
    /// Answer as JSON: the script as text.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `man`.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// Folder for the pages. Files of the same names are replaced.
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Answer as JSON: the files that were written.
    #[arg(long)]
    pub json: bool,
}
