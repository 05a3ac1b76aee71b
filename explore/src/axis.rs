//! What axes of plots are called: quantity and unit of a column.

use crate::run;
use railyard_plot::Axis;

/// Columns whose names say less than an axis has to.
const NAMES: [(&str, &str); 33] = [
    ("load", "offered load (flits/port/cycle)"),
    ("offered_load", "offered load (flits/port/cycle)"),
    (run::ACCEPTED, "accepted load (flits/port/cycle)"),
    ("throughput", "flits that nodes receive (flits/port/cycle)"),
    ("hops", "links between switches (for a flit)"),
    ("busiest_link", "use of the busiest link (share of the cycles)"),
    ("misrouted", "packets off the minimal way (share)"),
    ("local_behind", "local detours behind the source's group (for a packet)"),
    ("escapes", "hops by the escape (for a packet)"),
    ("injected_min", "injected at the switch with least (flits/port/cycle)"),
    ("injected_max_over_min", "most over least injected at a switch (ratio)"),
    ("injected_cov", "deviation of what switches inject (share of the mean)"),
    ("injected_jain", "Jain's index of what switches inject (1: all alike)"),
    ("multicast_latency_mean", "mean latency of multicast (cycles)"),
    ("reply_latency_mean", "mean latency of replies (cycles)"),
    (run::LATENCY, "mean latency (cycles)"),
    ("latency_p50", "median latency (cycles)"),
    ("latency_p99", "latency of 99 % of the packets (cycles)"),
    ("latency_max", "largest latency (cycles)"),
    ("latency_mean_ns", "mean latency at the highest clock (ns)"),
    ("idle_latency_ns", "latency of a header through the idle switch (ns)"),
    ("port_gbps", "accepted load of a port at the highest clock (Gbit/s)"),
    ("link_rate_gbps", "link rate of a port (Gbit/s)"),
    ("shortest_frame_rate_gbps", "line rate of shortest frames (Gbit/s)"),
    ("hit_rate", "lookups that hit the routing cache (share)"),
    (run::MEMORY_BITS, "memories (bits)"),
    ("area_um2", "area (um2)"),
    ("cell_area_um2", "area of cells (um2)"),
    ("memory_area_um2", "area of memories (um2)"),
    (run::FMAX, "highest clock (MHz)"),
    ("power_w", "power (W)"),
    ("buffer_flits", "buffer of a VC (flits)"),
    ("warm_up", "cycles before the measured ones (cycles)"),
];

/// The axis of a column. Fields of a description or scenario go by their names. Networks have nodes for ports.
pub(crate) fn axis(column: &str, log: bool, is_network: bool) -> Axis {
    let title = NAMES.iter().find(|(name, _)| *name == column).map_or(column, |(_, title)| title);
    let title = if is_network { title.replace("/port/", "/node/") } else { title.into() };
    Axis { title, log, rows: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without a unit are counts.
    #[test]
    fn every_measured_quantity_has_its_unit() {
        let counts = ["cells", "registers", "packets"];
        let simulated = run::SIMULATED.iter().chain(&run::OF_NETWORKS);
        let measured = run::ESTIMATED.iter().chain(simulated).chain(run::JOINT).chain([&run::MEMORY_BITS]);
        for column in measured.filter(|column| !run::FLAGS.contains(column) && !counts.contains(column)) {
            let title = axis(column, false, false).title;
            assert!(title.contains('(') && title.ends_with(')'), "{column}: {title}");
        }
    }
}
