//! A fault offers a legal value: put in the place of what is at fault, it is no fault any more.

use railyard_input::Fault;
use railyard_spec::Config;
use serde_json::{json, Value};

/// Descriptions drawn.
const DRAWN: usize = 600;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn pick(&mut self, values: &[Value]) -> Value {
        values[self.below(values.len())].clone()
    }

    /// An object of some of these fields, each with one of its values.
    fn object(&mut self, fields: &[(&str, &[Value])]) -> Value {
        let mut object = json!({});
        for (name, values) in fields {
            if self.below(3) > 0 {
                object[*name] = self.pick(values);
            }
        }
        object
    }
}

/// A list of JSON values.
macro_rules! of {
    ($($value:tt),*) => { &[$(json!($value)),*] };
}

fn reduction(random: &mut Random) -> Value {
    random.object(&[
        ("topologies", of![[], ["cube"], ["fat_tree"], ["dragonfly", "cube"], ["cube", "cube"], ["ring"]]),
        ("chunk_bits", of![[], [2], [3], [4], [5], [6], [8], [2, 4], [3, 5, 4], [4, 4], [99], [2, 3, 4, 6, 8], [1, 8]]),
        ("stages", of![0, 1, 2, 3, 4]),
        ("radix", of!["any", "full", "half"]),
    ])
}

fn hash(random: &mut Random) -> Value {
    let polynomials = of!["0x1", "0x0", "0x1021", "0x11021", "0x1ffffffffffffffff", "x"];
    random.object(&[("crc_bits", of![0, 1, 5, 9, 16, 32, 64, 65]), ("polynomial", polynomials)])
}

fn routing(random: &mut Random) -> Value {
    let mut routing = match random.below(4) {
        0 => random.object(&[("hops", of![0, 1, 3, 16, 40, 64, 65]), ("colour", of![1])]),
        1 => {
            random.object(&[("address_bits", of![7, 8, 9, 11, 24, 57, 58, 62, 64, 65]), ("next_vc", of![true, false])])
        }
        _ => random.object(&[
            ("address_bits", of![7, 8, 9, 11, 24, 40, 64, 65]),
            ("lookups_per_vc", of![0, 1, 4, 16, 17]),
            ("next_vc", of![true, false, 1]),
            ("candidates", of![0, 1, 4, 5]),
            ("external_cam", of![true, false]),
            ("default_route", of![true, false]),
        ]),
    };
    let kind = match random.below(30) {
        0 => "magic",
        drawn => ["source", "algorithmic", "table"][drawn % 3],
    };
    routing["kind"] = json!(kind);
    if kind != "source" && random.below(3) > 0 {
        routing["node_reduction"] = reduction(random);
    }
    if kind == "table" && random.below(3) > 0 {
        routing["cache"] = random.object(&[
            ("entries", of![8, 16, 100, 2048, 16384, 20000]),
            ("ways", of![0, 1, 3, 4, 16, 32]),
            ("replacement", of!["lru", "pseudo_lru", "fifo"]),
        ]);
        routing["cache"]["hash"] = hash(random);
    }
    if kind == "table" && random.below(3) == 0 {
        routing["forwarding_table"] =
            random.object(&[("entries", of![8, 16, 1000, 65536, 70000]), ("ways", of![0, 1, 3, 8, 16])]);
        routing["forwarding_table"]["hash"] = hash(random);
    }
    if kind != "source" && random.below(3) == 0 {
        routing["link_aggregation"] =
            random.object(&[("groups", of![0, 1, 4, 16, 17]), ("links", of![1, 2, 17, 33, 64, 65])]);
        routing["link_aggregation"]["hash"] = hash(random);
    }
    routing
}

