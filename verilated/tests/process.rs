//! Models in processes of their own: the same values as in this process, whatever the way, and designs that do what no
//! design should.

use railyard_verilated::{
    missing_confinement, Build, Compiled, Ending, Guard, Image, ModelError, Pins, Process, Recording, Session, Start,
    TopPort, VerilogDesign, Waveforms,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// A cache for this test program.
fn build() -> Build {
    Build { cache: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("process-cache")), ..Build::quick() }
}

/// A session whose design prints to a string.
fn session() -> (Session, Arc<Mutex<String>>) {
    let printed = Arc::new(Mutex::new(String::new()));
    let copy = Arc::clone(&printed);
    let print = Box::new(move |text: &str| copy.lock().unwrap().push_str(text));
    (Session { start: Start::default(), settled: false, recording: None, print }, printed)
}

fn adder() -> VerilogDesign {
    let text = "
module adder (
    input  wire        clock,
    input  wire [7:0]  a,
    input  wire [99:0] b,
    output wire [99:0] now,
    output reg  [99:0] sum
);
    assign now = b + a;
    initial sum = 0;
    always @(posedge clock) sum <= sum + now;
    final $display(\"the end\");
endmodule
";
    VerilogDesign::new("adder")
        .source("adder.v", text)
        .port(TopPort::input("clock", 1))
        .port(TopPort::input("a", 8))
        .port(TopPort::input("b", 100))
        .port(TopPort::output("now", 100))
        .port(TopPort::output("sum", 100))
}

fn words(image: &Image, name: &str) -> [u32; 4] {
    let mut words = [0; 4];
    image.read(image.output(name).unwrap(), &mut words);
    words
}

fn number(words: [u32; 4]) -> u128 {
    words.iter().rev().fold(0, |number, &word| number << 32 | u128::from(word))
}

/// Cycle by cycle, and with as many under way as there can be.
#[test]
fn outputs_come_back_in_order() {
    let compiled = build().compile(&adder()).unwrap();
    for ahead in [1, 3, u64::MAX] {
        let (session, printed) = session();
        let mut process = compiled.process("clock", Session { settled: true, ..session }).unwrap();
        let (a, b) = (process.pins().input("a").unwrap(), process.pins().input("b").unwrap());
        let ahead = ahead.min(process.capacity());
        let mut sums = std::collections::VecDeque::new();
        let (mut sum, mut received) = (0_u128, 0);
        let mut receive = |process: &mut Process, sums: &mut std::collections::VecDeque<(u128, u128)>| {
            process.receive().unwrap();
            let (now, sum) = sums.pop_front().unwrap();
            assert_eq!((number(words(process.settled(), "now")), number(words(process.pins(), "sum"))), (now, sum));
            received += 1;
        };
        for cycle in 0..5_000_u128 {
            let (first, second) = (cycle * 7 % 256, (cycle << 70 | cycle) & ((1 << 100) - 1));
            process.pins_mut().set(a, first as u64);
            process
                .pins_mut()
                .write(b, &[second as u32, (second >> 32) as u32, (second >> 64) as u32, (second >> 96) as u32]);
            process.send();
            let now = (first + second) & ((1 << 100) - 1);
            sum = (sum + now) & ((1 << 100) - 1);
            sums.push_back((now, sum));
            if process.under_way() == ahead {
                process.wait(ahead.div_ceil(2));
                (0..ahead.div_ceil(2)).for_each(|_| receive(&mut process, &mut sums));
            }
        }
        while process.under_way() > 0 {
            receive(&mut process, &mut sums);
        }
        assert_eq!(received, 5_000);
        process.finish().unwrap();
        assert_eq!(*printed.lock().unwrap(), "the end\n");
    }
}

#[test]
fn waveforms_of_a_part_of_a_run() {
    for (trace, file) in [(Waveforms::Vcd, "part.vcd"), (Waveforms::Fst, "part.fst")] {
        for guard in [Guard::default(), Guard::foreign()] {
            let compiled = Build { trace, guard, ..build() }.compile(&adder()).unwrap();
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(file);
            let (session, _) = session();
            let recording = Some(Recording { path: path.clone(), first: 10, end: 20 });
            let mut process = compiled.process("clock", Session { recording, ..session }).unwrap();
            for _ in 0..40 {
                process.send();
                process.receive().unwrap();
            }
            process.finish().unwrap();
            let bytes = fs::read(&path).unwrap();
            assert!(bytes.len() > 300, "{file}: {} bytes", bytes.len());
            if trace == Waveforms::Vcd {
                let text = String::from_utf8(bytes).unwrap();
                let times: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix('#')).collect();
                assert_eq!((times.first(), times.last()), (Some(&"100"), Some(&"195")), "{times:?}");
            }
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{file} only");
        }
    }
}

