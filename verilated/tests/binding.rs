//! The Verilator binding: values through ports of every width, clocking, waveforms, the cache, and its errors.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::OnceLock,
    thread,
};

use railyard_verilated::{
    Build, BuildError, In, ModelError, Pins, Start, Tools, TopPort, Unknowns, VerilogDesign, Waveforms,
};
use tempfile::TempDir;

/// A cache for this test program, shared by its tests so that Verilator's run-time library is compiled once.
fn cache() -> PathBuf {
    static CACHE: OnceLock<PathBuf> = OnceLock::new();
    CACHE.get_or_init(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("binding-cache")).clone()
}

fn build() -> Build {
    Build { cache: Some(cache()), ..Build::quick() }
}

fn counter() -> VerilogDesign {
    let text = "
module counter (
    input  wire       clock,
    input  wire       reset,
    input  wire       enable,
    output reg  [7:0] count,
    output wire       full
);
    assign full = enable & (count == 8'hff);
    always @(posedge clock)
        if (reset) count <= 8'd0;
        else if (enable) count <= count + 8'd1;
endmodule
";
    VerilogDesign::new("counter")
        .source("counter.v", text)
        .port(TopPort::input("clock", 1))
        .port(TopPort::input("reset", 1))
        .port(TopPort::input("enable", 1))
        .port(TopPort::output("count", 8))
        .port(TopPort::output("full", 1))
}

/// Ports of every kind of storage, each echoed with and without a register.
fn echo() -> VerilogDesign {
    let widths = [1, 7, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65, 96, 200];
    let mut ports = String::from("input wire clock");
    let mut body = String::new();
    let mut design = VerilogDesign::new("echo").port(TopPort::input("clock", 1));
    for w in widths {
        let range = format!("[{}:0]", w - 1);
        ports += &format!(",\n    input wire {range} in_{w}, output wire {range} now_{w}, output reg {range} then_{w}");
        body += &format!("    assign now_{w} = ~in_{w};\n    always @(posedge clock) then_{w} <= now_{w};\n");
        design = design
            .port(TopPort::input(format!("in_{w}"), w))
            .port(TopPort::output(format!("now_{w}"), w))
            .port(TopPort::output(format!("then_{w}"), w));
    }
    design.source("echo.v", format!("module echo (\n    {ports}\n);\n{body}endmodule\n"))
}

/// A script that notes each run of Verilator that generates code, then runs it.
fn counting_verilator(folder: &Path) -> (Tools, PathBuf) {
    let (script, log) = (folder.join("verilator"), folder.join("runs"));
    let text =
        format!("#!/bin/sh\ncase \"$*\" in *--cc*) echo run >> {} ;; esac\nexec verilator \"$@\"\n", log.display());
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    (Tools { verilator: script, ..Tools::default() }, log)
}

#[test]
fn counter_counts() {
    counts(build().tools);
}

/// A Clang is taken for short builds if it can compile: one that does not exist, or has no C++ library, is passed over.
#[test]
fn short_builds_do_without_clang() {
    counts(Tools { quick_cxx: "no-such-clang++".into(), ..Tools::default() });
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("clang++");
    fs::write(&file, "#!/bin/sh\necho clang version 1.0\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    counts(Tools { quick_cxx: file, ..Tools::default() });
}

/// Precompiled headers that a compiler refuses, as headers have changed since: it reads them as they are.
#[test]
fn stale_headers_are_read_again() {
    let folder = TempDir::new().unwrap();
    let build = Build { cache: Some(folder.path().to_path_buf()), ..Build::quick() };
    build.compile(&counter()).unwrap();
    let files = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path().join("headers.pch"));
    let precompiled: Vec<PathBuf> = files.filter(|file| file.exists()).collect();
    for file in &precompiled {
        fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
        fs::write(file, "another compiler's").unwrap();
    }
    assert!(build.compile(&echo()).is_ok(), "{precompiled:?}");
}

fn counts(tools: Tools) {
    let mut model = Build { tools, ..build() }.model(&counter()).unwrap();
    let clock = model.clock("clock").unwrap();
    let (reset, enable) = (model.input("reset").unwrap(), model.input("enable").unwrap());
    let (count, full) = (model.output("count").unwrap(), model.output("full").unwrap());
    model.set(reset, 1);
    model.tick(clock);
    model.set(reset, 0);
    model.set(enable, 1);
    for cycle in 0..1000 {
        model.settle(clock);
        assert_eq!(model.get(count), cycle % 256);
        assert_eq!(model.get(full), u64::from(cycle % 256 == 255));
        model.tick(clock);
    }
    let before = model.get(count);
    model.ticks(clock, 77);
    assert_eq!(model.get(count), (before + 77) % 256);
    assert!(!model.stopped());
}

/// An edge sees inputs that were written after `settle`, also through logic between input and register.
#[test]
fn edge_sees_late_inputs() {
    let mut model = build().model(&echo()).unwrap();
    let clock = model.clock("clock").unwrap();
    let (input, then) = (model.input("in_8").unwrap(), model.output("then_8").unwrap());
    for value in 0..=255 {
        if value % 3 != 0 {
            model.set(input, 0x55);
            model.settle(clock);
        }
        model.set(input, value);
        model.tick(clock);
        assert_eq!(model.get(then), !value & 0xff);
    }
}

#[test]
fn every_width_echoes_and_high_bits_stay_clear() {
    let mut model = build().model(&echo()).unwrap();
    let clock = model.clock("clock").unwrap();
    for w in [1usize, 7, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65, 96, 200] {
        let input = model.input(&format!("in_{w}")).unwrap();
        let outputs = ["now", "then"].map(|name| model.output(&format!("{name}_{w}")).unwrap());
        assert_eq!(model.width(input), w);
        // More words and bits than the port has.
        let pattern: Vec<u32> = (1..=9u32).map(|i| 0x9e37_79b9u32.wrapping_mul(i) | 0x8000_0000).collect();
        model.write(input, &pattern);
        model.tick(clock);
        let expected = |index: usize, word: u32| {
            let bits = w.saturating_sub(32 * index).min(32);
            word & (((1u64 << bits) - 1) as u32)
        };
        let mut words = [u32::MAX; 9];
        model.read(input, &mut words);
        assert!((0..9).all(|i| words[i] == expected(i, pattern[i])), "width {w}: {words:x?}");
        for output in outputs {
            model.read(output, &mut words);
            assert!((0..9).all(|i| words[i] == expected(i, !pattern[i])), "width {w}: {words:x?}");
            if w > 64 {
                assert_eq!(model.words(output), &words[..w.div_ceil(32)]);
            }
        }
        if w > 64 {
            model.words_mut(input).fill(u32::MAX);
            model.read(input, &mut words);
            assert!((0..9).all(|i| words[i] == expected(i, u32::MAX)), "width {w}: {words:x?}");
        } else {
            model.set(input, u64::MAX >> (64 - w));
            model.eval();
            assert_eq!(model.get(outputs[0]), 0, "width {w}");
        }
    }
}

#[test]
fn packed_fields() {
    let mut model = build().model(&echo()).unwrap();
    let clock = model.clock("clock").unwrap();
    for (port, width) in
        [("200", 1), ("200", 5), ("200", 25), ("200", 40), ("200", 64), ("64", 16), ("63", 7), ("9", 3)]
    {
        let input = model.input(&format!("in_{port}")).unwrap();
        let output = model.output(&format!("then_{port}")).unwrap();
        let count = model.width(input) / width;
        let mask = u64::MAX >> (64 - width);
        let value = |index: usize| 0x0123_4567_89ab_cdef_u64.wrapping_mul(2 * index as u64 + 1);
        for index in (0..count).rev() {
            model.set_field(input, index, width, value(index));
        }
        model.tick(clock);
        for index in 0..count {
            assert_eq!(model.field(input, index, width), value(index) & mask);
            assert_eq!(model.field(output, index, width), !value(index) & mask, "field {index} of {width} bits");
        }
    }
    // A field wider than 64 bits.
    let (input, output) = (model.input("in_200").unwrap(), model.output("now_200").unwrap());
    model.write(input, &[]);
    model.write_bits(input, 97, 70, &[u32::MAX, 0xdead_beef, 0xffff_fff5]);
    model.eval();
    let mut words = [0; 3];
    model.read_bits(input, 97, 70, &mut words);
    assert_eq!(words, [u32::MAX, 0xdead_beef, 0x35]);
    model.read_bits(output, 97, 70, &mut words);
    assert_eq!(words, [0, !0xdead_beef, 0x0a]);
    assert_eq!((model.bits(input, 96, 1), model.bits(input, 167, 33)), (0, 0));
}

#[test]
#[should_panic(expected = "bits [200 +: 40] reach past input `in_200` of `echo`, which has 200 bits")]
fn field_past_the_port() {
    let mut model = build().model(&echo()).unwrap();
    let input = model.input("in_200").unwrap();
    model.set_field(input, 5, 40, 1);
}

/// What a panic says, and the line of this file that it names.
fn panic_of(act: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let text = std::panic::catch_unwind(act).expect_err("it panics");
    *text.downcast::<String>().expect("a text")
}

#[test]
fn a_wrong_width_names_port_and_widths() {
    let compiled = build().compile(&echo()).unwrap();
    let set = |name: &'static str, value| {
        let mut model = compiled.start(&Start::default()).unwrap();
        panic_of(std::panic::AssertUnwindSafe(move || model.set(model.input(name).unwrap(), value)))
    };
    assert_eq!(set("in_7", 0x81), "input `in_7` of `echo` has 7 bits, and 0x81 needs 8");
    assert_eq!(set("in_65", 0), "input `in_65` of `echo` has 65 bits, more than 64: use words, bits or field");
    let model = compiled.start(&Start::default()).unwrap();
    let words = panic_of(std::panic::AssertUnwindSafe(|| {
        model.words(model.output("now_64").unwrap());
    }));
    assert_eq!(words, "output `now_64` of `echo` has 64 bits: one of at most 64 is no array of words");
}

