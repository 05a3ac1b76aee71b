//! Seed 004 section 4.2, figure 12: what a barrier VC of their own gains barrier messages, under unicast load.

use super::{dawning, NetworkSize};
use crate::report::{beside, rounded};
use crate::{Options, Part, Report, Seed, Table};
use indexmap::IndexMap;
use railyard_model::Switch;
use railyard_network::barrier::PacketBarrierSwitch;
use railyard_network::harness::{BarrierTimers, Network, Run, Traffic};
use railyard_network::Device;
use railyard_plot::{Axis, Dot, Picture};
use rayon::prelude::*;
use serde_json::json;

const NAME: &str = "barrier-vc";
/// Offered unicast load, in %.
const LOADS: [u32; 8] = [0, 20, 40, 50, 60, 70, 80, 100];
/// Offered unicast load where packets and buffers are compared, in %: a network that is not full, and one that is.
const COMPARED: [u32; 2] = [60, 100];
/// Cycles on a link.
const LINK_LATENCY: u64 = 4;
/// How many times lower the seed's barrier latency is with the barrier VC.
const PRINTED_GAIN: f64 = 7.0;
/// The seed's prototype: a buffer of 4 KiB a VC, in flits.
const PROTOTYPE: Queues = Queues { packet: 8, buffer: 512 };
/// Buffers of four of the longest packets (what the seed finds enough, section 3.3) and of 4 KiB.
const QUEUES: [Queues; 4] = [
    Queues { packet: 8, buffer: 32 },
    PROTOTYPE,
    Queues { packet: 32, buffer: 128 },
    Queues { packet: 128, buffer: 512 },
];

/// Lengths in flits.
#[derive(Clone, Copy, PartialEq)]
struct Queues {
    /// Of all unicast packets, the longest that the switch takes.
    packet: u32,
    /// Of the buffer of a VC.
    buffer: u32,
}

/// The VC on which barrier messages travel, and how.
#[derive(Clone, Copy, PartialEq)]
enum Carriage {
    /// On the barrier VC: without a queue, before the next flit of any packet.
    Barrier,
    /// As packets on a VC that no other packet uses, without any precedence.
    Own,
    /// As packets on a VC that unicast packets use, too.
    Shared,
}

impl Carriage {
    const ALL: [Carriage; 3] = [Carriage::Barrier, Carriage::Own, Carriage::Shared];

    fn name(self) -> &'static str {
        match self {
            Carriage::Barrier => "barrier VC",
            Carriage::Own => "own VC",
            Carriage::Shared => "shared VC",
        }
    }

    /// The VC of the messages, where they are packets. That of multicast packets is free, as there are none.
    fn vc(self) -> Option<u8> {
        match self {
            Carriage::Barrier => None,
            Carriage::Own => Some(2),
            Carriage::Shared => Some(0),
        }
    }
}

/// How long a run is, in cycles.
#[derive(Clone, Copy)]
struct Effort {
    warm_up: u64,
    /// Measured at least,
    least: u64,
    /// until there were so many barriers,
    barriers: u64,
    /// and at most.
    most: u64,
}

impl Effort {
    /// With packets of that length.
    fn of(packet: u32) -> Effort {
        let packet = u64::from(packet);
        Effort { warm_up: 2_000 + 50 * packet, least: 2_000, barriers: 10, most: 12_000 + 50 * packet }
    }
}

/// What a run comes to.
struct Measured {
    barriers: u64,
    /// Cycles from the last arrival to a completion, both at nodes: mean.
    latency: f64,
    /// Flits of unicast packets, for each node and cycle.
    throughput: f64,
}

/// A network and its seed.
#[derive(Clone, Copy)]
struct Bench {
    size: NetworkSize,
    seed: u64,
    effort: fn(u32) -> Effort,
}

