//! What a scenario asks for that not every switch has.

use super::Scenario;
use crate::traffic::LegalTraffic;
use railyard_input::{Fault, Faults};
use railyard_spec::registers::registers;
use railyard_spec::Shape;
use serde_json::Value;

impl Scenario {
    /// Reads a scenario for a switch. What it says itself the switch must have the parts for; what it leaves out has a
    /// default that is put aside where they are missing.
    ///
    /// # Errors
    /// All faults at once.
    pub fn for_switch(text: &str, shape: &Shape) -> Result<Scenario, Faults> {
        let scenario = Scenario::from_json(text)?;
        let said: Value = serde_json::from_str(text).expect("it was read");
        let faults = scenario.misfits(&said, shape);
        match faults.is_empty() {
            true => Ok(scenario),
            false => Err(faults),
        }
    }

    /// What of a scenario the switch has no part for, if it stands in `said`, the document that the scenario was read
    /// from.
    pub fn misfits(&self, said: &Value, shape: &Shape) -> Faults {
        let mut faults = Faults::default();
        let mut needs = |path: &str, rate: f64, is_built: bool, part: &str| {
            if rate > 0.0 && !is_built && said.pointer(path).is_some() {
                let (value, rule) = (rate.to_string(), format!("needs a switch with {part}"));
                faults.push(Fault { path: path.into(), value, rule, legal: "0".into() });
            }
        };
        let (multicast, barrier) = (shape.multicast.is_some(), shape.barrier.is_some());
        needs("/barriers", self.barriers, barrier, "a barrier virtual channel");
        needs(
            "/moves",
            self.moves,
            !registers(shape).is_empty(),
            "registers, so that something can change at run time",
        );
        needs("/traffic/multicast", self.traffic.multicast, multicast, "a mixed virtual channel");
        faults.extend(self.failure.iter().flat_map(|failure| failure.faults(shape)));
        faults
    }

    /// The same stimulus of that switch, without what the switch has no part for.
    pub(super) fn fitted(&self, shape: &Shape) -> Scenario {
        let of = |rate: f64, is_built: bool| if is_built { rate } else { 0.0 };
        Scenario {
            barriers: of(self.barriers, shape.barrier.is_some()),
            moves: of(self.moves, !registers(shape).is_empty()),
            traffic: LegalTraffic {
                multicast: of(self.traffic.multicast, shape.multicast.is_some()),
                ..self.traffic.clone()
            },
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    fn faults(text: &str) -> Vec<String> {
        let shape = Config::from_json(r#"{"name": "s", "routing": {"kind": "source"}}"#).unwrap().shape();
        Scenario::for_switch(text, &shape).err().map_or(Vec::new(), |faults| {
            faults.first.iter().map(|f| format!("{}: {} {}; legal: {}", f.path, f.value, f.rule, f.legal)).collect()
        })
    }

    #[test]
    fn what_the_switch_has_no_part_for_is_refused_unless_nobody_said_it() {
        assert_eq!(faults(r#"{"seed": 1}"#), [""; 0]);
        assert_eq!(faults(r#"{"barriers": 0, "moves": 0, "traffic": {"multicast": 0}}"#), [""; 0]);
        assert_eq!(
            faults(r#"{"barriers": 0.02, "moves": 0.001, "traffic": {"multicast": 0.1}}"#),
            [
                "/barriers: 0.02 needs a switch with a barrier virtual channel; legal: 0",
                "/moves: 0.001 needs a switch with registers, so that something can change at run time; legal: 0",
                "/traffic/multicast: 0.1 needs a switch with a mixed virtual channel; legal: 0",
            ]
        );
    }

    /// A failure report's scenario can be read again.
    #[test]
    fn arguments_fit_the_switch() {
        let shape = Config::from_json(r#"{"name": "s", "routing": {"kind": "source"}}"#).unwrap().shape();
        for seed in 0..30 {
            let scenario = Scenario { mischief: 0.01, ..Scenario::any(seed) };
            let arguments = scenario.arguments(&shape);
            assert_eq!(Scenario::for_switch(&arguments[1], &shape), Ok(scenario.fitted(&shape)));
        }
    }
}
