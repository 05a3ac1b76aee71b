//! From generated C++ to objects, and to a shared object.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
    thread,
};

use railyard_cache::{DiskCache, Folder, Key};

use crate::{
    error::IoContext,
    outside::Inside,
    process::RUNNER,
    shim,
    tools::{first_lines, CxxCompiler, Toolchain},
    workshop::Workshop,
    BuildError,
};

/// Lines of a compiler's message that an error shows.
const MESSAGE_LINES: usize = 20;

/// Generated C++ that one compilation takes, a compromise between headers read again and work for several cores. With
/// g++ 12 the headers cost as much as 300 KiB at -O2 and as 1,500 KiB at -O0.
const FAST_BATCH_BYTES: u64 = 512 << 10;
const SHORT_BATCH_BYTES: u64 = 4 << 20;

/// Run-once code up to this size is compiled with the rest, as that is quicker than reading the headers again.
const SMALL_BYTES: u64 = 48 << 10;

/// What only GCC knows: its inline variables would be one of a kind in a process.
const GCC_ONLY: &str = "-fno-gnu-unique";

/// The header that all models include.
const VERILATED: &str = "verilated.h";

/// The file that includes it, for GCC.
const HEADERS: &str = "headers.h";

/// The same precompiled, for Clang.
const PRECOMPILED: &str = "headers.pch";

/// What a design prints goes through the shim (see `vl_stop` there).
const PRINT: &str = "extern \"C\" int railyard_print(const char* format, ...);\n#define VL_PRINTF railyard_print\n";

/// The program that runs a model, in its folder.
pub(crate) const RUNNER_FILE: &str = "runner";

/// Options of every C++ file. Everything is hidden but the shim's table, so several models (and several versions
/// of Verilator's run-time library) live in one process.
const COMMON: &[&str] = &[
    "-std=c++17",
    "-fPIC",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-faligned-new",
    "-fno-plt",
    "-w",
    "-DVL_USER_FINISH",
    "-DVL_USER_STOP",
    "-DVL_USER_FATAL",
];

/// The lists that Verilator writes for make (`<class>_classes.mk`): which files to compile, with which switches.
pub(crate) struct Manifest(HashMap<String, Vec<String>>);

impl Manifest {
    pub fn read(folder: &Path, class: &str) -> Result<Manifest, BuildError> {
        let path = folder.join(format!("{class}_classes.mk"));
        Ok(Manifest::parse(&fs::read_to_string(&path).io("reading", path)?))
    }

    fn parse(makefile: &str) -> Manifest {
        let mut lists: HashMap<String, Vec<String>> = HashMap::new();
        let joined = makefile.replace("\\\n", " ");
        for line in joined.lines().filter(|line| !line.starts_with('#')) {
            if let Some((name, value)) = line.split_once('=') {
                let list = lists.entry(name.trim_end_matches(['+', ' ', ':']).trim().to_owned()).or_default();
                list.extend(value.split_whitespace().map(str::to_owned));
            }
        }
        Manifest(lists)
    }

    fn list(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// `-DVM_TRACE=1` and the like, as Verilator's own makefile passes them.
    fn defines(&self) -> Vec<String> {
        let switches = ["VM_COVERAGE", "VM_TRACE", "VM_TRACE_VCD", "VM_TRACE_FST"];
        let value = |name| self.list(name).first().map_or("0", String::as_str);
        let mut defines: Vec<String> = switches.iter().map(|name| format!("-D{name}={}", value(name))).collect();
        defines.push("-DVM_SC=0".to_owned());
        defines
    }

    fn uses_fst(&self) -> bool {
        self.list("VM_TRACE_FST").first().is_some_and(|value| value == "1")
    }
}

/// The size of a generated file, for balance only.
fn source_bytes(folder: &Path, name: &str) -> u64 {
    fs::metadata(folder.join(format!("{name}.cpp"))).map_or(0, |data| data.len())
}

/// Whether a compilation is short against the reading of the headers.
fn is_short(options: &[String]) -> bool {
    options.iter().any(|option| option == "-O0" || option == "-Og")
}

/// The size of a batch with these options.
fn batch_bytes(options: &[String]) -> u64 {
    match is_short(options) {
        true => SHORT_BATCH_BYTES,
        false => FAST_BATCH_BYTES,
    }
}

/// Groups files, in order, into compilations of about `most` bytes: Verilator writes many small files, and for each
/// of them its headers cost the compiler more than the file.
fn batches<'a>(folder: &Path, names: &'a [String], most: u64) -> Vec<Vec<&'a str>> {
    let mut batches: Vec<Vec<&str>> = Vec::new();
    let mut room = 0;
    for name in names {
        let bytes = source_bytes(folder, name);
        match batches.last_mut().filter(|_| bytes <= room) {
            Some(batch) => batch.push(name),
            None => {
                batches.push(vec![name]);
                room = most;
            }
        }
        room = room.saturating_sub(bytes);
    }
    batches
}

