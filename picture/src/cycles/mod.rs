//! Cycle diagrams: waveforms of the golden model at work.

mod barrier;
mod credits;
mod lookup;
mod multicast;
pub mod pipeline;
mod registers;
mod table_change;
mod unicast;

pub use barrier::barrier;
pub use credits::{credits, lost_credit};
pub use lookup::miss;
pub use multicast::multicast;
pub use registers::registers;
pub use table_change::table_change;
pub use unicast::{back_to_back, header};

use crate::canvas::Canvas;
use crate::wave::{Wave, WaveRow};
use railyard_input::Fault;
use railyard_spec::{CheckedConfig, RoutingShape, Shape};

/// Input port of the packets in cycle diagrams.
const INPUT: usize = 0;
/// Output port of the packets in cycle diagrams.
const OUTPUT: usize = 1;

/// A picture that a description has no part for.
fn unsuited(path: &str, value: impl ToString, rule: &str, legal: &str) -> Fault {
    Fault { path: path.into(), value: value.to_string(), rule: rule.into(), legal: legal.into() }
}

/// The fault of a switch that does not look up addresses.
fn no_table(shape: &Shape) -> Fault {
    let kind = match shape.routing {
        RoutingShape::Source(_) => "\"source\"",
        RoutingShape::Algorithmic(_) => "\"algorithmic\"",
        RoutingShape::Dragonfly(_) => "\"dragonfly\"",
        RoutingShape::Table(_) => "\"table\"",
    };
    unsuited("/routing/kind", kind, "must be \"table\": with other kinds nothing is looked up", "\"table\"")
}

/// A waveform with its title.
fn drawn(config: &CheckedConfig, name: &str, title: &str, description: &str, rows: Vec<WaveRow>) -> Canvas {
    let mut canvas = Canvas::new(name, &format!("{}: {title}", config.name), description);
    let mut wave = Wave { rows };
    wave.trim();
    wave.draw(&mut canvas);
    canvas
}