#[test]
fn a_wrong_name_has_the_right_one_and_the_line_of_the_caller() {
    let model = build().model(&echo()).unwrap();
    let error = |found: Result<In, ModelError>| found.expect_err("no such input").to_string();
    let wrong = error(model.input("in8"));
    let line = line!() - 1;
    let at = format!("{}:{line}:", file!());
    assert!(wrong.starts_with(&at), "{wrong}");
    assert!(wrong.ends_with("no input `in8` in the port list of `echo` (did you mean `in_8`?)"), "{wrong}");
    let output = error(model.input("now_9"));
    assert!(output.ends_with("(it is an output of 9 bits)"), "{output}");
}

#[test]
fn instances_are_independent() {
    let compiled = build().compile(&counter()).unwrap();
    let mut first = compiled.start(&Start::default()).unwrap();
    let mut second = compiled.start(&Start::default()).unwrap();
    let (clock, enable, count) =
        (first.clock("clock").unwrap(), first.input("enable").unwrap(), first.output("count").unwrap());
    first.set(enable, 1);
    first.ticks(clock, 5);
    second.ticks(clock, 3);
    assert_eq!((first.get(count), second.get(count)), (5, 0));
    drop(first);
    second.set(enable, 1);
    // A model may move to another thread.
    let second = thread::spawn(move || {
        second.ticks(clock, 3);
        second
    });
    assert_eq!(second.join().unwrap().get(count), 3);
}

