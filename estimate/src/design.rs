//! The generated design, as data: Verilog files and which modules are memories.

use std::collections::{BTreeMap, BTreeSet};

/// A design: what `railyard generate` writes.
#[derive(Clone, Debug)]
pub struct GeneratedDesign {
    /// Top module.
    pub top: String,
    /// Verilog files: name and text. A file can hold several modules.
    pub modules: Vec<(String, String)>,
    /// What figures of a whole switch need; `None` for a block.
    pub switch: Option<SwitchFacts>,
}

/// Facts of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchFacts {
    /// Its module: the top, or a module of the top.
    pub module: String,
    /// Ports.
    pub ports: u32,
    /// Bits of a flit: what a link carries in a cycle.
    pub flit_bits: u32,
    /// Cycles that a header takes through the idle switch, where that is known.
    pub latency_cycles: Option<u32>,
    /// How it looks up routes.
    pub lookup: Lookup,
}

/// Where a switch looks up the way of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Nowhere outside of its registers: routes are in the packet, computed, or in a table on the chip.
    None,
    /// In an external CAM, for each packet.
    Cam,
    /// In a cache; misses go to an external CAM.
    CachedCam,
}

/// A memory module: its name says its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct MemoryShape {
    /// Words.
    pub depth: u32,
    /// Bits of a word.
    pub width: u32,
}

impl MemoryShape {
    /// The shape that a module name tells, if it is a memory's.
    pub fn of(module: &str) -> Option<Self> {
        let (depth, width) = module.strip_prefix("ram_1r1w_")?.split_once('x')?;
        Some(Self { depth: depth.parse().ok().filter(|d| *d > 0)?, width: width.parse().ok().filter(|w| *w > 0)? })
    }

    /// As text: words x bits.
    pub fn name(self) -> String {
        format!("{}x{}", self.depth, self.width)
    }

    /// Bits in all.
    pub fn bits(self) -> u64 {
        u64::from(self.depth) * u64::from(self.width)
    }

    /// Bits of an address.
    pub fn address(self) -> u32 {
        u32::BITS - (self.depth - 1).leading_zeros().min(31)
    }

    /// Too small for a macro: memory compilers and CACTI begin at about 32 words or 512 bits. Such a memory is made of
    /// flip-flops. (Buffers of up to 8 flits too: what routers on chips are built of, and compared in.)
    pub fn is_small(self) -> bool {
        self.bits() < 512 || self.depth <= 8
    }
}

/// Modules, who instantiates whom, and where.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Hierarchy {
    /// For each module its instances: parent module and instance name.
    pub instances: BTreeMap<String, Vec<(String, String)>>,
}

impl Hierarchy {
    /// Instances of each module in the whole design under `top`, `top` itself once.
    pub fn counts(&self, top: &str) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::from([(top.to_string(), 1)]);
        for module in self.order(top).iter().skip(1) {
            let n = self
                .instances
                .get(module)
                .map_or(0, |list| list.iter().map(|(parent, _)| counts.get(parent).copied().unwrap_or(0)).sum());
            counts.insert(module.clone(), n);
        }
        counts
    }

    /// Modules under `top`, each after all that instantiate it.
    pub fn order(&self, top: &str) -> Vec<String> {
        fn visit(this: &Hierarchy, module: &str, seen: &mut BTreeSet<String>, order: &mut Vec<String>) {
            if seen.insert(module.to_string()) {
                for child in this.children(module) {
                    visit(this, &child, seen, order);
                }
                order.push(module.to_string());
            }
        }
        let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
        visit(self, top, &mut seen, &mut order);
        order.reverse();
        order
    }

    /// Modules that `module` instantiates.
    pub fn children(&self, module: &str) -> Vec<String> {
        let uses = |list: &Vec<(String, String)>| list.iter().any(|(parent, _)| parent == module);
        self.instances.iter().filter(|(_, list)| uses(list)).map(|(name, _)| name.clone()).collect()
    }

    /// The innermost module that holds the signal or cell `path` (names joined by dots) in `top`.
    pub fn owner(&self, top: &str, path: &str) -> String {
        let (mut module, mut rest) = (top.to_string(), path);
        'deeper: loop {
            for (child, list) in &self.instances {
                for (parent, instance) in list {
                    let inside = rest.strip_prefix(instance.as_str()).and_then(|r| r.strip_prefix(['.', '/']));
                    if let (true, Some(inside)) = (*parent == module, inside) {
                        (module, rest) = (child.clone(), inside);
                        continue 'deeper;
                    }
                }
            }
            return module;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        assert_eq!(MemoryShape::of("ram_1r1w_32x66"), Some(MemoryShape { depth: 32, width: 66 }));
        assert_eq!(MemoryShape::of("ram_1r1w_0x66"), None);
        assert_eq!(MemoryShape::of("fifo"), None);
        let bits = |depth| MemoryShape { depth, width: 1 }.address();
        assert_eq!([1, 2, 3, 4, 5, 32, 33].map(bits), [1, 1, 2, 2, 3, 5, 6]);
    }

    #[test]
    fn hierarchy() {
        let at = |list: &[(&str, &str)]| list.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        let instances = BTreeMap::from([
            ("b".to_string(), at(&[("top", "b0"), ("top", "b1")])),
            ("c".to_string(), at(&[("b", "c0"), ("b", "c1"), ("top", "c")])),
        ]);
        let tree = Hierarchy { instances };
        assert_eq!(tree.order("top"), ["top", "b", "c"]);
        assert_eq!(tree.counts("top")["c"], 5);
        assert_eq!(tree.owner("top", "b1.c0.state[3]"), "c");
        assert_eq!(tree.owner("top", "b1.state"), "b");
        assert_eq!(tree.owner("top", "other"), "top");
    }
}