#[test]
fn a_clock_that_is_not_there_is_refused() {
    let compiled = build().compile(&adder()).unwrap();
    let (session, _) = session();
    assert!(matches!(compiled.process("clk", session), Err(ModelError::NoSuchPin { .. })));
}

/// What can be asked of the hostile design, by the number of the attack.
const ATTACKS: [(&str, &str); 24] = [
    ("nothing", ""),
    ("exit", "std::exit(0);"),
    ("exit 3", "_exit(3);"),
    ("kill the parent", "kill(getppid(), SIGKILL);"),
    ("loop", "volatile int forever = 1; while (forever) {}"),
    ("exception", "throw std::runtime_error(\"not today\");"),
    ("thrown number", "throw 7;"),
    ("abort", "std::abort();"),
    ("null", "*(volatile int*)(uintptr_t)(8 * forever_zero) = 1;"),
    ("all memory", "write_everywhere(0xff);"),
    ("no memory", "write_everywhere(0);"),
    ("hog", "std::vector<char*> hog; while (true) hog.push_back(new char[1 << 24]);"),
    ("fork", "if (fork() >= 0) sleep(1000);"),
    ("thread", "std::thread{[] { sleep(1000); }}.join();"),
    ("program", "FILE* program = popen(\"touch OUTSIDE\", \"w\"); if (program) pclose(program);"),
    ("file", "if (fopen(\"OUTSIDE\", \"w\")) std::puts(\"it is open\");"),
    ("socket", "socket(AF_INET, SOCK_STREAM, 0);"),
    ("print", "while (true) std::puts(\"and again\");"),
    ("stop", "raise(SIGSTOP);"),
    ("sleep", "while (true) sleep(1000);"),
    ("read", "if (fopen(\"SECRET\", \"r\")) std::puts(\"it is open\");"),
    ("leader", "std::thread{[] { sleep(1000); }}.detach(); syscall(SYS_exit, 0);"),
    ("flip", "flip(10);"),
    ("close", "for (int file = 0; file < 64; ++file) close(file); while (true) sleep(1000);"),
];

const HEADER: &str = r#"
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>
static volatile int forever_zero = 0;
static sigjmp_buf from_fault;
static void on_fault(int) { siglongjmp(from_fault, 1); }
// The memory that is shared with the parent: what a pointer on the stack leads to, if it looks like that.
static volatile uint64_t* find_ring() {
    struct sigaction action = {};
    action.sa_handler = on_fault;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
    uint64_t here = 0;
    for (volatile uint64_t* at = &here;; ++at) {
        if (sigsetjmp(from_fault, 1)) return nullptr;
        volatile uint64_t word = *at;
        if (word < 0x10000 || word % 4096 != 0) continue;
        if (sigsetjmp(from_fault, 1)) continue;
        const uint64_t* page = reinterpret_cast<const uint64_t*>(word);
        if (page[0] != ABI || page[1] < 16 || page[1] > 512) continue;
        return reinterpret_cast<volatile uint64_t*>(word);
    }
}
static void flip(uint64_t cycles) {
    for (volatile uint64_t* done = find_ring() + 32;; usleep(1000)) *done = *done == cycles ? cycles - 1 : cycles;
}
static void write_everywhere(int value) {
    if (volatile uint64_t* ring = find_ring()) std::memset(const_cast<uint64_t*>(ring), value, 65536);
}
"#;

/// Where attacks write, and what they must not read.
fn outside() -> &'static (tempfile::TempDir, PathBuf, PathBuf) {
    static OUTSIDE: OnceLock<(tempfile::TempDir, PathBuf, PathBuf)> = OnceLock::new();
    OUTSIDE.get_or_init(|| {
        // The same for every run, so that the model is found in the cache.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("process-outside");
        fs::create_dir_all(&folder).unwrap();
        let secret = folder.join("secret");
        fs::write(&secret, "secret").unwrap();
        (tempfile::tempdir().unwrap(), folder.join("written"), secret)
    })
}