fn drawn(random: &mut Random) -> Value {
    let mut config = random.object(&[
        ("name", of!["x", "x", "x", "Bad", 7]),
        ("ports", of![1, 2, 5, 16, 64, 65]),
        ("flit_bits", of![8, 16, 17, 64, 512, 513]),
        ("buffer_flits", of![1, 2, 8, 24, 4096, 4097, 5000]),
        ("flow_control", of!["absolute", "relative", "credit"]),
        ("crossbar", of!["parallel", "single", "none"]),
        ("link_arbitration", of!["packet", "flit", 1]),
        ("registers", of![true, false, "yes"]),
        ("counters", of![null, {"bits": 7}, {"bits": 32}, {"bits": 33}]),
        ("multicast", of![{"groups": 1}, {"groups": 256, "parity": {}}, {"groups": 4096}, {"groups": 5000}]),
        ("events", of![true, false]),
        ("buffer_ecc", of![null, {}, {"fault_pins": true}]),
        ("memory_pins", of![null, {"test_bits": 0}, {"test_bits": 3}, {"test_bits": 65}]),
        ("reset", of![{}, {"kind": "asynchronous", "active": "low"}, {"kind": "none"}]),
        ("barrier", of![{"groups": 0}, {"groups": 64}, {"groups": 65}]),
        ("packet", of![{"max_flits": 0}, {"max_flits": 1}, {"max_flits": 8}, {"max_flits": 256}, {"max_flits": 300}]),
        (
            "virtual_channels",
            of![{"unicast": 0}, {"unicast": 9}, {"mixed": 1}, {"mixed": 2}, {"unicast": 1, "mixed": 1, "barrier": 1}],
        ),
    ]);
    if random.below(5) > 0 {
        config["routing"] = routing(random);
    }
    if random.below(3) == 0 {
        config["chip"] = chip(random);
    }
    config
}

fn chip(random: &mut Random) -> Value {
    let mut chip = random.object(&[
        ("reset_synchronizer", of![true, false, 1]),
        ("register_port", of!["apb", "axi_lite", "none", "axi"]),
    ]);
    if random.below(3) > 0 {
        chip["streams"] = random.object(&[
            ("ports", of![[], [0], [0, 1], [1, 0], [2, 2], [0, 1, 63], [64], [-1], [1e20, 3], [1.5], null]),
            ("cut_through", of![true, false]),
        ]);
    }
    chip
}

/// Faults at this place or inside of it.
fn at<'a>(faults: &'a [Fault], path: &str) -> Option<&'a Fault> {
    faults.iter().find(|fault| fault.path == path || fault.path.starts_with(&format!("{path}/")))
}

/// The description with a value in a place; objects on the way to it are made if they are left out.
fn with(mut config: Value, path: &str, value: Value) -> Value {
    let place = path.split('/').skip(1).fold(&mut config, |at, key| match at {
        Value::Array(list) => &mut list[key.parse::<usize>().expect("a number")],
        object => &mut object[key],
    });
    *place = value;
    config
}

#[test]
fn a_legal_value_that_is_offered_is_legal() {
    let mut random = Random(1);
    let mut offers = 0;
    for _ in 0..DRAWN {
        let config = drawn(&mut random);
        let Err(faults) = Config::from_json(&config.to_string()) else { continue };
        for fault in &faults.first {
            let Ok(legal) = serde_json::from_str::<Value>(&fault.legal) else {
                assert!(fault.legal.starts_with("leave it out"), "no value: {fault}");
                continue;
            };
            let mended = with(config.clone(), &fault.path, legal);
            if let Err(left) = Config::from_json(&mended.to_string()) {
                assert!(at(&left.first, &fault.path).is_none(), "{config}\n{fault}\nthen: {left}");
            }
            offers += 1;
        }
    }
    assert!(offers > DRAWN, "{offers} offers");
}

/// A chunk that does not divide the address: what is offered does.
#[test]
fn a_chunk_width_that_is_offered_divides_the_address() {
    let json = r#"{"name": "a", "routing": {"kind": "table", "address_bits": 9, "node_reduction": {"chunk_bits": [2], "radix": "full"}}}"#;
    let faults = Config::from_json(json).unwrap_err().first;
    assert_eq!((faults[0].path.as_str(), faults[0].legal.as_str()), ("/routing/node_reduction/chunk_bits", "[3]"));
    let prime = Config::from_json(&json.replace('9', "11")).unwrap_err().first;
    assert_eq!((prime[0].path.as_str(), prime[0].legal.as_str()), ("/routing/node_reduction/radix", "\"any\""));
}
