//! How the buffers of a port are divided.

use railyard_network::adaptive::VcRule;
use serde_json::{json, Value};

/// Flits of all buffers of a local and of a global port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    local: u32,
    global: u32,
}

impl Memory {
    /// Those of figure 5.8 that powers of two divide.
    pub const ALL: [Memory; 3] =
        [Memory { local: 64, global: 256 }, Memory { local: 128, global: 512 }, Memory { local: 256, global: 1_024 }];
}

/// Flits of a VC where each VC has as many, whatever the number of VCs.
const OF_EACH: Memory = Memory { local: 32, global: 256 };

/// VCs, their buffers, and how packets use them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Buffers {
    /// Reference sequence of requests, and of replies.
    pub requests: &'static str,
    pub replies: &'static str,
    pub rule: VcRule,
    /// Flits of a VC at local ports.
    pub local: u32,
    /// Flits of a VC at global ports.
    pub global: u32,
    /// Flits of a VC at ports to nodes.
    pub node: u32,
}

/// Two, four or eight local VCs, and half as many global ones.
fn sequence(local: usize) -> &'static str {
    match local {
        2 => "lgl",
        4 => "lgllgl",
        _ => "lgllgllgllgl",
    }
}

impl Buffers {
    /// A fixed VC for each hop.
    pub fn base(local: usize) -> Buffers {
        Buffers { rule: VcRule::Next, ..Buffers::flexible(local) }
    }

    /// Any legal VC, that with most room.
    pub fn flexible(local: usize) -> Buffers {
        let Memory { local: flits, global } = OF_EACH;
        Buffers { requests: sequence(local), replies: "", rule: VcRule::Room, local: flits, global, node: global }
    }

    /// With VCs for replies behind those for requests.
    pub fn with_replies(self) -> Buffers {
        Buffers { replies: "lgl", ..self }
    }

    pub fn has_replies(&self) -> bool {
        !self.replies.is_empty()
    }

    /// Local and global VCs.
    pub fn counts(&self) -> [usize; 2] {
        let all = [self.requests, self.replies].concat();
        ['l', 'g'].map(|kind| all.chars().filter(|letter| *letter == kind).count())
    }

    /// With so much memory of each VC.
    pub fn of_vc(self) -> Buffers {
        Buffers { local: OF_EACH.local, global: OF_EACH.global, node: OF_EACH.global, ..self }
    }

    /// With so much memory of a port.
    pub fn of_port(self, memory: Memory) -> Buffers {
        let [locals, globals] = self.counts().map(|vcs| vcs as u32);
        Buffers { local: memory.local / locals, global: memory.global / globals, node: memory.global / locals, ..self }
    }

    /// Into the description of a switch.
    pub fn build(&self, switch: &mut Value) {
        let [locals, globals] = self.counts();
        switch["virtual_channels"]["unicast"] = json!(locals.max(globals));
        let routing = &mut switch["routing"];
        if self.rule == VcRule::Random {
            // Draws come with adaptive ways, which are not taken.
            (routing["random_vcs"], routing["adaptive"]) = (json!(true), json!({"valiant": "group"}));
        }
        routing["vcs"] = json!({"requests": self.requests, "replies": self.replies});
        for (kind, flits) in [("node", self.node), ("local", self.local), ("global", self.global)] {
            routing["port_classes"][kind]["buffer_flits"] = json!(flits);
        }
    }

    /// Local/global VCs.
    pub fn vcs(&self) -> String {
        let [locals, globals] = self.counts();
        format!("{locals}/{globals}")
    }

    /// Local/global flits of a VC.
    pub fn depths(&self) -> String {
        format!("{}/{}", self.local, self.global)
    }
}