/// A design that attacks when it is told to, before a counter counts.
fn hostile(guard: Guard) -> Compiled {
    let (_, written, secret) = outside();
    let ports = "input wire clock, input wire [7:0] attack, output reg [7:0] count";
    let mut text = format!("module hostile ({ports});\n`systemc_header{HEADER}`verilog\n");
    text.push_str("    initial count = 0;\n    always @(posedge clock) begin\n        count <= count + 8'd1;\n        case (attack)\n");
    for (number, (_, code)) in ATTACKS.iter().enumerate() {
        let code = code.replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!("            8'd{number}: $c(\"{code}\");\n"));
    }
    text.push_str("            default: ;\n        endcase\n    end\nendmodule\n");
    let text = text.replace("OUTSIDE", written.to_str().unwrap()).replace("SECRET", secret.to_str().unwrap());
    let text = text.replace("page[0] != ABI", "page[0] > 100");
    let design = VerilogDesign::new("hostile")
        .source("hostile.sv", text)
        .port(TopPort::input("clock", 1))
        .port(TopPort::input("attack", 8))
        .port(TopPort::output("count", 8));
    Build { guard, ..build() }.compile(&design).unwrap()
}

/// Runs ten cycles in peace, then one with an attack, then some more. Gives how many cycles were right, how the process
/// ended, and what it printed.
fn attacked(guard: Guard, name: &str) -> (u64, Option<Ending>, String) {
    let attack = ATTACKS.iter().position(|(other, _)| *other == name).unwrap();
    let compiled = hostile(guard);
    let (session, printed) = session();
    let mut process = compiled.process("clock", session).unwrap();
    let (pin, count) = (process.pins().input("attack").unwrap(), process.pins().output("count").unwrap());
    for cycle in 0..16 {
        process.pins_mut().set(pin, if cycle == 10 { attack as u64 } else { 0 });
        process.send();
    }
    let mut right = 0;
    let ending = loop {
        if process.under_way() == 0 {
            break process.finish().err();
        }
        match process.receive() {
            Ok(()) if process.pins().get(count) == right + 1 => right += 1,
            Ok(()) => break None,
            Err(ending) => break Some(ending),
        }
    };
    let printed = printed.lock().unwrap().clone();
    (right, ending, printed)
}

/// Limits that tests do not wait long for.
fn limits(guard: Guard) -> Guard {
    let cycle_time = Duration::from_millis(500);
    Guard { memory: Some(1 << 29), build_time: None, cycle_time, printed: 10_000, ..guard }
}

/// A foreign design and one that is trusted: neither gets this process into trouble.
#[test]
fn a_design_that_ends_its_process_has_ended_and_no_more() {
    assert_eq!(missing_confinement(), None);
    for guard in [Guard::default(), Guard::foreign()] {
        let stalled = Ending::Stalled(Duration::from_millis(500));
        for (name, expected) in [
            ("exit", Ending::Exited(0)),
            ("exit 3", Ending::Exited(3)),
            ("loop", stalled.clone()),
            ("exception", Ending::Failed("C++ exception: not today".into())),
            ("thrown number", Ending::Failed("C++ exception".into())),
            ("abort", Ending::Signal(libc::SIGABRT)),
            ("null", Ending::Signal(libc::SIGSEGV)),
            ("all memory", Ending::Corrupted),
            ("no memory", Ending::Corrupted),
            ("hog", Ending::Failed("no memory left".into())),
            ("print", stalled.clone()),
            ("sleep", stalled.clone()),
            ("thread", stalled.clone()),
            ("leader", stalled.clone()),
            ("flip", Ending::Corrupted),
            ("close", Ending::Failed("it has closed its files".into())),
        ] {
            let (right, ending, printed) = attacked(limits(guard.clone()), name);
            // Of what was in the shared memory nothing can be believed: outputs may be wrong before that is found.
            let differs = ending.is_none() && right < 10;
            match expected {
                Ending::Corrupted => {
                    // A turned bit of the ring can also let both sides wait.
                    let told = matches!(ending, Some(Ending::Corrupted | Ending::Stalled(_)));
                    assert!(right <= 10 && (differs || told), "{name}: {ending:?}")
                }
                expected => assert_eq!((right, ending), (10, Some(expected)), "{name}"),
            }
            assert!(printed.len() < 10_200, "{name}: {printed}");
            assert_eq!(printed.contains("(the design prints more than 10000 bytes"), name == "print", "{printed}");
        }
        assert_eq!(attacked(limits(guard), "nothing").1, None);
    }
}

