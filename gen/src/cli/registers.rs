//! The arguments of `registers`.

use super::DescriptionArgs;
use clap::Args;
use railyard_input::Source;

/// What `--help` shows last.
pub const EXAMPLES: &str = "\
Examples:
  railyard registers my.json                          the register map of this switch
  railyard registers table16 --table routes.txt       the writes that fill its forwarding table

A table is text, a line an entry: `address ports [vc=V] [in_order]`. Ports are a port, candidates as in 1,2,3, or group=G; the address
`default` is that of the default route; `#` starts a comment.";

/// Arguments of `registers`.
#[derive(Args, Debug)]
pub struct RegistersArgs {
    /// The switch.
    #[command(flatten)]
    pub description: DescriptionArgs,
    /// Print the APB writes that bring this forwarding table into the switch.
    ///
    /// They are in their order. `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub table: Option<Source>,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}
