//! Studies: figures of the literature made again, with this switch's own cache, hash and node reduction, with one
//! switch, and with networks of it.
//!
//! A [`Study`] makes a [`StudyReport`]: tables with a column for ours, one for what the seed (000, the thesis on the
//! routing cache, 001, that on Dragonflies, or 004, the Dawning 5000) prints, and one for the difference; a picture for
//! each table. A number that does not come out is shown as it is.
//!
//! - [`LoneCache`], [`ExplainingCache`], [`Reduction`]: the golden model's blocks, ready to be used without a switch
//!   around them;
//! - [`network`]: mesh, torus, fat tree and Dragonfly: which input ports a packet passes, and what traffic a port sees;
//! - [`jobs`]: who sends to whom in the NAS parallel benchmarks and in collective operations;
//! - `caminos`: a simulator by others, beside which the golden model stands;
//! - `simgrid`: jobs replayed by SimGrid, with the misses of the golden model's caches.

mod cache;
mod caminos;
mod error;
mod graph500;
pub mod jobs;
mod lru;
mod misses;
pub mod network;
mod reduction;
mod report;
mod simgrid;
mod studies;
mod text_trace;
mod warm;

pub use cache::{LoneCache, Organisation};
pub use caminos::{Caminos, VARIABLE as CAMINOS_VARIABLE};
pub use error::Error;
pub use misses::{ExplainingCache, LookupCounts};
pub use reduction::Reduction;
pub use report::{cell, Seed, StudyPart, StudyReport, StudyTable};
pub use simgrid::PACKAGE as SIMGRID_PACKAGE;
pub use studies::{DragonflySize, NetworkSize, Ranks, Study, StudyNetwork, STUDIES};
pub use text_trace::TextTrace;

// A stream of a seed: what one part draws doesn't shift what another sees.
use railyard_bench::random::generator as random;

use std::path::PathBuf;

/// What a study can be told.
#[derive(Clone, Debug)]
pub struct StudyOptions {
    /// Seed of all that is random.
    pub seed: u64,
    /// Packets for the study `trace`, in place of the communication patterns.
    pub trace: Option<TextTrace>,
    /// Nodes of the fat tree in the studies that run one.
    pub network: NetworkSize,
    /// Size of the Dragonfly in the studies that run one.
    pub dragonfly: DragonflySize,
    /// Ranks in the study `applications`.
    pub ranks: Ranks,
    /// The folder of the NAS benchmarks for the study `applications`, in place of communication skeletons.
    pub nas: Option<PathBuf>,
}

impl Default for StudyOptions {
    fn default() -> StudyOptions {
        StudyOptions {
            seed: 1,
            trace: None,
            network: NetworkSize::default(),
            dragonfly: DragonflySize::default(),
            ranks: Ranks::default(),
            nas: None,
        }
    }
}

/// The generator of all that is random.
type Random = rand_pcg::Pcg64Mcg;
