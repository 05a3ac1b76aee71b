//! An estimate at work: modules synthesised and timed side by side, each looked for in the cache first, and the whole
//! linked from its parts.

use crate::design::{Hierarchy, MemoryShape};
use crate::error::{at, Error};
use crate::liberty::Liberty;
use crate::partition::{self, Loads, Netlist, Plan};
use crate::sram::{self, SramModel};
use crate::synthesis::{Flow, Paths, Synthesis};
use crate::{keep, Options};
use railyard_cache::{DiskCache, Key};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What the work is done with and on.
pub(crate) struct Work<'a> {
    pub options: &'a Options<'a>,
    /// Texts by module.
    pub modules: &'a BTreeMap<String, String>,
    pub top: &'a str,
    pub hierarchy: &'a Hierarchy,
    pub library: &'a Liberty,
    pub model: &'a SramModel,
    /// Memories as other sources have them.
    pub other_model: Option<&'a SramModel>,
    /// Activity of the whole, as `timing.tcl` reads it.
    pub activity: Option<&'a str>,
    pub plan: Plan,
    pub flatten: bool,
    pub flow: Flow<'a>,
    pub cache: &'a DiskCache,
    /// Key of all but the Verilog.
    pub base: &'a Key,
    pub folder: &'a Path,
}