#[test]
fn waveforms() {
    let folder = TempDir::new().unwrap();
    for (trace, magic) in [(Waveforms::Vcd, &b"$version"[..]), (Waveforms::Fst, &[0u8][..])] {
        let build = Build { trace, ..build() };
        let compiled = build.compile(&counter()).unwrap();
        let mut model = compiled.start(&Start { scope: "bench".into(), ..Start::default() }).unwrap();
        let clock = model.clock("clock").unwrap();
        let enable = model.input("enable").unwrap();
        model.set(enable, 1);
        model.dump(0); // no file yet: nothing
        model.ticks(clock, 100);
        // Two windows, both opened while the design runs.
        for window in 0..2u64 {
            let path = folder.path().join(format!("{trace:?}-{window}"));
            model.open_trace(&path).unwrap();
            assert!(model.tracing());
            for cycle in 0..50 {
                let time = 10 * (100 * window + cycle);
                model.settle(clock);
                model.dump(time);
                model.tick(clock);
                model.dump(time + 5);
            }
            model.close_trace();
            model.ticks(clock, 50);
            let bytes = fs::read(&path).unwrap();
            assert!(bytes.starts_with(magic) && bytes.len() > 300, "{trace:?}: {} bytes", bytes.len());
            if trace == Waveforms::Vcd {
                let text = String::from_utf8(bytes).unwrap();
                for part in ["$scope module bench", "$scope module counter", "count [7:0]"] {
                    assert!(text.contains(part), "{part}");
                }
                // All values at the start of a window, the counter's among them.
                let first = if window == 0 { "b01100100" } else { "b11001000" };
                let start = text.split(&format!("#{}\n", 1000 * window)).nth(1).unwrap();
                assert!(start.split("\n#").next().unwrap().contains(first), "{start:.300}");
                assert!(text.contains(&format!("#{}\n", 1000 * window + 495)));
            }
        }
        let nowhere = model.open_trace(folder.path().join("no/such/folder/wave"));
        assert!(matches!(nowhere, Err(ModelError::TraceFile { .. })));
        assert!(!model.tracing());
        // Dropping the model closes the file.
        let path = folder.path().join("dropped");
        model.open_trace(&path).unwrap();
        model.dump(100_000);
        drop(model);
        assert!(fs::metadata(&path).unwrap().len() > 300);
    }
    let mut plain = build().model(&counter()).unwrap();
    assert!(matches!(plain.open_trace("wave"), Err(ModelError::NoTrace)));
}

