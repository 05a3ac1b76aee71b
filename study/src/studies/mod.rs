//! The studies, one a module.

pub(crate) mod applications;
mod barrier_network;
mod barrier_vc;
mod bound;
mod caminos;
mod capacity;
mod carriage;
mod claims;
mod conflict_misses;
mod contention;
mod dawning;
mod dragonfly;
mod dragonfly_size;
mod fairness;
mod flexvc;
mod forwarding_rate;
mod forwarding_run;
mod graph500;
mod latency_budget;
mod lookup_energy;
mod multi_rail;
mod multicast_network;
mod network_size;
mod node_reduction;
mod one_switch;
mod output_queues;
mod reaction;
mod throughput_buffers;
mod throughput_vcs;
mod trace;
mod unicast_network;
mod zero_load_latency;

pub use applications::Ranks;
pub use dragonfly_size::DragonflySize;
pub use network_size::NetworkSize;

use crate::{Error, StudyOptions, StudyReport};

/// A study.
pub struct Study {
    /// By which it is asked for.
    pub name: &'static str,
    /// What it shows.
    pub summary: &'static str,
    /// The network that it runs.
    pub network: Option<StudyNetwork>,
    make: Make,
}

/// How a study is made.
enum Make {
    /// By Railyard alone.
    Alone(fn(&StudyOptions) -> StudyReport),
    /// With programs of the machine.
    WithPrograms(fn(&StudyOptions) -> Result<StudyReport, Error>),
}

impl Study {
    /// Makes it.
    ///
    /// # Errors
    /// A program that it needs is missing, or fails.
    pub fn run(&self, options: &StudyOptions) -> Result<StudyReport, Error> {
        match self.make {
            Make::Alone(make) => Ok(make(options)),
            Make::WithPrograms(make) => make(options),
        }
    }
}

/// A network of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StudyNetwork {
    /// A fat tree, of [`StudyOptions::network`]'s size.
    FatTree,
    /// A Dragonfly, of [`StudyOptions::dragonfly`]'s size.
    Dragonfly,
    /// Nodes of applications, [`StudyOptions::ranks`] of them.
    Applications,
}

/// All of them.
pub const STUDIES: [Study; 22] = [
    Study {
        name: "conflict-misses",
        summary: "entries evicted by conflicts, by ways and number of destinations (figure 4.5)",
        network: None,
        make: Make::Alone(conflict_misses::run),
    },
    Study {
        name: "capacity",
        summary: "capacity miss ratio of k-ary n-tori and meshes (figure 5.1, equations 4.1 and 4.2)",
        network: None,
        make: Make::Alone(capacity::run),
    },
    Study {
        name: "zero-load-latency",
        summary: "highest zero-load latency by job size and cache size (figures 4.10 and 4.11)",
        network: None,
        make: Make::Alone(zero_load_latency::run),
    },
    Study {
        name: "lookup-energy",
        summary: "power of table lookups with and without the cache (figure 4.12, equation 4.5)",
        network: None,
        make: Make::Alone(lookup_energy::run),
    },
    Study {
        name: "forwarding-rate",
        summary: "packets per second by miss rate and by number of nodes (equations 4.6 and 4.7, figure 5.2)",
        network: None,
        make: Make::Alone(forwarding_rate::run),
    },
    Study {
        name: "node-reduction",
        summary: "entries and hit rate with and without node reduction, to 64 K nodes and beyond (section 5.2)",
        network: None,
        make: Make::Alone(node_reduction::run),
    },
    Study {
        name: "trace",
        summary: "hit rate of communication patterns or of a trace on a 3-D torus (figure 4.6)",
        network: None,
        make: Make::Alone(trace::run),
    },
    Study {
        name: "applications",
        summary: "speed of MPI applications with and without the cache, by SimGrid (sections 4.3.3 and 5.4.3)",
        network: Some(StudyNetwork::Applications),
        make: Make::WithPrograms(applications::run),
    },
    Study {
        name: "throughput-vcs",
        summary: "throughput and latency of a 16-port switch by virtual channels (Cao2016, figure 9)",
        network: None,
        make: Make::Alone(throughput_vcs::run),
    },
    Study {
        name: "throughput-buffers",
        summary: "throughput of a 16-port switch by buffer size and packet length (Cao2016, figure 10)",
        network: None,
        make: Make::Alone(throughput_buffers::run),
    },
    Study {
        name: "output-queues",
        summary: "throughput and latency of a 16-port switch with queues at its outputs, by depth and packet length",
        network: None,
        make: Make::Alone(output_queues::run),
    },
    Study {
        name: "multi-rail",
        summary: "several slow networks side by side against a fast one (Cao2016, equations 3.1 to 3.3, figure 6)",
        network: None,
        make: Make::Alone(multi_rail::run),
    },
    Study {
        name: "unicast-network",
        summary: "throughput and latency of a fat tree by traffic pattern (Cao2016, figure 17)",
        network: Some(StudyNetwork::FatTree),
        make: Make::Alone(unicast_network::run),
    },
    Study {
        name: "multicast-network",
        summary: "broadcasts among unicast packets, and all-to-all multicast, in a fat tree (Cao2016, figure 19)",
        network: Some(StudyNetwork::FatTree),
        make: Make::Alone(multicast_network::run),
    },
    Study {
        name: "barrier-network",
        summary: "latency of a barrier in a fat tree by packet length and traffic beside it (Cao2016, figure 18)",
        network: Some(StudyNetwork::FatTree),
        make: Make::Alone(barrier_network::run),
    },
    Study {
        name: "latency-budget",
        summary: "of what latencies are made, in the prototype's time (Cao2016, 4.1, 4.3 and 7, figure 13)",
        network: None,
        make: Make::Alone(latency_budget::run),
    },
    Study {
        name: "barrier-vc",
        summary: "latency of a barrier with and without a VC of its own, by unicast load (Cao2016, figure 12)",
        network: Some(StudyNetwork::FatTree),
        make: Make::Alone(barrier_vc::run),
    },
    Study {
        name: "contention",
        summary: "misrouting in a Dragonfly by contention counters and by credits (Fuentes2017, figures 4.5 to 4.10)",
        network: Some(StudyNetwork::Dragonfly),
        make: Make::Alone(contention::run),
    },
    Study {
        name: "fairness",
        summary: "injection of a Dragonfly's switches under ADVc traffic, by order of packets (Fuentes2017, tables 3.1 to 3.3)",
        network: Some(StudyNetwork::Dragonfly),
        make: Make::Alone(fairness::run),
    },
    Study {
        name: "flexvc",
        summary: "throughput of a Dragonfly with a fixed VC for each hop and with any legal one (Fuentes2017, figures 5.7 to 5.16)",
        network: Some(StudyNetwork::Dragonfly),
        make: Make::Alone(flexvc::run),
    },
    Study {
        name: "graph500",
        summary: "Graph500 as traffic of a Dragonfly, beside searches on real graphs (Fuentes2017, chapter 2)",
        network: Some(StudyNetwork::Dragonfly),
        make: Make::Alone(graph500::run),
    },
    Study {
        name: "caminos",
        summary: "latency and saturation of a Dragonfly beside those of CAMINOS, a simulator by others",
        network: Some(StudyNetwork::Dragonfly),
        make: Make::WithPrograms(caminos::run),
    },
];
