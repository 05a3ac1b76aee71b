//! Arbiters of a Dragonfly's switch, proved by Yosys for a few requesters: one winner if there is a request, and an
//! order without rings.
//!
//! The rules stand in the module, behind its logic: what comes from outside is assumed, what must hold is asserted. By
//! induction they hold for ever.

mod common;

use common::tools::run;
use railyard_hdl::parts::least_recent_arbiter::least_recent_arbiter;
use railyard_hdl::parts::oldest_arbiter::oldest_arbiter;
use railyard_hdl::rtl::prelude::*;
use std::fmt::Write;

/// Reset in the first cycle, and in no other.
const RUNNING: &str = "
    reg running = 0;
    always @(posedge clock) running <= 1;
    always @* assume (reset == ~running);
";

/// A block without registers is never in reset.
const COMBINATIONAL: &str = "
    wire running = 1;
";

/// Whether Yosys proves the rules of a block in which `from` is replaced by `to`.
fn holds(block: &dyn Block, rules: &str, (from, to): (&str, &str)) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let mut files = String::new();
    for made in &emit(block, "proved").unwrap().modules {
        let end = made.text.rfind("endmodule").expect("its end");
        let (mut logic, foot) = (made.text[..end].to_string(), &made.text[end..]);
        if made.name == "proved" {
            assert!(from.is_empty() || logic.matches(from).count() == 1, "{from}\n{logic}");
            let around = if logic.contains("clock") { RUNNING } else { COMBINATIONAL };
            logic = if from.is_empty() { logic } else { logic.replace(from, to) } + around + rules;
        }
        std::fs::write(folder.path().join(format!("{}.v", made.name)), logic + foot).unwrap();
        write!(files, "{}.v ", made.name).unwrap();
    }
    let script = format!(
        "read_verilog -sv -formal {files}; hierarchy -top proved; proc; flatten; opt -full; techmap; opt -full; \
         sat -tempinduct -maxsteps 3 -prove-asserts -set-assumes"
    );
    let output = run("yosys", &["-Q", "-p", &script], folder.path());
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let (proved, refuted) = (said.contains("SUCCESS!"), said.contains("FAIL!") || said.contains("proof failed"));
    assert!(output.status.success() && proved != refuted, "{said}");
    proved
}

/// `grant` is one requester if there is one, else nobody.
fn one_winner(request: &str, grant: &str) -> String {
    format!(
        "    always @* if (running) begin
        assert (({grant} & ({grant} - 1)) == 0);
        assert (({grant} & ~{request}) == 0);
        assert ((|{grant}) == (|{request}));
    end
"
    )
}

/// `keyword` of each pair of n that one stands before the other, and of each three that there is no ring;
/// `before(i, j)` is the text for "i stands before j".
fn no_rings(keyword: &str, n: usize, before: impl Fn(usize, usize) -> String) -> String {
    let mut rules = String::from("    always @* if (running) begin\n");
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j) {
        writeln!(rules, "        {keyword} ({} == ~{});", before(i, j), before(j, i)).unwrap();
        for k in (0..n).filter(|k| *k != i && *k != j) {
            writeln!(rules, "        {keyword} (~({} & {} & {}));", before(i, j), before(j, k), before(k, i)).unwrap();
        }
    }
    rules + "    end\n"
}

#[test]
fn the_least_recent_wins_alone() {
    let rules = no_rings("assert", 4, |i, j| format!("first[{}]", j * 4 + i)) + &one_winner("request", "grant");
    let arbiter = least_recent_arbiter(4);
    let assumed = "    always @* assume (~take | (|request));\n".to_string();
    assert!(holds(&arbiter, &(assumed.clone() + &rules), ("", "")));
    let fault = ("& ~grant[i]", "& ~request[i]");
    assert!(!holds(&arbiter, &(assumed + &rules), fault), "{fault:?} was not found");
}

#[test]
fn the_oldest_wins_alone() {
    let order = no_rings("assume", 5, |i, j| format!("ahead[{}]", j * 5 + i))
        + "    always @* assume (~(ahead[0] | ahead[6] | ahead[12] | ahead[18] | ahead[24]));\n";
    assert!(holds(&oldest_arbiter(5), &(order + &one_winner("request", "grant")), ("", "")));
    assert!(!holds(&oldest_arbiter(5), &one_winner("request", "grant"), ("", "")), "rings have a winner");
}
