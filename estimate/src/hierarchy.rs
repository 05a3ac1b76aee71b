//! Who instantiates whom, from Yosys.

use crate::design::Hierarchy;
use crate::error::{at, Error};
use crate::tools::{Tool, HIERARCHY};
use railyard_cache::{DiskCache, Key};
use std::collections::BTreeMap;
use std::path::Path;

/// The hierarchy of the modules under `top`, found in the cache or with Yosys in `work`.
pub(crate) fn hierarchy(
    modules: &BTreeMap<String, String>,
    top: &str,
    yosys: &Tool,
    base: &Key,
    cache: &DiskCache,
    work: &Path,
) -> Result<Hierarchy, Error> {
    let key = modules.iter().fold(base.clone(), |key, (name, text)| key.part(name, text));
    let name = format!("hierarchy-{}", key.part("top", top).finish());
    if let Some(known) = cache.get(&name) {
        return Ok(known);
    }
    let folder = work.join("hierarchy");
    std::fs::create_dir(&folder).map_err(at(&folder))?;
    for (name, text) in modules {
        let path = folder.join(format!("{name}.v"));
        std::fs::write(&path, text).map_err(at(&path))?;
    }
    let names: Vec<&str> = modules.keys().map(String::as_str).collect();
    let files: Vec<String> = names.iter().map(|name| format!("{name}.v")).collect();
    let settings = [
        ("RY_VERILOG", files.join(" ")),
        ("RY_TOP", top.to_string()),
        ("RY_MODULES", names.join(" ")),
        ("RY_OUT", ".".to_string()),
    ];
    yosys.run(HIERARCHY, &folder, top, &settings)?;
    let mut tree = Hierarchy::default();
    for module in names {
        let text = yosys.written(&folder.join(format!("{module}.instances")), top)?;
        let mut list = Vec::new();
        for line in text.lines() {
            let (parent, instance) = line
                .split_once('/')
                .ok_or_else(|| yosys.lacks(top, &format!("not an instance of {module}: {line}")))?;
            list.push((parent.to_string(), instance.to_string()));
        }
        list.sort();
        if !list.is_empty() {
            tree.instances.insert(module.to_string(), list);
        }
    }
    cache.put(&name, &tree);
    Ok(tree)
}
