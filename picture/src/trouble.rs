//! What can be wrong with a picture.

use railyard_input::Fault;
use railyard_network::description::DescriptionError;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The network file is at fault.
    #[error(transparent)]
    Description(#[from] DescriptionError),
    /// The switch or network has no part for such a picture, or is too large.
    #[error("{}: {} {}", .0.path, .0.value, .0.rule)]
    Unsuited(Fault),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::Unsuited(fault)
    }
}
