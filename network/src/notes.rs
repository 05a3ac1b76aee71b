//! What a reader should know of a network and a run beyond their figures.

use crate::blueprint::Blueprint;
use crate::harness::{BarrierTimers, CacheReport, Run, RunReport};
use crate::outlook::Outlook;
use railyard_bench::traffic::NodeTrace;

/// What a run will meet, as far as the file tells.
pub fn before(blueprint: &Blueprint, run: &Run) -> Vec<String> {
    let BarrierTimers { retransmit, urge, .. } = run.barrier_timers;
    let are_lost =
        run.barriers > 0.0 && !blueprint.barriers.is_empty() && run.lost_messages + run.corrupt_messages > 0.0;
    let never = |timer: &str, what: &str| {
        format!("/barriers/timers/{timer} is 0, and messages get lost: {what}, so that its barrier never completes")
    };
    let arrival = (are_lost && retransmit == 0).then(|| never("retransmit", "a lost arrival is never sent again"));
    let completion = (are_lost && urge == 0).then(|| never("urge", "a lost completion is never urged"));
    let allowed = blueprint.choices.as_ref().and_then(|found| found.as_ref().err());
    let allowed = allowed.map(|fault| format!("/adaptive/allow_deadlock: the network can stand still: {fault}"));
    let starving = blueprint.plan.adaptive.transit_first == Some(true);
    let starving = starving.then(|| {
        "/adaptive/transit_first: packets from other switches go before those from nodes, so that nodes can wait for ever".into()
    });
    arrival.into_iter().chain(completion).chain(allowed).chain(starving).collect()
}

/// What of a file of packets a run of so many cycles leaves out.
pub(crate) fn of_packets(packets: &NodeTrace, cycles: u64) -> Vec<String> {
    let file = &packets.file;
    let late = packets.nodes.iter().flatten().filter(|packet| packet.cycle >= cycles).count();
    let late = (late > 0).then(|| {
        format!("{file}: {late} packets come in cycle {cycles} or later, when the run is over: they are not sent")
    });
    let own =
        (packets.own > 0).then(|| format!("{file}: {} packets go to their own nodes: they are not sent", packets.own));
    late.into_iter().chain(own).collect()
}

/// What a run has shown.
pub(crate) fn after(report: &RunReport, blueprint: &Blueprint) -> Vec<String> {
    let mut notes = Vec::new();
    // What waits for a broken link is told as such.
    if report.saturated && report.broken.is_none() {
        notes.push(saturated(report));
        notes.extend(Outlook::new(blueprint).note(blueprint));
    }
    notes.extend(report.caches.as_ref().filter(|caches| caches.rising).map(cold));
    notes
}

fn saturated(report: &RunReport) -> String {
    let RunReport { offered, accepted, .. } = report;
    let link = report.busiest_link.map(|link| {
        format!(
            ". The busiest link between switches, that of {}, was in use {:.0} % of the time",
            link.link,
            100.0 * link.busy
        )
    });
    format!(
        "saturated: {offered:.4} flits/node/cycle were offered and {accepted:.4} accepted. Buffers and source queues fill, and latencies \
         grow for as long as the run lasts{}",
        link.unwrap_or_default()
    )
}

fn cold(caches: &CacheReport) -> String {
    let [first, second] = caches.hit_rate_of_halves.map(|rate| 100.0 * rate);
    format!(
        "the routing caches were cold: {first:.1} % of the lookups hit in the first half of the measured cycles, {second:.1} % in the second. \
         Latencies are those of a start. A longer run, or one with warm caches (`caches` is `warm`), shows those of long traffic"
    )
}
