//! `assert!` in kernels: what a bench, the back-end, simulators and Yosys make of it.

mod common;

use common::tools::{lint, run};
use railyard_hdl::elaborate;
use railyard_hdl::rtl::prelude::*;
use railyard_spec::{presets, Config};
use std::fs;

/// Holds numbers for two lanes. Of these, the first lane has the smaller one.
#[block]
struct Ordered {
    clock: ClockIn,
    reset: Flag<In>,
    /// Take new numbers.
    load: Flag<In>,
    /// The numbers.
    number: Vec<Sig<In>>,
    /// The numbers taken last.
    kept: Vec<Sig<Out>>,

    lane: Regs,
    sum: Sig<Local>,

    lanes: Param,
}

fn ordered() -> Ordered {
    let (lanes, number, kept) = (3, many(3, || sig(4)), many(3, || sig(4)));
    Ordered { number, kept, lane: regs(3, 4, 0u8), sum: sig(4), lanes, ..Ordered::plain() }
}

#[kernel]
impl Ordered {
    fn update(&mut self) {
        self.sum.next = 0.into();
        for i in 0..self.lanes {
            if self.load.val() {
                self.lane.d[i].next = self.number[i].val();
                assert!(self.number[i].val() != 0, "no number is zero");
                if i > 0 {
                    assert!(self.number[i].val() >= self.number[i - 1].val(), "numbers come in order");
                }
            }
            self.sum.next = self.sum.val() | self.lane.q[i].val();
            self.kept[i].next = self.lane.q[i].val();
        }
        assert!(!self.load.val() | !self.sum.val().all(), "numbers are replaced while a bit is free");
    }
}

fn bench() -> Bench<Ordered> {
    let mut bench = Bench::new(ordered(), |b| &mut b.clock);
    bench.reset.next = true;
    bench.load.next = true;
    bench.cycle();
    bench.reset.next = false;
    bench
}

fn load(bench: &mut Bench<Ordered>, numbers: [u32; 3]) {
    for (number, value) in bench.number.iter_mut().zip(numbers) {
        number.next = value.into();
    }
    bench.cycle();
}

/// In reset, and while they change, numbers may be anything.
#[test]
fn a_bench_checks_at_the_clock_edge() {
    let mut bench = bench();
    load(&mut bench, [1, 2, 3]);
    load(&mut bench, [4, 4, 9]);
    bench.number[0].next = 15.into();
    bench.settle();
    load(&mut bench, [2, 3, 4]);
    bench.load.next = false;
    load(&mut bench, [0, 0, 0]);
}

#[test]
#[should_panic(expected = "Ordered: numbers come in order")]
fn a_bench_panics_with_block_and_text() {
    load(&mut bench(), [1, 3, 2]);
}

#[test]
#[should_panic(expected = "Ordered: numbers are replaced while a bit is free")]
fn values_of_the_end_of_the_cycle_count() {
    let mut bench = bench();
    load(&mut bench, [1, 2, 12]);
    load(&mut bench, [1, 2, 12]);
}

#[test]
fn assertions_stand_at_the_end_under_their_macro() {
    let text = emit(&ordered(), "ordered").unwrap().text();
    let (logic, assertions) = text.split_once("\n`ifdef RAILYARD_ASSERT\n").expect("a guarded part");
    assert!(!logic.contains("$error"), "{text}");
    insta::assert_snapshot!("ordered_assertions", assertions);
}

/// The text as a tool sees it that does not define the macro.
fn unguarded(text: &str) -> String {
    let parts: Vec<&str> = text.split("\n`ifdef RAILYARD_ASSERT\n").collect();
    let rest = parts[1..].iter().map(|part| part.split_once("`endif\n").expect("its end").1);
    parts[..1].iter().copied().chain(rest).collect::<Vec<_>>().join("")
}

