//! `railyard check`.

use crate::cli::CheckArgs;
use crate::table::two_columns;
use crate::{Error, Outcome};
use railyard_spec::{Config, RoutingShape, Shape};
use serde_json::json;

/// Checks a description; shows the numbers that follow from it.
///
/// # Errors
/// The description can't be read or breaks rules. With `--json` its faults are the answer on standard output, too.
pub fn run(args: &CheckArgs) -> Result<Outcome, Error> {
    let config = args.description.load().inspect_err(|error| {
        if let (true, Error::Config { faults, .. }) = (args.json, error) {
            println!("{:#}", json!({"legal": false, "faults": faults}));
        }
    })?;
    let shape = config.shape();
    if args.json {
        println!("{:#}", json!({"legal": true, "config": config, "derived": shape, "memory_bits": memory_bits(&shape)}));
    } else {
        print!("{}", two_columns(&rows(&config, &shape)));
    }
    Ok(Outcome::Fine)
}

/// Bits of all input buffers, and of all routing caches (tag, port and valid bit of each entry).
fn memory_bits(shape: &Shape) -> (u64, u64) {
    let lanes = (shape.ports * shape.vcs) as u64;
    let buffers = lanes * shape.buffer_flits as u64 * (shape.flit_bits as u64 + 2);
    let caches = shape.table().and_then(|t| t.cache.as_ref().map(|c| (t, c))).map_or(0, |(t, c)| {
        let entry = t.address_bits as u64 + shape.port_bits as u64 + 1;
        shape.ports as u64 * (c.sets * c.ways) as u64 * entry
    });
    (buffers, caches)
}

fn rows(config: &Config, shape: &Shape) -> Vec<(&'static str, String)> {
    let (buffers, caches) = memory_bits(shape);
    let mut rows = vec![
        ("top module", format!("{}_switch", config.name)),
        ("ports", shape.ports.to_string()),
        ("virtual channels", format!("{} a link", shape.vcs)),
        ("flit", format!("{} bits", shape.flit_bits)),
        ("longest packet", format!("{} flits = {} bytes", shape.max_flits, shape.max_flits * shape.flit_bits / 8)),
        ("input buffer", format!("{} flits a VC, {} Kibit in all", shape.buffer_flits, buffers / 1024)),
        ("flow control", format!("{:?}", shape.flow_control).to_lowercase()),
        ("crossbar", format!("{:?}, link shared by {:?}", shape.crossbar, shape.link_arbitration).to_lowercase()),
    ];
    match &shape.routing {
        RoutingShape::Source(s) => rows.push(("routing", format!("source, {} hops in {} header bits", s.hops, s.route_bits))),
        RoutingShape::Table(t) => {
            let header = if t.header_flits == 1 { String::new() } else { format!(", header of {} flits", t.header_flits) };
            rows.push(("routing", format!("table, {}-bit addresses{header}", t.address_bits)));
            rows.push(("lookups in flight", format!("{} a VC, CAM tags of {} bits", t.lookups_per_vc, t.tag_bits)));
            rows.push(match &t.cache {
                None => ("routing cache", "none: every lookup goes to the CAM".into()),
                Some(c) => (
                    "routing cache",
                    format!("{} sets x {} ways a port, CRC-{}, {} Kibit in all", c.sets, c.ways, c.crc.bits, caches / 1024),
                ),
            });
        }
    }
    rows
}
