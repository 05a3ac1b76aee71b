//! Reset styles: how the reset of all modules of a design is printed. Blocks have a port `reset` that is 1 during a
//! reset; its kind and polarity are those of the printed design.

use super::ModulePort;

/// How registers are reset in the printed design.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResetStyle {
    /// At once, not at the clock edge.
    pub asynchronous: bool,
    /// The port is `reset_n`, and 0 during a reset.
    pub active_low: bool,
}

/// What the comments of blocks say.
const OF_BLOCKS: &str = "Synchronous reset, active high";

impl ResetStyle {
    /// Name of the port.
    pub fn port(self) -> &'static str {
        if self.active_low {
            "reset_n"
        } else {
            "reset"
        }
    }

    /// The condition that a reset is.
    pub(super) fn condition(self) -> &'static str {
        if self.active_low {
            "!reset_n"
        } else {
            "reset"
        }
    }

    /// The condition that no reset is.
    pub(super) fn inactive(self) -> &'static str {
        if self.active_low {
            "reset_n"
        } else {
            "!reset"
        }
    }

    /// What else than the clock starts a clocked block.
    pub(super) fn edge(self) -> &'static str {
        match (self.asynchronous, self.active_low) {
            (false, _) => "",
            (true, false) => " or posedge reset",
            (true, true) => " or negedge reset_n",
        }
    }

    /// The declaration of `reset` for logic that reads it, where the port has another name.
    pub(super) fn declaration(self) -> &'static str {
        if self.active_low {
            "\n    wire reset = ~reset_n;\n"
        } else {
            ""
        }
    }

    /// The comment of the port, from that of the block.
    pub(super) fn doc(self, doc: &str) -> String {
        let kind = if self.asynchronous { "Asynchronous" } else { "Synchronous" };
        let level = if self.active_low { "low" } else { "high" };
        doc.replace(OF_BLOCKS, &format!("{kind} reset, active {level}"))
    }

    /// The port of a module that is this port of the block.
    pub(super) fn printed(self, port: ModulePort) -> ModulePort {
        if port.name == "reset" {
            ModulePort { name: self.port().into(), doc: self.doc(&port.doc), ..port }
        } else {
            port
        }
    }
}