/// One C++ file to be compiled.
struct Job<'a> {
    cxx: &'a CxxCompiler,
    source: PathBuf,
    object: PathBuf,
    options: Vec<String>,
    /// A file that is included before the source.
    headers: Option<PathBuf>,
}

/// The folder of a file.
fn parent(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new("."))
}

/// What it takes to compile a model.
pub(crate) struct Compiler<'a> {
    pub workshop: Workshop<'a>,
    pub tools: &'a Toolchain,
    /// The folder of Verilator's run-time sources.
    pub root: PathBuf,
    pub top: &'a str,
    /// Options of the files that run every cycle.
    pub fast: Vec<String>,
    /// Options of the files that run once: reset values, trace declarations.
    pub slow: Vec<String>,
    pub jobs: usize,
}

impl Compiler<'_> {
    /// Compiles the model `class` that Verilator has generated in `folder`, with our file `front` beside it.
    pub fn objects(
        &self,
        folder: &Path,
        class: &str,
        front: &str,
        cache: &DiskCache,
    ) -> Result<Vec<PathBuf>, BuildError> {
        let manifest = Manifest::read(folder, class)?;
        let names = |lists: [&str; 2]| lists.map(|list| manifest.list(list)).concat();
        let mut fast = names(["VM_CLASSES_FAST", "VM_SUPPORT_FAST"]);
        let mut slow = names(["VM_CLASSES_SLOW", "VM_SUPPORT_SLOW"]);
        fast.push(front.to_owned());
        let small = slow.iter().map(|name| source_bytes(folder, name)).sum::<u64>() < SMALL_BYTES;
        if small || self.slow == self.fast {
            fast.append(&mut slow);
        }
        let mut jobs = Vec::new();
        let mut kept = Vec::new();
        for (kind, names, options) in [("fast", fast, &self.fast), ("slow", slow, &self.slow)] {
            let headers = match is_short(options) {
                true => {
                    kept.push(self.headers(options, &manifest, cache)?);
                    let file = if self.tools.generated_cxx.is_clang() { PRECOMPILED } else { HEADERS };
                    kept.last().map(|folder| folder.path().join(file))
                }
                false => None,
            };
            for (index, batch) in batches(folder, &names, batch_bytes(options)).into_iter().enumerate() {
                let name = format!("batch_{kind}_{index}");
                let includes: String = batch.iter().map(|name| format!("#include \"{name}.cpp\"\n")).collect();
                let path = folder.join(format!("{name}.cpp"));
                fs::write(&path, includes).io("writing", path)?;
                let cxx = &self.tools.generated_cxx;
                jobs.push(Job { headers: headers.clone(), ..self.job(cxx, folder, folder, &name, options, &manifest) });
            }
        }
        let objects = jobs.iter().map(|job| job.object.clone()).collect();
        self.compile(jobs)?;
        Ok(objects)
    }

    /// Links objects with what the model `class` in `folder` needs of Verilator's run-time library.
    pub fn link(
        &self,
        objects: &[PathBuf],
        folder: &Path,
        class: &str,
        library: &Path,
        cache: &DiskCache,
    ) -> Result<(), BuildError> {
        let manifest = Manifest::read(folder, class)?;
        let mut command = Command::new(&self.tools.cxx.program);
        command.args(["-shared", "-pthread", "-Wl,-Bsymbolic", "-Wl,--no-undefined", "-Wl,-s", "-o"]).arg(library);
        let (_kept, runtime) = self.runtime(&manifest, cache)?;
        command.args(&runtime).args(objects);
        if manifest.uses_fst() {
            command.arg("-lz");
            // Newer versions write FST with a library that compresses with LZ4.
            if self.root.join("include/fstcpp").exists() {
                command.arg("-llz4");
            }
        }
        let files: Vec<&Path> = runtime.iter().chain(objects).map(PathBuf::as_path).collect();
        self.check(&mut command, library.parent().unwrap_or(folder), &files)
    }

    /// The program that runs a model in a process of its own, compiled once for each compiler.
    pub fn runner(&self, cache: &DiskCache) -> Result<Folder, BuildError> {
        let options = ["-std=c++17", "-O2", "-Wall", "-Werror", "-rdynamic", "-pthread"];
        let key = Key::new()
            .part("runner", RUNNER)
            .part("shim", shim::ABI.to_string())
            .part("c++", &self.tools.cxx.version)
            .part("options", options.join(" "));
        cache.folder(&format!("runner-{}", key.finish()), |draft| {
            let source = draft.join("runner.cpp");
            fs::write(&source, RUNNER).io("writing", &source)?;
            let mut command = Command::new(&self.tools.cxx.program);
            command.args(options).arg(format!("-DABI_VERSION={}", shim::ABI));
            self.check(command.arg("-o").arg(draft.join(RUNNER_FILE)).arg(&source).arg("-ldl"), draft, &[])
        })
    }

    /// Verilator's own run-time library, compiled once for each version and set of switches: its folder and its
    /// objects.
    fn runtime(&self, manifest: &Manifest, cache: &DiskCache) -> Result<(Folder, Vec<PathBuf>), BuildError> {
        let names = [manifest.list("VM_GLOBAL_FAST"), manifest.list("VM_GLOBAL_SLOW")].concat();
        let options = ["-O2".to_owned()];
        let cxx = &self.tools.cxx;
        let key = self.key(cxx, &options, manifest).part("files", names.join(" ")).finish();
        let sources = self.root.join("include");
        let folder = cache.folder(&format!("runtime-{key}"), |draft| {
            let print = draft.join("print.h");
            fs::write(&print, PRINT).io("writing", &print)?;
            let job = |name: &String| Job {
                headers: Some(print.clone()),
                ..self.job(cxx, &sources, draft, name, &options, manifest)
            };
            self.compile(names.iter().map(job).collect())
        })?;
        let objects = names.iter().map(|name| folder.path().join(format!("{name}.o"))).collect();
        Ok((folder, objects))
    }

    /// Verilator's own headers, precompiled once for each version and set of switches for short compilations: there
    /// they are half of a small model's. A compiler that can't use them reads the headers themselves.
    fn headers(&self, options: &[String], manifest: &Manifest, cache: &DiskCache) -> Result<Folder, BuildError> {
        let cxx = &self.tools.generated_cxx;
        let key = self.key(cxx, options, manifest).finish();
        cache.folder(&format!("headers-{key}"), |draft| {
            let mut options = [options, &["-x".to_owned(), "c++-header".to_owned()], &manifest.defines()].concat();
            let source = if cxx.is_clang() {
                // Clang looks at the source again, where it was; a draft does not stay where it is.
                options.extend(["-Xclang", "-fno-pch-timestamp"].map(str::to_owned));
                self.root.join("include").join(VERILATED)
            } else {
                let source = draft.join(HEADERS);
                fs::write(&source, format!("#include \"{VERILATED}\"\n")).io("writing", &source)?;
                source
            };
            let object = draft.join(if cxx.is_clang() { PRECOMPILED.into() } else { format!("{HEADERS}.gch") });
            self.compile_one(&Job { cxx, source, object, options, headers: None })
        })
    }

    /// What the compilation of Verilator's own files depends on.
    fn key(&self, cxx: &CxxCompiler, options: &[String], manifest: &Manifest) -> Key {
        Key::new()
            .part("shim", shim::ABI.to_string())
            .part("verilator", &self.tools.verilator_version)
            .part("c++", &cxx.version)
            .part("options", [COMMON.join(" "), options.join(" "), manifest.defines().join(" ")].join(" "))
    }

    fn job<'a>(
        &self,
        cxx: &'a CxxCompiler,
        from: &Path,
        to: &Path,
        name: &str,
        options: &[String],
        manifest: &Manifest,
    ) -> Job<'a> {
        Job {
            cxx,
            source: from.join(format!("{name}.cpp")),
            object: to.join(format!("{name}.o")),
            options: [options, &manifest.defines()].concat(),
            headers: None,
        }
    }

    /// Compiles the files side by side; the first failure stops the queue.
    fn compile(&self, jobs: Vec<Job<'_>>) -> Result<(), BuildError> {
        let workers = self.jobs.clamp(1, jobs.len().max(1));
        let queue = Mutex::new(jobs.into_iter());
        let next = || queue.lock().expect("no holder panics").next();
        let work = || -> Result<(), BuildError> {
            while let Some(job) = next() {
                if let Err(error) = self.compile_one(&job) {
                    while next().is_some() {}
                    return Err(error);
                }
            }
            Ok(())
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("workers don't panic"))
        })
    }

    /// Headers of the system may be others since they were precompiled, which Clang refuses: then they are read.
    fn compile_one(&self, job: &Job<'_>) -> Result<(), BuildError> {
        let is_precompiled = job.headers.as_ref().is_some_and(|headers| headers.ends_with(PRECOMPILED));
        match self.compile_with(job, job.headers.as_deref()) {
            Err(BuildError::Compiler { .. }) if is_precompiled => self.compile_with(job, None),
            done => done,
        }
    }

    fn compile_with(&self, job: &Job<'_>, headers: Option<&Path>) -> Result<(), BuildError> {
        let mut command = Command::new(&job.cxx.program);
        command.args(COMMON).args(&job.options);
        if !job.cxx.is_clang() {
            command.arg(GCC_ONLY);
        }
        if let Some(headers) = headers {
            let is_precompiled = headers.ends_with(PRECOMPILED);
            command.arg(if is_precompiled { "-include-pch" } else { "-include" }).arg(headers);
        }
        for folder in ["include", "include/vltstd"] {
            command.arg("-I").arg(self.root.join(folder));
        }
        let (from, to) = (parent(&job.source), parent(&job.object));
        command.arg("-I").arg(from);
        // A list of what it reads.
        let read = job.object.with_extension("d");
        command.arg("-MD").arg("-MF").arg(&read);
        let own: Vec<&Path> = headers.map(parent).into_iter().chain([from]).collect();
        self.check(command.arg("-c").arg("-o").arg(&job.object).arg(&job.source), to, &own)?;
        let system = job.cxx.headers.iter().map(PathBuf::as_path);
        Inside::new(own.into_iter().chain([self.root.as_path()]).chain(system)).check_compiler(self.top, &read)?;
        fs::remove_file(&read).io("deleting", &read)
    }

    /// Runs a command that may write to `folder`, and read `files`.
    fn check(&self, command: &mut Command, folder: &Path, files: &[&Path]) -> Result<(), BuildError> {
        let finished = self.workshop.run("the C++ compiler", command, folder, files)?;
        if finished.success {
            return Ok(());
        }
        let message = finished.text;
        let libraries = [("zlib.h", "-lz:", "zlib1g-dev"), ("lz4.h", "-llz4:", "liblz4-dev")];
        for (header, library, package) in libraries {
            if message.contains(&format!("{header}: No such file")) || message.contains(&format!("find {library}")) {
                return Err(BuildError::MissingTool { what: header.to_owned(), package });
            }
        }
        Err(BuildError::Compiler { top: self.top.to_owned(), message: first_lines(&message, MESSAGE_LINES) })
    }
}

#[cfg(test)]
mod tests {
    use super::Manifest;

    #[test]
    fn make_lists_are_read() {
        let manifest = Manifest::parse("# x = y\nVM_TRACE_FST = 1\nA += \\\n\tone \\\n\ttwo \\\n\nB += \\\n\n");
        assert!(manifest.uses_fst());
        assert_eq!(manifest.list("A"), ["one", "two"]);
        assert!(manifest.list("B").is_empty());
        assert!(manifest.defines().contains(&"-DVM_TRACE=0".to_owned()));
    }
}
