//! Virtual channels on which nodes send requests, and those on which they send replies.

use super::AdaptiveSettings;
use railyard_input::Fault;
use railyard_spec::legal::Letter;
use railyard_spec::Shape;

/// Masks over VCs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeVcs {
    requests: u64,
    replies: u64,
}

impl NodeVcs {
    /// Of nodes at switches of that shape, if requests and replies are classes of packets.
    pub fn new(shape: &Shape, settings: &AdaptiveSettings) -> Option<NodeVcs> {
        let reference = shape.dragonfly()?.reference();
        if !reference.has_replies() {
            return None;
        }
        // Ports to nodes are the first ones.
        let vcs = shape.vcs_at(0);
        let all = (1 << vcs) - 1;
        let locals = reference.of_requests().iter().filter(|letter| **letter == Letter::Local).count();
        let first = (1 << locals.clamp(1, vcs - 1)) - 1;
        let requests = settings.node_requests.map_or(first, u64::from);
        Some(NodeVcs { requests, replies: if requests == all { all } else { all & !requests } })
    }

    /// Those of a class.
    pub fn of(self, is_reply: bool) -> u64 {
        if is_reply {
            self.replies
        } else {
            self.requests
        }
    }

    /// Whether replies wait behind no request of their node.
    pub fn are_apart(self) -> bool {
        self.requests & self.replies == 0
    }

    /// Whether settings fit a switch.
    pub fn check(shape: &Shape, settings: &AdaptiveSettings) -> Result<(), Fault> {
        let Some(requests) = settings.node_requests else { return Ok(()) };
        let fault = |rule: &str, legal: String| Fault {
            path: "/adaptive/node_requests".into(),
            value: requests.to_string(),
            rule: rule.into(),
            legal,
        };
        let most = (1 << shape.vcs_at(0)) - 1;
        match NodeVcs::new(shape, settings) {
            None => Err(fault("needs a switch with `routing.vcs.replies`", "leave it out".into())),
            Some(_) if !(1..=most).contains(&requests) => {
                Err(fault("is no mask of virtual channels of nodes", format!("1 to {most}")))
            }
            Some(_) => Ok(()),
        }
    }
}