impl Bench {
    fn measure(self, carriage: Carriage, queues: Queues, load: u32) -> Measured {
        let mut config = dawning::switch(self.size);
        (config.packet.max_flits, config.buffer_flits) = (queues.packet, Some(queues.buffer));
        let traffic = Traffic { load: f64::from(load) / 100.0, length: Some(queues.packet), ..Traffic::default() };
        let run = Run {
            traffic,
            barriers: 1.0,
            barrier_packets: carriage.vc(),
            // Nothing gets lost, so nothing is sent again, however long it waits.
            barrier_timers: BarrierTimers { retransmit: 0, urge: 0, scale: 0 },
            link_latency: LINK_LATENCY,
            seed: self.seed,
            ..Run::default()
        };
        let effort = (self.effort)(queues.packet);
        let fits = "the run fits the network";
        match carriage.vc() {
            None => {
                let blueprint = dawning::blueprint_of(self.size, &config);
                watch(Network::new(blueprint, &run, Switch::new).expect(fits), effort)
            }
            Some(vc) => {
                config.ports *= 2;
                let blueprint = dawning::blueprint_of(self.size, &config);
                watch(Network::new(blueprint, &run, |shape| PacketBarrierSwitch::new(shape, vc)).expect(fits), effort)
            }
        }
    }

    /// Of each of these the three carriages, in order.
    fn measure_all(self, cases: &[(Queues, u32)]) -> Vec<[Measured; 3]> {
        let measure =
            |&(queues, load): &(Queues, u32)| Carriage::ALL.map(|carriage| self.measure(carriage, queues, load));
        cases.par_iter().map(measure).collect()
    }
}

fn watch<D: Device>(mut network: Network<D>, effort: Effort) -> Measured {
    network.run(effort.warm_up, |_| ());
    network.measure();
    let mut cycles = 0;
    loop {
        network.run(effort.least, |_| ());
        cycles += effort.least;
        let report = network.report();
        assert!(report.mismatches.is_empty(), "{:#?}", report.mismatches);
        let barriers = report.barriers.expect("barriers were run");
        let group = barriers.groups.first().filter(|group| group.barriers >= effort.barriers || cycles >= effort.most);
        if let Some(group) = group {
            return Measured { barriers: group.barriers, latency: group.latency_mean, throughput: report.throughput };
        }
    }
}

pub(super) fn run(options: &Options) -> Report {
    let bench = Bench { size: options.network, seed: options.seed, effort: Effort::of };
    let parts = vec![by_load(bench), by_queues(bench)];
    let notes = vec![
        format!(
            "A fat tree of three levels, {} nodes (--nodes), switches as in the preset dawning16, {LINK_LATENCY} cycles a link, all nodes from barrier to \
             barrier without a pause, uniform unicast packets beside it. Latency: cycles from the last arrival to a completion, both at nodes, mean; \
             contention: of this, what is more than without load (equation 4.1). A run lasts for 10 barriers or more, but for 12,000 cycles at most, and 50 more for each flit of a packet.",
            options.network.nodes()
        ),
        "Barrier VC: the switch as it is. Shared VC: a message is a packet of one flit on VC 0, half of the unicast packets' way: with credit, in the input's \
         buffer behind what is there, at the output in its turn among all inputs and VCs. Own VC: the same on a VC without other packets. Each port has a way of its own \
         to the switch's barrier logic and back, of three cycles each way, so that only packets are waited for; a node sends a message before its next packet, not in the middle of one."
            .into(),
        "The seed says nearly 7 times better with a dedicated VC, not at which load and with which packets: its 7 is put beside each. Its text has the highest \
         priority at the output as a second step, so that the ratio of shared to own VC may be the one that figure 12 shows; it is a column of the second table (over own: latency on the shared VC over that on the own VC)."
            .into(),
    ];
    Report { study: NAME, seed: options.seed, parts, notes }
}

