//! A design by its modules: their texts, and which can be estimated on their own.

use crate::design::{GeneratedDesign, MemoryShape};
use crate::error::Error;
use std::collections::{BTreeMap, BTreeSet};

impl GeneratedDesign {
    /// Whether a module can be estimated on its own.
    ///
    /// # Errors
    /// There is none of this name, or it is a memory.
    pub fn check_block(&self, name: &str) -> Result<(), Error> {
        check_block(&split(self), name)
    }
}

/// Whether a module of these can be estimated on its own.
pub(crate) fn check_block(modules: &BTreeMap<String, String>, name: &str) -> Result<(), Error> {
    let is_memory = |module: &str| MemoryShape::of(module).is_some_and(|shape| !shape.is_small());
    if !modules.contains_key(name) {
        let known = modules.keys().filter(|module| !is_memory(module)).cloned().collect();
        return Err(Error::NoSuchBlock { block: name.into(), known });
    }
    match is_memory(name) {
        true => Err(Error::MemoryBlock { block: name.into() }),
        false => Ok(()),
    }
}

/// The design by module: each with its own text, and the directives at the head of its file.
pub(crate) fn split(design: &GeneratedDesign) -> BTreeMap<String, String> {
    let mut modules: BTreeMap<String, String> = BTreeMap::new();
    for (_, text) in &design.modules {
        let mut head = String::new();
        let mut open: Option<(String, String)> = None;
        for line in text.lines() {
            if open.is_none() {
                match modules_in(line).pop() {
                    Some(name) => open = Some((name, head.clone())),
                    None if line.starts_with('`') => head += &format!("{line}\n"),
                    None => {}
                }
            }
            if let Some((name, body)) = &mut open {
                *body += line;
                body.push('\n');
                let words = line.split("//").next().unwrap_or("");
                if words.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|w| w == "endmodule") {
                    modules.insert(name.clone(), std::mem::take(body));
                    open = None;
                }
            }
        }
    }
    // Memories may carry the design's name in front; here they go by their shape alone.
    let prefixes: BTreeSet<String> = modules
        .keys()
        .filter_map(|name| name.split_once("_ram_1r1w_").map(|(prefix, _)| format!("{prefix}_ram_1r1w_")))
        .collect();
    let plain = |text: String| prefixes.iter().fold(text, |text, prefix| text.replace(prefix.as_str(), "ram_1r1w_"));
    modules.into_iter().map(|(name, text)| (plain(name), plain(text))).collect()
}

/// Names of the modules that a Verilog text defines.
fn modules_in(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines() {
        let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty());
        if line.trim_start().starts_with("module") && words.next() == Some("module") {
            names.extend(words.next().map(String::from));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_files_into_modules() {
        let text = "`default_nettype none\n// about\nmodule a (input wire x);\nendmodule // a\nmodule b;\n wire \
                    endmodules;\nendmodule\n";
        let design = GeneratedDesign { top: "a".into(), modules: vec![("f.v".into(), text.into())], switch: None };
        let modules = split(&design);
        assert_eq!(modules.keys().collect::<Vec<_>>(), ["a", "b"]);
        let named = "module x_a;\n  x_ram_1r1w_2x3 m ();\nendmodule\nmodule x_ram_1r1w_2x3;\nendmodule\n".to_string();
        let named = split(&GeneratedDesign { modules: vec![("f.v".into(), named)], ..design });
        assert_eq!(named.keys().collect::<Vec<_>>(), ["ram_1r1w_2x3", "x_a"]);
        assert!(named["x_a"].contains(" ram_1r1w_2x3 m"));
        assert!(modules["b"].starts_with("`default_nettype none\nmodule b;") && modules["b"].contains("endmodules;"));
    }
}
