//! The load of a network in a sweep.

use crate::grid::Setting;
use crate::network::whole;
use crate::run::RunKind;
use railyard_input::Faults;
use railyard_network::description::{Input, NetworkFile};
use serde_json::json;

/// The job that puts a load on a network. A load's fields are those of a scenario; traffic has the same names here.
///
/// # Errors
/// The network has no such traffic.
pub(crate) fn job(input: &Input, load: &Setting, cycles: u64) -> Result<RunKind, Faults> {
    let mut document = json!(whole(input));
    document["seed"] = json!(1);
    for (field, value) in &load.sets {
        field.set(&mut document, value).map_err(Faults::from)?;
    }
    let seed = document["seed"].take().as_u64().expect("checked with the sweep");
    document.as_object_mut().and_then(|fields| fields.shift_remove("seed"));
    let network: NetworkFile = serde_json::from_value(document).expect("checked with the sweep");
    let loaded = Input { description: network.clone(), ..input.clone() };
    loaded.run(seed).check(&loaded.blueprint).map_err(|error| Faults::from(error.fault()))?;
    Ok(RunKind::Network { network: Box::new(network), seed, cycles })
}
