//! Options of `railyard schema`.

use clap::Args;

/// Arguments of `schema`.
#[derive(Args, Debug)]
pub struct SchemaArgs {
    /// Print it as a page for people instead.
    ///
    /// That is `docs/src/configuration.md`; with `--scenario`, `docs/src/scenario.md`.
    #[arg(long, conflicts_with_all = ["pins", "registers", "sweep", "network"])]
    pub markdown: bool,
    /// Print the pins of the default switch as a page for people instead (`docs/src/pins.md`).
    #[arg(long, group = "what")]
    pub pins: bool,
    /// Print the run-time registers as a page for people instead (`docs/src/registers.md`).
    #[arg(long, group = "what")]
    pub registers: bool,
    /// Print the JSON Schema of a sweep (`railyard explore`) instead.
    #[arg(long, group = "what")]
    pub sweep: bool,
    /// Print the JSON Schema of a scenario (`railyard verify --scenario`) instead.
    #[arg(long, group = "what")]
    pub scenario: bool,
    /// Print the JSON Schema of a network file (`railyard network`) instead.
    #[arg(long, group = "what")]
    pub network: bool,
    /// The JSON Schema, as without it: every verb takes `--json`.
    #[arg(long, conflicts_with_all = ["markdown", "pins", "registers"])]
    pub json: bool,
}