#[test]
fn second_build_comes_from_the_cache() {
    let folder = TempDir::new().unwrap();
    let (tools, log) = counting_verilator(folder.path());
    // A design that no earlier run can have cached.
    let text = format!("// {:?}\n", folder.path());
    let design = counter().source("note.v", text);
    let build = Build { tools, ..build() };
    assert!(!build.compile(&design).unwrap().cached());
    assert!(build.compile(&design).unwrap().cached());
    assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), 1);
    let changed = Build { assertions: false, ..build };
    assert!(!changed.compile(&design).unwrap().cached());
    assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), 2);
}

#[test]
fn concurrent_builds_share_one_run() {
    let folder = TempDir::new().unwrap();
    let (tools, log) = counting_verilator(folder.path());
    let design = counter().source("note.v", format!("// {:?} concurrent\n", folder.path()));
    let build = Build { tools, ..build() };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut model = build.model(&design).unwrap();
                let (clock, count) = (model.clock("clock").unwrap(), model.output("count").unwrap());
                let enable = model.input("enable").unwrap();
                model.set(enable, 1);
                model.ticks(clock, 9);
                assert_eq!(model.get(count), 9);
            });
        }
    });
    assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), 1);
}

#[test]
fn missing_tools_name_their_package() {
    let empty = TempDir::new().unwrap();
    let nowhere = Tools { search_path: Some(empty.path().into()), ..Tools::default() };
    let error = Build { tools: nowhere, ..build() }.compile(&counter()).unwrap_err();
    assert!(matches!(error, BuildError::Program(_)));
    assert!(error.to_string().contains("apt-get install verilator"), "{error}");

    let no_compiler = Tools { cxx: "no-such-g++".into(), ..Tools::default() };
    let error = Build { tools: no_compiler, ..build() }.compile(&counter()).unwrap_err();
    assert!(error.to_string().contains("apt-get install g++"), "{error}");
}

