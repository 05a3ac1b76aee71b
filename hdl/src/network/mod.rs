//! A network of equal switches as one piece of hardware: `<name>_network`, in which all of them are joined by
//! `<name>_link`s (`<name>__link`s where the name has an underscore: see [`railyard_spec::module_prefix`]). Links of
//! several latencies are `<name>_link_<latency>`s.

pub mod link;
mod top;

use crate::rtl::verilog::{emit_styled, Design, ElaborationError};
use crate::switch::style;
use railyard_spec::network::Lanes;
use railyard_spec::{module_prefix, CheckedConfig};

/// The network as Verilog: the modules of the switch, a link for each latency (at least 1), and the top. The
/// configuration has passed its check, and `name` is one that a configuration could have.
///
/// # Errors
/// Blocks that don't elaborate; a switch that has a module of the link's or the top's name.
pub fn elaborate(config: &CheckedConfig, name: &str, lanes: &Lanes) -> Result<Design, Vec<ElaborationError>> {
    let shape = config.shape();
    let mut design = crate::switch::elaborate(config)?;
    let switch = design.top().name.clone();
    let prefix = module_prefix(name);
    for latency in lanes.lengths() {
        let link = link::link(&shape, latency);
        let link = emit_styled(&link, &lanes.link_module(&prefix, latency), "", style(&shape))?;
        design.modules.extend(link.modules);
    }
    design.modules.push(top::top(&shape, lanes, &format!("{name}_network"), &switch, &prefix));
    let mut names: Vec<&str> = design.modules.iter().map(|module| module.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(design),
        Some(twice) => {
            let message = "the switch has a module of that name: give the network another name".into();
            Err(vec![ElaborationError { block: name.into(), signal: twice[0].into(), message }])
        }
    }
}

#[cfg(test)]
mod tests;
