//! Building a model: options, cache key, Verilator, compiler.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use railyard_cache::{default_folder, DiskCache, Folder, Key};

use crate::{
    compile::Compiler, compiled::WARNINGS, error::IoContext, header, messages::errors_first, outside::Inside, shim,
    tools::Toolchain, workshop::Workshop, BuildError, Compiled, Guard, HierarchicalBlock, Model, Start, Tools,
    VerilogDesign, Waveforms,
};

/// The file that tells Verilator how to treat single modules.
const CONTROL_FILE: &str = "railyard_control.vlt";

/// What Verilator calls the model of a whole design.
pub(crate) const CLASS: &str = "Vdut";

/// Where Verilator's files go, and are deleted once they are compiled.
const GENERATED: &str = "generated";

/// Defines the macro under which Railyard's own Verilog has its assertions.
const ASSERTIONS: &str = "+define+RAILYARD_ASSERT";

/// What the compiler aims at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Optimise {
    /// Short builds, for tests of at most some thousand cycles.
    Quick,
    /// Builds and simulations between the two: for some ten thousand cycles.
    Balanced,
    /// Short simulations.
    #[default]
    Fast,
}

/// What Verilog's unknown values (registers before reset, `'bx`) become in a two-state simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unknowns {
    /// Whatever simulates fastest; mostly zero.
    #[default]
    Fast,
    /// Random values from [`Start::seed`]: finds logic that relies on a register that reset doesn't reach.
    Random,
}

/// How to build a model of a design.
#[derive(Clone, Debug)]
pub struct Build {
    /// Short builds or short simulations.
    pub optimise: Optimise,
    /// Whether the model can write waveforms.
    pub trace: Waveforms,
    /// What unknown values become.
    pub unknowns: Unknowns,
    /// Check the design's assertions; the first that fails stops it (see [`Model::stopped`]).
    pub assertions: bool,
    /// Take Verilator's warnings for errors.
    pub deny_warnings: bool,
    /// Further arguments of Verilator, after the binding's own.
    pub verilator_args: Vec<String>,
    /// Further arguments of the C++ compiler for generated files, after the binding's own. Note that the cache
    /// may be shared by machines of different kinds, so `-march=native` asks for trouble.
    pub cxx_args: Vec<String>,
    /// The programs that build it.
    pub tools: Tools,
    /// How far the design is trusted, here and when its model runs in a process of its own.
    pub guard: Guard,
    /// Where compiled models are kept; `None` for `$RAILYARD_CACHE`, else `railyard` in the user's cache folder.
    pub cache: Option<PathBuf>,
    /// Compilers that run at once; `None` for one a core.
    pub jobs: Option<usize>,
}

impl Default for Build {
    fn default() -> Build {
        Build {
            optimise: Optimise::default(),
            trace: Waveforms::default(),
            unknowns: Unknowns::default(),
            assertions: true,
            deny_warnings: false,
            verilator_args: Vec::new(),
            cxx_args: Vec::new(),
            tools: Tools::default(),
            guard: Guard::default(),
            cache: None,
            jobs: None,
        }
    }
}

impl Build {
    /// The default with a short build, for tests that run few cycles.
    pub fn quick() -> Build {
        Build { optimise: Optimise::Quick, ..Build::default() }
    }

    /// The default with [`Optimise::Balanced`].
    pub fn balanced() -> Build {
        Build { optimise: Optimise::Balanced, ..Build::default() }
    }

    /// Builds (or finds in the cache) and starts a model.
    pub fn model(&self, design: &VerilogDesign) -> Result<Model, BuildError> {
        Ok(self.compile(design)?.start(&Start::default())?)
    }

    /// Builds a model, or finds it in the cache. Any number of threads and processes may ask for the same design:
    /// one builds, the others wait for it.
    pub fn compile(&self, design: &VerilogDesign) -> Result<Compiled, BuildError> {
        let blocks = design.blocks.iter().flat_map(|block| &block.design.sources);
        if let Some(source) = design.sources.iter().chain(blocks).find(|source| !source.has_plain_name()) {
            return Err(BuildError::SourceName { name: source.name.clone() });
        }
        let tools = self.tools.find(self.optimise == Optimise::Quick)?;
        let folder = self.cache.clone().or_else(default_folder);
        let cache = DiskCache::open(folder.as_deref()).with_scratch()?;
        let key = self.key(design, &tools);
        let folder = cache.folder(&format!("model-{key}"), |draft| self.fill(design, &tools, &cache, draft))?;
        let runner = self.compiler(design, &tools)?.runner(&cache)?;
        Ok(Compiled { folder, runner, design: design.clone(), guard: self.guard.clone() })
    }