/// With the prototype's buffers, from no load to a full network.
fn by_load(bench: Bench) -> Part {
    let columns = [
        "load %",
        "messages on",
        "barriers",
        "unicast %",
        "latency",
        "contention",
        "over barrier VC",
        "seed",
        "difference",
    ];
    let mut table = Table::new(&columns);
    let measured = bench.measure_all(&LOADS.map(|load| (PROTOTYPE, load)));
    let mut series: Vec<(String, Vec<Dot>)> = Carriage::ALL.map(|carriage| (carriage.name().into(), Vec::new())).into();
    for (load, runs) in LOADS.into_iter().zip(&measured) {
        for (which, carriage) in Carriage::ALL.into_iter().enumerate() {
            let run = &runs[which];
            let is_compared = carriage == Carriage::Shared && load > 0;
            let printed = if is_compared { Seed::Number(PRINTED_GAIN) } else { Seed::Silent };
            let head = [json!(load), json!(carriage.name()), json!(run.barriers), rounded(100.0 * run.throughput)];
            let latencies = [rounded(run.latency), rounded(run.latency - measured[0][which].latency)];
            table.push(head.into_iter().chain(latencies).chain(beside(run.latency / runs[0].latency, printed)));
            series[which].1.push(Dot::at(load.into(), run.latency));
        }
    }
    let axes = [Axis::linear("unicast load, %"), Axis::log("mean latency of a barrier, cycles")];
    part("load", "Latency of a barrier by unicast load", "barrier messages on", axes, table, series)
}

/// With other packets and buffers.
fn by_queues(bench: Bench) -> Part {
    let columns = [
        "packet",
        "buffer",
        "load %",
        "barrier VC",
        "own VC",
        "shared VC",
        "over own",
        "over barrier VC",
        "seed",
        "difference",
    ];
    let mut table = Table::new(&columns);
    let cases: Vec<(Queues, u32)> = QUEUES.into_iter().flat_map(|queues| COMPARED.map(|load| (queues, load))).collect();
    let mut series: IndexMap<String, Vec<Dot>> = IndexMap::new();
    for ((queues, load), [barrier_vc, own, shared]) in cases.iter().zip(bench.measure_all(&cases)) {
        let head = [json!(queues.packet), json!(queues.buffer), json!(load)];
        let latencies = [&barrier_vc, &own, &shared].map(|run| rounded(run.latency));
        let gain = shared.latency / barrier_vc.latency;
        let ratio = rounded(shared.latency / own.latency);
        let cells = head.into_iter().chain(latencies).chain([ratio]);
        table.push(cells.chain(beside(gain, Seed::Number(PRINTED_GAIN))));
        let name = format!("{} flits, {load} %", queues.packet);
        series.entry(name).or_default().push(Dot::at(queues.buffer.into(), gain));
    }
    let axes = [Axis::log("buffer of a VC, flits"), Axis::log("latency on the shared VC over that on the barrier VC")];
    let series = series.into_iter().collect();
    part(
        "queues",
        "Latency of a barrier by packets and buffers, in flits",
        "packets, unicast load",
        axes,
        table,
        series,
    )
}

fn part(
    which: &str,
    title: &str,
    legend: &str,
    axes: [Axis; 2],
    table: Table,
    series: Vec<(String, Vec<Dot>)>,
) -> Part {
    let picture = Picture { title: title.into(), axes, legend: Some(legend.into()), series, front: None };
    Part { name: format!("{NAME}-{which}"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(seed: u64) -> Bench {
        let effort = |_| Effort { warm_up: 500, least: 500, barriers: 4, most: 2_000 };
        Bench { size: NetworkSize::with_nodes(16).unwrap(), seed, effort }
    }

    /// Without load only the way to the barrier logic and back counts; under load what waits is a message that shares a VC.
    #[test]
    fn a_message_waits_behind_the_packets_of_its_vc() {
        let [idle, full] = &bench(1).measure_all(&[(PROTOTYPE, 0), (PROTOTYPE, 100)])[..] else { panic!("two cases") };
        // Three levels: five switches, six cycles each.
        assert_eq!(idle[0].latency + 30.0, idle[1].latency);
        assert_eq!(idle[1].latency, idle[2].latency);
        let latencies = full.each_ref().map(|run| run.latency);
        assert_eq!(latencies[0], idle[0].latency);
        assert!(latencies[1] > idle[1].latency && latencies[1] < 3.0 * idle[1].latency, "{latencies:?}");
        assert!(latencies[2] > 2.0 * latencies[1], "{latencies:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let run = |seed| {
            let run = bench(seed).measure(Carriage::Shared, PROTOTYPE, 60);
            (run.barriers, run.latency, run.throughput)
        };
        assert_eq!(run(3), run(3));
        assert_ne!(run(3), run(4));
    }
}