/// Text can make a compiler write any number of bytes.
#[test]
fn a_tool_writes_no_endless_file() {
    let text = "module bulky (input wire clock);\n`systemc_header\nasm(\".space 3000000\");\n`verilog\nendmodule\n";
    let design = VerilogDesign::new("bulky").source("bulky.sv", text).port(TopPort::input("clock", 1));
    let guard = Guard { file_size: 2 << 20, ..Guard::foreign() };
    let error = Build { guard, ..build() }.compile(&design).unwrap_err().to_string();
    assert!(error.contains("the C++ compiler writes a file of more than 2 MiB"), "{error}");
}

#[test]
fn a_confined_design_reaches_nothing() {
    let (_, written, _) = outside();
    for name in ["kill the parent", "fork", "program", "socket", "stop"] {
        let (right, ending, _) = attacked(limits(Guard::foreign()), name);
        assert_eq!((right, ending), (10, Some(Ending::Signal(libc::SIGSYS))), "{name}");
    }
    for name in ["file", "read"] {
        let (right, ending, printed) = attacked(limits(Guard::foreign()), name);
        assert_eq!((right, ending, printed.as_str()), (16, None, ""), "{name}");
    }
    assert!(!written.exists());
}

/// What confinement would have stopped, or ended: so the tests above test something.
#[test]
fn a_trusted_design_reaches_what_this_process_does() {
    let (right, ending, printed) = attacked(limits(Guard::default()), "read");
    assert_eq!((right, ending, printed.as_str()), (16, None, "it is open\n"));
    let (right, ending, _) = attacked(limits(Guard::default()), "stop");
    assert_eq!((right, ending), (10, Some(Ending::Stalled(Duration::from_millis(500)))));
}

/// What a design does in its `final` block, and what comes of it: a part of the reason why it has failed.
const ENDS: [(&str, Option<&str>); 6] = [
    ("$display(\"done\");", None),
    ("$finish;", None),
    ("$error(\"too few\");", Some("too few, in a final block")),
    ("assert (how == 0);", Some("in a final block")),
    ("begin $finish; $fatal(1, \"too few\"); end", Some("in a final block")),
    ("$stop;", Some("$stop or failed assertion, in a final block")),
];

/// Checks at the end of a simulation are checks.
#[test]
fn what_fails_in_a_final_block_has_failed() {
    let mut text = String::from("module ender (input wire clock, input wire [7:0] how);\n    final case (how)\n");
    ENDS.iter().enumerate().for_each(|(number, (code, _))| text.push_str(&format!("        8'd{number}: {code}\n")));
    text.push_str("        default: ;\n    endcase\nendmodule\n");
    let design = VerilogDesign::new("ender").source("ender.sv", text);
    let design = design.port(TopPort::input("clock", 1)).port(TopPort::input("how", 8));
    let compiled = build().compile(&design).unwrap();
    for (number, (code, expected)) in ENDS.iter().enumerate() {
        let (session, _) = session();
        let mut process = compiled.process("clock", session).unwrap();
        let how = process.pins().input("how").unwrap();
        process.pins_mut().set(how, number as u64);
        process.send();
        process.receive().unwrap();
        let ending = process.finish().err();
        let is_right = match (expected, &ending) {
            (Some(word), Some(Ending::Stopped(reason))) => reason.starts_with("ender.sv:") && reason.contains(word),
            (expected, ending) => expected.is_none() && ending.is_none(),
        };
        assert!(is_right, "{code}: {ending:?}");

        let mut model = compiled.start(&Start::default()).unwrap();
        let (clock, how) = (model.clock("clock").unwrap(), model.input("how").unwrap());
        model.set(how, number as u64);
        model.tick(clock);
        assert!(!model.stopped());
        model.finish();
        assert_eq!(model.stopped(), expected.is_some(), "{code}: {:?}", model.stop_reason());
    }
}