    fn key(&self, design: &VerilogDesign, tools: &Toolchain) -> String {
        let mut key = Key::new()
            .part("shim", shim::ABI.to_string())
            .part("verilator", &tools.verilator_version)
            .part("c++", &tools.cxx.version)
            .part("c++ of generated files", &tools.generated_cxx.version)
            .part("arguments", self.verilator_arguments(design, CLASS).join("\n"))
            .part("fast", self.fast_options().join("\n"))
            .part("slow", self.slow_options().join("\n"))
            .part("trace", format!("{:?}", self.trace))
            .part("shared", design.shared.join("\n"))
            .part("all ports", design.all_ports.to_string());
        for port in &design.ports {
            key = key.part("port", format!("{:?} {} {}", port.direction, port.width, port.name));
        }
        for source in &design.sources {
            key = key.part("name", &source.name).part("text", &source.text);
        }
        for block in &design.blocks {
            key = key.part("block", self.block_key(block, tools));
        }
        key.finish()
    }

    fn block_key(&self, block: &HierarchicalBlock, tools: &Toolchain) -> String {
        Key::new().part("clock", &block.clock).part("design", self.key(&block.design, tools)).finish()
    }

    /// Makes the content of a model's cache folder: `model.so`, Verilator's warnings, and the sources.
    fn fill(
        &self,
        design: &VerilogDesign,
        tools: &Toolchain,
        cache: &DiskCache,
        draft: &Path,
    ) -> Result<(), BuildError> {
        let mut all = Part::default();
        for block in &design.blocks {
            let path = draft.join(block.stub_file());
            fs::write(&path, block.stub()).io("writing", path)?;
            all.add(self.block(block, tools, cache)?);
        }
        let shim = |names: &[String]| shim::source(&design.ports, names, self.trace);
        let compiler = self.compiler(design, tools)?;
        all.add(self.part(design, CLASS, &shim, &compiler, cache, draft)?);
        let path = draft.join(WARNINGS);
        fs::write(&path, all.warnings).io("writing", path)?;
        compiler.link(&all.objects, &draft.join(GENERATED), CLASS, &draft.join("model.so"), cache)?;
        delete_generated(draft)
    }