/// What is synthesised at a time.
#[derive(Clone, Copy)]
enum Job<'a> {
    /// A module with all that is in it, timed too.
    Block(&'a str),
    /// A part or an opened module.
    Part(&'a str),
}

/// What comes of a job.
enum Made {
    Block(Synthesis),
    Part(Netlist),
}

fn is_macro(name: &str) -> bool {
    MemoryShape::of(name).is_some_and(|shape| !shape.is_small())
}

impl Work<'_> {
    /// Does all of it; results by module, the top's among them.
    pub fn results(&self) -> Result<BTreeMap<String, Synthesis>, Error> {
        let order = self.hierarchy.order(self.top);
        let jobs = self.jobs(&order);
        let (mut results, mut netlists) = (BTreeMap::new(), BTreeMap::new());
        for (job, made) in self.side_by_side(&jobs)? {
            match (job, made) {
                (Job::Block(module), Made::Block(made)) => drop(results.insert(module.to_string(), made)),
                (Job::Part(module), Made::Part(made)) => drop(netlists.insert(module.to_string(), made)),
                _ => unreachable!("a job makes what it is for"),
            }
        }
        if !self.flatten {
            if let Some(progress) = self.options.progress {
                progress(jobs.len(), jobs.len(), "linking and timing the whole");
            }
            self.link(&netlists, &mut results)?;
        }
        Ok(results)
    }

    fn jobs<'b>(&'b self, order: &'b [String]) -> Vec<Job<'b>> {
        let Plan { parts, opened } = &self.plan;
        let mut jobs: Vec<Job> = match self.flatten {
            true => vec![Job::Block(self.top)],
            false => parts.iter().chain(opened).map(|module| Job::Part(module)).collect(),
        };
        if self.options.by_block {
            let own = |m: &&String| **m != self.top && !is_macro(m) && !opened.contains(m) && !parts.contains(m);
            jobs.extend(order.iter().filter(own).map(|module| Job::Block(module)));
        }
        jobs
    }

    /// Runs all jobs, the first (the largest) first.
    fn side_by_side<'b>(&self, jobs: &[Job<'b>]) -> Result<Vec<(Job<'b>, Made)>, Error> {
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let results = Mutex::new(Ok(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..self.options.jobs.clamp(1, jobs.len().max(1)) {
                scope.spawn(|| loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { return };
                    if let Some(progress) = self.options.progress {
                        let (Job::Block(module) | Job::Part(module)) = job;
                        progress(done.load(Ordering::Relaxed), jobs.len(), module);
                    }
                    let result = match job {
                        Job::Block(module) => self.block(index, module).map(Made::Block),
                        Job::Part(module) => self.part(index, module).map(Made::Part),
                    };
                    done.fetch_add(1, Ordering::Relaxed);
                    let mut all = results.lock().unwrap_or_else(PoisonError::into_inner);
                    match (result, &mut *all) {
                        (Ok(result), Ok(list)) => list.push((*job, result)),
                        (Err(error), Ok(_)) => {
                            *all = Err(error);
                            next.store(jobs.len(), Ordering::Relaxed);
                        }
                        _ => {}
                    }
                });
            }
        });
        results.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The memories that are macros in a module and all below it.
    fn macros_of(&self, module: &str) -> Vec<MemoryShape> {
        let inside = self.hierarchy.order(module);
        inside.iter().filter(|name| is_macro(name)).filter_map(|name| MemoryShape::of(name)).collect()
    }

    fn folder_of(&self, name: &str) -> Result<PathBuf, Error> {
        let folder = self.folder.join(name);
        std::fs::create_dir(&folder).map_err(at(&folder))?;
        Ok(folder)
    }

    /// The name under which the result for these texts is kept.
    fn kept_as(&self, kind: &str, module: &str, verilog: &BTreeMap<String, String>, more: &[&str]) -> String {
        let key = verilog.iter().fold(self.base.clone(), |key, (name, text)| key.part(name, text));
        let key = more.iter().fold(key.part("module", module), |key, part| key.part("more", part));
        format!("{kind}-{}", key.finish())
    }

    /// Keeps what the whole was made of, if that is asked.
    fn keep_files(&self, from: &Path) -> Result<(), Error> {
        let Some(to) = &self.options.keep else { return Ok(()) };
        let inside = self.hierarchy.order(self.top);
        let texts = inside.iter().filter(|module| !is_macro(module)).map(|module| self.modules[module].as_str());
        keep::files(from, to, &texts.collect::<String>(), &self.macros_of(self.top))
    }

    /// A module with all that is in it, flat.
    fn block(&self, index: usize, module: &str) -> Result<Synthesis, Error> {
        let cone: BTreeSet<String> = self.hierarchy.order(module).into_iter().collect();
        let macros = self.macros_of(module);
        let verilog: BTreeMap<String, String> =
            cone.into_iter().filter(|m| !is_macro(m)).map(|m| (m.clone(), self.modules[&m].clone())).collect();
        let activity = self.activity.filter(|_| module == self.top);
        let more = [&format!("{macros:?}"), activity.unwrap_or_default()];
        let name = self.kept_as("synthesis", module, &verilog, &more);
        let keep = module == self.top && self.options.keep.is_some();
        if !keep {
            if let Some(done) = self.cache.get(&name) {
                return Ok(done);
            }
        }
        let folder = self.folder_of(&index.to_string())?;
        let mut result = self.flow.run(module, &verilog, &macros, activity, &folder)?;
        if keep {
            self.keep_files(&folder)?;
        }
        result.other_paths = self.other_paths(module, &macros, &folder)?;
        self.cache.put(&name, &result);
        Ok(result)
    }

    /// The paths of the netlist in `folder` with memories as other sources have them.
    fn other_paths(&self, module: &str, macros: &[MemoryShape], folder: &Path) -> Result<Option<Paths>, Error> {
        let Some(model) = self.other_model.filter(|_| !macros.is_empty()) else { return Ok(None) };
        let mut timed = Synthesis::default();
        Flow { model, power: false, ..self.flow }.time(module, macros, None, folder, &mut timed)?;
        Ok(Some(timed.paths))
    }

    /// A part with all that is in it, or an opened module with its parts left out.
    fn part(&self, index: usize, module: &str) -> Result<Netlist, Error> {
        let opened = self.plan.opened.iter().any(|name| name == module);
        let (mut verilog, mut boxes) = (BTreeMap::new(), BTreeMap::new());
        let inside = if opened { self.hierarchy.children(module) } else { self.hierarchy.order(module) };
        for name in inside.iter().filter(|name| !is_macro(name) && *name != module) {
            let text = &self.modules[name];
            match opened {
                true => boxes.insert(name.clone(), partition::black_box(text)),
                false => verilog.insert(name.clone(), text.clone()),
            };
        }
        verilog.insert(module.to_string(), self.modules[module].clone());
        let macros: Vec<MemoryShape> =
            inside.iter().filter(|name| is_macro(name)).filter_map(|name| MemoryShape::of(name)).collect();
        let name = self.kept_as("part", module, &verilog, &[&format!("{macros:?}"), &format!("{boxes:?}")]);
        if let Some(done) = self.cache.get(&name) {
            return Ok(done);
        }
        let folder = self.folder_of(&format!("part{index}"))?;
        let own = Flow { json: true, ..self.flow };
        let mut counts = own.synthesise(module, &verilog, &boxes, &macros, &folder)?;
        if !opened {
            own.time(module, &macros, None, &folder, &mut counts)?;
        }
        let read = |name: &str| own.yosys.written(&folder.join(name), module);
        let mut netlist = Netlist { counts, ..Netlist::default() };
        let json = read("netlist.json")?;
        if opened {
            netlist.json = json;
        } else {
            netlist.verilog = read("netlist.v")?;
            let memory = sram::input_load(self.model);
            netlist.loads = partition::input_loads(module, &json, self.library, memory, &Loads::default())?;
        }
        self.cache.put(&name, &netlist);
        Ok(netlist)
    }

    /// Links the whole from its parts, from the inside out, and times it.
    fn link(
        &self,
        netlists: &BTreeMap<String, Netlist>,
        results: &mut BTreeMap<String, Synthesis>,
    ) -> Result<(), Error> {
        let folder = self.folder_of("whole")?;
        let (mut loads, mut text) = (Loads::default(), String::new());
        for name in &self.plan.parts {
            let netlist = &netlists[name];
            loads.insert(name, netlist.loads.clone());
            text += &netlist.verilog;
            results.entry(name.clone()).or_insert_with(|| netlist.counts.clone());
        }
        let memory = sram::input_load(self.model);
        for name in &self.plan.opened {
            let netlist = &netlists[name];
            let linked = partition::link(name, &netlist.json, self.library, memory, &loads, &self.options.clock)?;
            // Buffers inside a module count before those of who instantiates it.
            loads.insert(name, linked.loads);
            text += &linked.verilog;
            let sum = self.sum(name, netlist, &linked.buffers, results);
            results.insert(name.clone(), sum);
        }
        let path = folder.join("netlist.v");
        std::fs::write(&path, text).map_err(at(&path))?;
        let mut whole = results[self.top].clone();
        // Its power is that of its parts.
        let flow = Flow { power: false, ..self.flow };
        let macros = self.macros_of(self.top);
        let timed = flow.time(self.top, &macros, self.activity, &folder, &mut whole);
        self.keep_files(&folder)?;
        timed?;
        whole.other_paths = self.other_paths(self.top, &macros, &folder)?;
        results.insert(self.top.to_string(), whole);
        Ok(())
    }

    /// What an opened module has in all: its own logic, buffers, and the modules in it.
    fn sum(
        &self,
        module: &str,
        netlist: &Netlist,
        buffers: &BTreeMap<String, u64>,
        results: &BTreeMap<String, Synthesis>,
    ) -> Synthesis {
        let mut sum = netlist.counts.clone();
        for (cell, count) in buffers {
            let one = Synthesis {
                cells: 1,
                cell_area_um2: self.library.cell(cell).map_or(0.0, |cell| cell.area()),
                by_cell: BTreeMap::from([(cell.clone(), 1)]),
                ..Synthesis::default()
            };
            partition::add(&mut sum, &one, *count);
        }
        for child in self.hierarchy.children(module).iter().filter(|child| !is_macro(child)) {
            let here = self.hierarchy.instances[child].iter().filter(|(parent, _)| parent == module).count();
            partition::add(&mut sum, &results[child], here as u64);
        }
        sum
    }
}
