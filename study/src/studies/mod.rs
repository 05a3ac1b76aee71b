//! The studies, one a module.

mod capacity;
mod conflict_misses;
mod forwarding_rate;
mod forwarding_run;
mod lookup_energy;
mod node_reduction;
mod trace;
mod zero_load_latency;

use crate::{Options, Report};

/// A study.
pub struct Study {
    /// By which it is asked for.
    pub name: &'static str,
    /// What it shows.
    pub summary: &'static str,
    /// Makes it.
    pub run: fn(&Options) -> Report,
}

/// All of them.
pub const STUDIES: [Study; 7] = [
    Study {
        name: "conflict-misses",
        summary: "entries evicted by conflicts, by ways and number of destinations (figure 4.5)",
        run: conflict_misses::run,
    },
    Study {
        name: "capacity",
        summary: "capacity miss ratio of k-ary n-tori and meshes (figure 5.1, equations 4.1 and 4.2)",
        run: capacity::run,
    },
    Study {
        name: "zero-load-latency",
        summary: "highest zero-load latency by job size and cache size (figures 4.10 and 4.11)",
        run: zero_load_latency::run,
    },
    Study {
        name: "lookup-energy",
        summary: "power of table lookups with and without the cache (figure 4.12, equation 4.5)",
        run: lookup_energy::run,
    },
    Study {
        name: "forwarding-rate",
        summary: "packets per second by miss rate and by number of nodes (equations 4.6 and 4.7, figure 5.2)",
        run: forwarding_rate::run,
    },
    Study {
        name: "node-reduction",
        summary: "entries and hit rate with and without node reduction, to 64 K nodes and beyond (section 5.2)",
        run: node_reduction::run,
    },
    Study {
        name: "trace",
        summary: "hit rate of communication patterns or of a trace on a 3-D torus (figure 4.6)",
        run: trace::run,
    },
];