    /// A block, built or found in the cache.
    fn block(&self, block: &HierarchicalBlock, tools: &Toolchain, cache: &DiskCache) -> Result<Part, BuildError> {
        let name = format!("block-{}", self.block_key(block, tools));
        let folder = cache.folder(&name, |draft| {
            let library = |names: &[String]| block.library(names);
            let compiler = self.compiler(&block.design, tools)?;
            let built = self.part(&block.design, &block.class(), &library, &compiler, cache, draft)?;
            let path = draft.join(WARNINGS);
            fs::write(&path, built.warnings).io("writing", path)?;
            for object in built.objects {
                let kept = draft.join(object.file_name().expect("objects are files"));
                fs::rename(&object, &kept).io("moving", object)?;
            }
            delete_generated(draft)
        })?;
        let files = fs::read_dir(folder.path()).io("reading", folder.path())?.flatten().map(|entry| entry.path());
        let mut objects: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "o")).collect();
        objects.sort();
        let path = folder.path().join(WARNINGS);
        Ok(Part { objects, warnings: fs::read_to_string(&path).io("reading", path)?, folders: vec![folder] })
    }

    /// Verilates a design in `draft`, and compiles that with the file that stands before it: `front` makes it of the
    /// C++ names of the ports.
    fn part(
        &self,
        design: &VerilogDesign,
        class: &str,
        front: &dyn Fn(&[String]) -> String,
        compiler: &Compiler<'_>,
        cache: &DiskCache,
        draft: &Path,
    ) -> Result<Part, BuildError> {
        for source in &design.sources {
            let path = draft.join(&source.name);
            fs::write(&path, &source.text).io("writing", path)?;
        }
        if !design.shared.is_empty() {
            let path = draft.join(CONTROL_FILE);
            fs::write(&path, control(&design.shared)).io("writing", path)?;
        }
        let warnings = self.verilate(design, class, compiler, draft)?;

        let generated = draft.join(GENERATED);
        let path = generated.join(format!("{class}.h"));
        let names = header::resolve_ports(&fs::read_to_string(&path).io("reading", path)?, design)?;
        let path = generated.join("front.cpp");
        fs::write(&path, front(&names)).io("writing", path)?;
        Ok(Part { objects: compiler.objects(&generated, class, "front", cache)?, warnings, folders: Vec::new() })
    }

    fn compiler<'a>(&'a self, design: &'a VerilogDesign, tools: &'a Toolchain) -> Result<Compiler<'a>, BuildError> {
        let root = tools.verilator_root()?;
        Ok(Compiler {
            workshop: Workshop::new(&self.guard, &design.top, tools, &root),
            tools,
            root,
            top: &design.top,
            fast: self.fast_options(),
            slow: self.slow_options(),
            jobs: self.jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)),
        })
    }

    /// Runs Verilator in `folder`, where the sources are, so that messages name them as the user does. Gives its
    /// warnings.
    fn verilate(
        &self,
        design: &VerilogDesign,
        class: &str,
        compiler: &Compiler<'_>,
        folder: &Path,
    ) -> Result<String, BuildError> {
        let mut command = Command::new(&compiler.tools.verilator);
        command.args(self.verilator_arguments(design, class)).current_dir(folder);
        let finished = compiler.workshop.run("Verilator", &mut command, folder, &[])?;
        if !finished.success {
            return Err(BuildError::Verilator { top: design.top.clone(), message: errors_first(&finished.text) });
        }
        Inside::new([folder, &compiler.root]).check_verilator(&design.top, folder, &folder.join(GENERATED), class)?;
        Ok(finished.text)
    }

    fn verilator_arguments(&self, design: &VerilogDesign, class: &str) -> Vec<String> {
        let mut arguments: Vec<String> =
            ["--cc", "--prefix", class, "--Mdir", GENERATED, "-O3", "--output-split", "6000", "--top-module"]
                .map(str::to_owned)
                .into();
        arguments.push(design.top.clone());
        let unknowns = match self.unknowns {
            Unknowns::Fast => "fast",
            Unknowns::Random => "unique",
        };
        // The clock is the only time that there is: delays are left out. Files with and without `timescale go together.
        arguments.extend(["--no-timing", "--timescale", "1ns/1ps"].map(str::to_owned));
        arguments.extend(["--x-assign", unknowns, "--x-initial", unknowns].map(str::to_owned));
        match self.assertions {
            true => arguments.extend(["--assert", ASSERTIONS].map(str::to_owned)),
            false => arguments.push("--no-assert".to_owned()),
        }
        if !self.deny_warnings {
            arguments.push("-Wno-fatal".to_owned());
        }
        match self.trace {
            Waveforms::None => {}
            Waveforms::Vcd => arguments.push("--trace".to_owned()),
            Waveforms::Fst => arguments.push("--trace-fst".to_owned()),
        }
        if self.optimise != Optimise::Fast {
            // Words taken apart into bits make up to a quarter more C++, which pays off at -O2 only.
            arguments.push("-fno-expand".to_owned());
        }
        if !design.shared.is_empty() {
            // Without it Verilator writes what drives an instance's inputs into the instance's code, so no two are
            // equal.
            arguments.extend(["-fno-gate", CONTROL_FILE].map(str::to_owned));
        }
        arguments.extend(self.verilator_args.iter().cloned());
        arguments.extend(design.blocks.iter().map(HierarchicalBlock::stub_file));
        arguments.extend(design.sources.iter().filter(|source| source.is_compiled()).map(|source| source.name.clone()));
        arguments
    }

    /// Options of the C++ files that run every cycle.
    fn fast_options(&self) -> Vec<String> {
        let level = match self.optimise {
            // Builds in a quarter of the time of -O2 for a 16-port switch, by Clang in an eighth; -O1 saves hardly a
            // third.
            Optimise::Quick => "-O0",
            // Builds in 1.6 times the time of -O0, and simulates 2.5 to 4 times as fast.
            Optimise::Balanced => "-Og",
            // Measured on a switch-like design: -O3 builds for 1.4 times as long and isn't faster, -Os is 1.4 times
            // slower.
            Optimise::Fast => "-O2",
        };
        [&[level.to_owned()], self.cxx_args.as_slice()].concat()
    }

    /// Options of the C++ files that run once.
    fn slow_options(&self) -> Vec<String> {
        [&["-O0".to_owned()], self.cxx_args.as_slice()].concat()
    }
}

/// What was made of a design or of a block in it: objects, and what Verilator said.
#[derive(Default)]
struct Part {
    objects: Vec<PathBuf>,
    warnings: String,
    /// Where objects are that may not be kept.
    folders: Vec<Folder>,
}

impl Part {
    fn add(&mut self, other: Part) {
        self.objects.extend(other.objects);
        self.warnings.push_str(&other.warnings);
        self.folders.extend(other.folders);
    }
}

/// Deletes what Verilator has written.
fn delete_generated(draft: &Path) -> Result<(), BuildError> {
    let generated = draft.join(GENERATED);
    fs::remove_dir_all(&generated).io("deleting", generated)
}

/// Verilator's control file that keeps modules from being copied into their parents. Verilator knows a module by its
/// mangled name alone, and does not say when there is none of a name.
fn control(shared: &[String]) -> String {
    let lines = shared.iter().map(|module| format!("no_inline -module \"{}\"\n", header::mangle(module)));
    std::iter::once("`verilator_config\n".to_owned()).chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::control;

    #[test]
    fn modules_are_named_as_verilator_knows_them() {
        let text = control(&["a_b".to_owned(), "a__b".to_owned()]);
        assert_eq!(text, "`verilator_config\nno_inline -module \"a_b\"\nno_inline -module \"a___05Fb\"\n");
    }
}