/// A file that can't be executed is passed over, and named if there is no other.
#[test]
fn a_verilator_that_can_not_be_executed_is_passed_over() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("verilator"), "#!/bin/sh\n").unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let before = std::env::join_paths([folder.path().to_path_buf()].into_iter().chain(std::env::split_paths(&path)));
    let tools = Tools { search_path: Some(before.unwrap()), ..Tools::default() };
    assert!(Build { tools, ..build() }.compile(&counter()).is_ok());
    let alone = Tools { search_path: Some(folder.path().into()), ..Tools::default() };
    let error = Build { tools: alone, ..build() }.compile(&counter()).unwrap_err().to_string();
    assert!(error.contains("verilator is not executable"), "{error}");
}

/// How a tool ended is told, if it was not its own will.
#[test]
fn a_verilator_that_is_killed_is_told() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("verilator");
    fs::write(&file, "#!/bin/sh\ncase $1 in --version) echo Verilator 5.0;; --getenv) echo /;; *) kill -9 $$;; esac\n")
        .unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let tools = Tools { verilator: file, ..Tools::default() };
    let error = Build { tools, ..build() }.compile(&counter()).unwrap_err().to_string();
    assert!(error.contains("was killed by signal 9 (SIGKILL), often for want of memory"), "{error}");
}

/// A cache folder that can't be made or written is no error: the model is made, lives while it is used, and is gone
/// after that.
#[test]
fn without_a_cache_folder_models_are_temporary() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let build = Build { cache: Some(file.join("cache")), ..Build::quick() };
    let compiled = build.compile(&counter()).unwrap();
    let library = compiled.library();
    assert!(!compiled.cached() && library.is_file());
    compiled.start(&Start::default()).unwrap();
    drop(compiled);
    assert!(!library.exists());
}

#[test]
fn broken_verilog_is_reported_with_its_place() {
    let mut design = counter();
    design.sources[0].text = design.sources[0].text.replace("count + 8'd1", "count + + ;");
    let error = build().compile(&design).unwrap_err();
    assert!(matches!(error, BuildError::Verilator { .. }));
    let message = error.to_string();
    assert!(message.contains("%Error: counter.v:12:"), "{message}");
    assert!(message.contains("syntax error"), "{message}");
}

#[test]
fn warnings_are_kept_or_denied() {
    let mut design = counter();
    design.sources[0].text = design.sources[0].text.replace("count + 8'd1", "count + 9'd1");
    let compiled = build().compile(&design).unwrap();
    assert!(compiled.warnings().contains("%Warning-WIDTH"), "{}", compiled.warnings());
    let again = build().compile(&design).unwrap();
    assert!(again.cached() && again.warnings() == compiled.warnings());
    let strict = Build { deny_warnings: true, ..build() };
    let error = strict.compile(&design).unwrap_err().to_string();
    assert!(error.contains("counter.v:12:"), "{error}");
    assert_eq!(build().compile(&counter()).unwrap().warnings(), "");
}

#[test]
fn port_list_is_checked() {
    let mut design = counter();
    design.ports[3].width = 9;
    let error = build().compile(&design).unwrap_err().to_string();
    assert_eq!(error, "port `count` is 9-bit Output in the port list, 8-bit Output in the Verilog");

    let mut design = counter();
    design.ports[2] = TopPort::output("enable", 1);
    assert!(matches!(build().compile(&design), Err(BuildError::PortMismatch { .. })));

    let design = counter().port(TopPort::input("nothing", 1));
    assert!(
        matches!(build().compile(&design), Err(BuildError::Ports { missing, .. }) if missing == ["input `nothing`"])
    );

    let design = counter().source("../outside.v", "");
    assert!(matches!(build().compile(&design), Err(BuildError::SourceName { .. })));

    let model = build().model(&counter()).unwrap();
    assert!(matches!(model.input("count"), Err(ModelError::NoSuchPin { .. })));
    assert!(matches!(model.output("none"), Err(ModelError::NoSuchPin { .. })));
}

