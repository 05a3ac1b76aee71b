//! `railyard check`.

use crate::cli::CheckArgs;
use crate::table::two_columns;
use crate::{answer, Error, Outcome};
use railyard_spec::{Config, RoutingShape, Shape, Topology};
use serde::Serialize;
use serde_json::json;

/// Checks a description; shows the numbers that follow from it.
///
/// # Errors
/// The description can't be read or breaks rules.
pub fn run(args: &CheckArgs) -> Result<Outcome, Error> {
    let config = args.description.load()?;
    let shape = config.shape();
    if args.json {
        answer::json(
            &json!({"legal": true, "config": config, "derived": shape, "memory_bits": MemoryBits::of(&shape)}),
        )?;
    } else {
        answer::text(&two_columns(&rows(&config, &shape)))?;
    }
    Ok(Outcome::Fine)
}

/// Bits of all memories of the switch, by what they hold.
#[derive(Serialize)]
pub struct MemoryBits {
    /// Input buffers: flit and head mark of each place (tail marks are flip-flops).
    input_buffers: u64,
    /// Routing caches: tag, port and valid bit of each entry, and the order of use of each set.
    routing_caches: u64,
    /// Header and route queues.
    queues: u64,
}

impl MemoryBits {
    /// Those of a switch.
    pub fn of(shape: &Shape) -> MemoryBits {
        let lanes = (shape.ports * shape.vcs) as u64;
        let places = lanes * u64::from(shape.buffer_flits);
        let route_entry = u64::from(shape.port_bits) + 2;
        let mut bits = MemoryBits {
            input_buffers: places * (u64::from(shape.flit_bits) + 1),
            routing_caches: 0,
            queues: places * route_entry,
        };
        if let Some(table) = shape.table() {
            bits.queues += places * (u64::from(table.address_bits) + 1);
            if let Some(cache) = &table.cache {
                let tag = cache.crc.tag_positions(table.address_bits, cache.index_bits).len() as u64;
                let ways = cache.ways as u64;
                let set = ways * (tag + u64::from(shape.port_bits) + 1) + ways * (ways - 1) / 2;
                bits.routing_caches = shape.ports as u64 * cache.sets as u64 * set;
            }
        }
        bits
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.input_buffers + self.routing_caches + self.queues
    }
}

fn rows(config: &Config, shape: &Shape) -> Vec<(&'static str, String)> {
    let bits = MemoryBits::of(shape);
    let mut rows = vec![
        ("top module", format!("{}_switch", config.name)),
        ("ports", shape.ports.to_string()),
        ("virtual channels", format!("{} a link", shape.vcs)),
        ("flit", format!("{} bits", shape.flit_bits)),
        ("longest packet", format!("{} flits = {} bytes", shape.max_flits, shape.max_flits * shape.flit_bits / 8)),
        ("input buffer", format!("{} flits a VC, {} Kibit in all", shape.buffer_flits, bits.input_buffers / 1024)),
        ("flow control", format!("{:?}", shape.flow_control).to_lowercase()),
        ("crossbar", format!("{:?}, link shared by {:?}", shape.crossbar, shape.link_arbitration).to_lowercase()),
    ];
    match &shape.routing {
        RoutingShape::Source(s) => {
            rows.push(("routing", format!("source, {} hops in {} header bits", s.hops, s.route_bits)))
        }
        RoutingShape::Algorithmic(a) => {
            let (reduction, names) = (&a.reduction, |list: &[Topology]| format!("{list:?}").to_lowercase());
            rows.push(("routing", format!("algorithmic, {}-bit addresses", a.address_bits)));
            rows.push((
                "node reduction",
                format!(
                    "{} in chunks of {:?} bits, {} cycle(s), keys of {} bits",
                    names(&reduction.topologies),
                    reduction.chunk_bits,
                    reduction.stages,
                    reduction.key_bits
                ),
            ));
        }
        RoutingShape::Table(t) => {
            let header =
                if t.header_flits == 1 { String::new() } else { format!(", header of {} flits", t.header_flits) };
            rows.push(("routing", format!("table, {}-bit addresses{header}", t.address_bits)));
            rows.push(("lookups in flight", format!("{} a VC, CAM tags of {} bits", t.lookups_per_vc, t.tag_bits)));
            rows.push(match &t.cache {
                None => ("routing cache", "none: every lookup goes to the CAM".into()),
                Some(c) => (
                    "routing cache",
                    format!(
                        "{} sets x {} ways a port, CRC-{} {:#x}, {} Kibit in all",
                        c.sets,
                        c.ways,
                        c.crc.bits,
                        c.crc.polynomial,
                        bits.routing_caches / 1024
                    ),
                ),
            });
        }
    }
    rows
}