#[test]
fn simulators_check_them_where_the_macro_is_defined() {
    let text = emit(&ordered(), "ordered").unwrap().text();
    let bench = "
module bench;
    reg clock = 0, reset = 1, load = 1;
    reg [11:0] number = 0;
    wire [11:0] kept;
    ordered dut (.clock(clock), .reset(reset), .load(load), .number(number), .kept(kept));
    always #1 clock = ~clock;
    initial begin
        #4 reset = 0;
        number = 12'h321;
        #4 number = 12'h231;
        #2 $finish;
    end
endmodule
";
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("bench.v"), text + bench).unwrap();
    let printed = |define: &[&str]| {
        let compiled =
            run("iverilog", &[&["-g2005", "-Wall", "-o", "bench"], define, &["bench.v"]].concat(), dir.path());
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        String::from_utf8_lossy(&run("vvp", &["bench"], dir.path()).stdout).into_owned()
    };
    let errors = printed(&["-DRAILYARD_ASSERT"]);
    assert!(errors.contains("numbers come in order") && errors.contains("bench.dut.assertions"), "{errors}");
    assert!(!errors.contains("no number is zero"), "{errors}");
    assert!(!printed(&[]).contains("numbers"), "nothing is checked without the macro");
}

/// A whole switch: lint-free with and without assertions, and for Yosys the same hardware.
#[test]
fn synthesis_sees_nothing_of_them() {
    let tiny = Config::from_json(presets::find("tiny").unwrap().json).unwrap();
    let design = elaborate(&tiny).unwrap();
    assert_eq!(lint(&design), "");
    let text = design.text();
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("with.v"), &text).unwrap();
    fs::write(dir.path().join("without.v"), unguarded(&text)).unwrap();
    let cells = |file: &str| {
        let script = format!("read_verilog {file}; hierarchy -top {}; proc; opt; stat -json", design.top().name);
        let output = run("yosys", &["-Q", "-p", &script], dir.path());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let report = text.find("{\n").map(|at| text[at..].to_string()).expect("a report");
        report[..=report.rfind('}').expect("its end")].to_string()
    };
    let invocation = |text: String| text.lines().filter(|l| !l.contains("invocation")).collect::<Vec<_>>().join("\n");
    assert_eq!(invocation(cells("with.v")), invocation(cells("without.v")));
}

macro_rules! refused {
    ($test:ident, $signal:literal, $message:literal, $($kernel:tt)*) => {
        #[test]
        fn $test() {
            #[block]
            struct Bad {
                clock: ClockIn,
                reset: Flag<In>,
                /// The number.
                a: Sig<In>,
                /// A number that the logic does not read.
                unread: Sig<In>,
                /// The result.
                x: Sig<Out>,
                hold: Reg,
            }
            #[kernel]
            impl Bad {
                $($kernel)*
            }
            let bad = Bad { a: sig(8), unread: sig(8), x: sig(8), hold: reg(8, 0u8), ..Bad::plain() };
            let errors = emit(&bad, "top").expect_err("must be refused");
            let found = errors.iter().any(|e| e.signal == $signal && e.message.contains($message));
            assert!(found, "{errors:#?}");
        }
    };
}

refused! { values_before_the_end_of_the_cycle, "x", "before its last assignment",
    fn update(&mut self) {
        self.x.next = self.a.val();
        assert!(self.x.val() != 0, "the result is not zero");
        if self.hold.q.val().any() {
            self.x.next = 0.into();
        }
    }
}
refused! { what_is_there_for_a_property_alone, "unread", "nothing else does",
    fn update(&mut self) {
        self.x.next = self.a.val() | self.hold.q.val();
        assert!(self.unread.val() != 0, "it is not zero");
    }
}
refused! { what_a_register_becomes, "condition", "`hold.d` is read",
    fn update(&mut self) {
        self.x.next = self.a.val() | self.hold.q.val();
        self.hold.d.next = self.a.val();
        assert!(self.hold.d.val() != 0, "it is not zero");
    }
}

/// Without a clock there is no edge at which something could be checked.
#[test]
fn a_block_without_clock_is_refused() {
    #[block]
    struct Bare {
        /// The number.
        a: Sig<In>,
        /// The result.
        x: Sig<Out>,
    }
    #[kernel]
    impl Bare {
        fn update(&mut self) {
            self.x.next = self.a.val();
            assert!(self.a.val() != 0, "the number is not zero");
        }
    }
    let errors = emit(&Bare { a: sig(2), x: sig(2) }, "top").expect_err("must be refused");
    let found = |port: &str| errors.iter().any(|e| e.signal == port && e.message.contains("clock edge"));
    assert!(found("clock") && found("reset"), "{errors:#?}");
}