#[test]
fn awkward_port_names() {
    let text = "
module names (
    input  wire [3:0] a__b, input wire [3:0] delete, input wire [15:8] part, input wire signed [3:0] \\x.y$0 ,
    output wire [3:0] sum__
);
    assign sum__ = a__b ^ delete ^ part[11:8] ^ \\x.y$0 ;
endmodule
";
    let design = VerilogDesign::new("names")
        .source("names.v", text)
        .port(TopPort::input("a__b", 4))
        .port(TopPort::input("delete", 4))
        .port(TopPort::input("part", 8))
        .port(TopPort::input("x.y$0", 4))
        .port(TopPort::output("sum__", 4));
    let mut model = build().model(&design).unwrap();
    for (index, name) in ["a__b", "delete", "part", "x.y$0"].into_iter().enumerate() {
        let pin = model.input(name).unwrap();
        model.set(pin, 1 << index);
    }
    model.eval();
    assert_eq!(model.get(model.output("sum__").unwrap()), 15);
}

/// A failed assertion stops the one model that it is in, not the process.
#[test]
fn assertions_stop_the_model() {
    let text = "
module check (input wire clock, input wire bad);
    always @(posedge clock) if (bad) $error(\"told so\");
endmodule
";
    let design = VerilogDesign::new("check")
        .source("check.sv", text)
        .port(TopPort::input("clock", 1))
        .port(TopPort::input("bad", 1));
    let compiled = build().compile(&design).unwrap();
    let mut sound = compiled.start(&Start::default()).unwrap();
    let mut model = compiled.start(&Start::default()).unwrap();
    let (clock, bad) = (model.clock("clock").unwrap(), model.input("bad").unwrap());
    model.tick(clock);
    assert!(!model.stopped() && model.stop_reason().is_none());
    model.set(bad, 1);
    model.tick(clock);
    sound.tick(clock);
    assert!(model.stopped() && !sound.stopped());
    let reason = model.stop_reason().unwrap();
    assert!(reason.starts_with("check.sv:3: assertion failed: ") && reason.ends_with("check: told so"), "{reason}");
}

/// A loop without a register, open until an input closes it: the evaluation ends, and so do all after it.
#[test]
fn a_loop_that_does_not_settle_stops_the_model() {
    let text = "
module ring (input wire clock, input wire close, output wire out);
    assign out = close & ~out;
endmodule
";
    let design = VerilogDesign::new("ring")
        .source("ring.v", text)
        .port(TopPort::input("clock", 1))
        .port(TopPort::input("close", 1))
        .port(TopPort::output("out", 1));
    let compiled = build().compile(&design).unwrap();
    assert!(compiled.loops()[0].contains("ring.v:2: "), "{:?}", compiled.loops());
    let mut model = compiled.start(&Start::default()).unwrap();
    let (clock, close) = (model.clock("clock").unwrap(), model.input("close").unwrap());
    model.ticks(clock, 3);
    assert!(!model.stopped());
    model.set(close, 1);
    model.ticks(clock, 3);
    model.settle(clock);
    assert!(model.stopped());
    assert!(model.stop_reason().unwrap().contains("converge"), "{:?}", model.stop_reason());
}

#[test]
fn random_unknowns_follow_the_seed() {
    let text = "
module unreset (input wire clock, input wire load, input wire [63:0] data, output reg [63:0] value);
    always @(posedge clock) if (load) value <= data;
endmodule
";
    let design = VerilogDesign::new("unreset")
        .source("unreset.v", text)
        .port(TopPort::input("clock", 1))
        .port(TopPort::input("load", 1))
        .port(TopPort::input("data", 64))
        .port(TopPort::output("value", 64));
    let build = Build { unknowns: Unknowns::Random, ..build() };
    let compiled = build.compile(&design).unwrap();
    let value = |seed| {
        let mut model = compiled.start(&Start { seed, ..Start::default() }).unwrap();
        let clock = model.clock("clock").unwrap();
        model.tick(clock);
        model.get(model.output("value").unwrap())
    };
    assert_eq!(value(7), value(7));
    assert_ne!(value(7), value(8));
}
