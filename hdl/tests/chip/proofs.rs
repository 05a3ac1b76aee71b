//! Rules of the stream adapters, proved by Yosys for small chips: two VCs, packets of two or three flits.
//!
//! The rules stand in the modules, behind their logic: what the other side does is assumed, what must hold is asserted.
//! By induction they hold for ever; in a bounded proof, for so many cycles from reset.

use crate::common::tools::run;
use crate::Chip;

const CHIP: &str = r#"{"name": "proved", "ports": 2, "flit_bits": 16, "virtual_channels": {"unicast": 2}, "registers": false,
    "packet": {"max_flits": 2}, "buffer_flits": 4, "routing": {"kind": "source", "hops": 4}, "chip": {"streams": {}}}"#;

/// The same with packets that can have two flits of payload.
const LONGER: &str = r#"{"name": "proved", "ports": 2, "flit_bits": 16, "virtual_channels": {"unicast": 2}, "registers": false,
    "packet": {"max_flits": 3}, "buffer_flits": 8, "routing": {"kind": "source", "hops": 4}, "chip": {"streams": {}}}"#;

const STREAM_OUT: &str = include_str!("stream_out.v");
const STREAM_OUT_ENDS: &str = include_str!("stream_out_ends.v");
const STREAM_OUT_ORDER: &str = include_str!("stream_out_order.v");
const STREAM_IN: &str = include_str!("stream_in.v");
const STREAM_IN_ORDER: &str = include_str!("stream_in_order.v");
/// Of queues of four places, as [`CHIP`] has them.
const QUEUE: &str = include_str!("queue.v");

/// How Yosys is to prove it: by induction over up to four cycles, or for so many cycles.
const INDUCTION: &str = "-tempinduct -maxsteps 4";
const TEN_CYCLES: &str = "-seq 10";
const EIGHT_CYCLES: &str = "-seq 8";

/// The adapter `module` of [`CHIP`] with rules at its end, and in it `from` replaced by `to`; whether Yosys proves
/// them.
fn holds(module: &str, rules: &[&str], how: &str, fault: (&str, &str)) -> bool {
    holds_in(CHIP, module, rules, how, fault)
}

fn holds_in(chip: &str, module: &str, rules: &[&str], how: &str, (from, to): (&str, &str)) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let (own, mut files) = (format!("proved_{module}"), String::new());
    for made in Chip::new(chip).design.modules.iter().filter(|made| made.name.starts_with(&own)) {
        let end = made.text.rfind("endmodule").expect("its end");
        let (mut logic, foot) = (made.text[..end].to_string(), &made.text[end..]);
        if made.name == own {
            assert!(from.is_empty() || logic.matches(from).count() == 1, "{module}: {from}");
            logic = if from.is_empty() { logic } else { logic.replace(from, to) } + &rules.concat();
        } else if chip == CHIP && made.name.contains("_fifo_") {
            logic += QUEUE;
        }
        std::fs::write(folder.path().join(format!("{}.v", made.name)), logic + foot).unwrap();
        files += &format!("{}.v ", made.name);
    }
    let script = format!(
        "read_verilog -sv -formal {files}; hierarchy -top {own}; proc; flatten; memory_map; opt -full; techmap; \
         opt -full; sat {how} -prove-asserts -set-assumes"
    );
    let output = run("yosys", &["-Q", "-p", &script], folder.path());
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let (proved, refuted) = (said.contains("SUCCESS!"), said.contains("FAIL!") || said.contains("proof failed"));
    assert!(output.status.success() && proved != refuted, "{said}");
    proved
}

#[test]
fn stream_out_keeps_beats_and_credit_for_ever() {
    assert!(holds("stream_out", &[STREAM_OUT], INDUCTION, ("", "")));
    for fault in [("(~tvalid | tready)", "(~tvalid | tready | tlast)"), ("if (busy_q)", "if (1'b0)")] {
        assert!(!holds("stream_out", &[STREAM_OUT], INDUCTION, fault), "{fault:?} was not found");
    }
}

#[test]
fn stream_out_ends_each_packet() {
    assert!(holds("stream_out", &[STREAM_OUT, STREAM_OUT_ENDS], EIGHT_CYCLES, ("", "")));
    let fault = ("assign tlast = front[16]", "assign tlast = front[16] & ~(&front[3:0])");
    assert!(!holds("stream_out", &[STREAM_OUT, STREAM_OUT_ENDS], EIGHT_CYCLES, fault), "{fault:?} was not found");
}

#[test]
fn stream_in_keeps_to_its_credit_and_loses_no_packet() {
    assert!(holds("stream_in", &[STREAM_IN], TEN_CYCLES, ("", "")));
    for fault in [("room = leaving_bad", "room = 1'b1"), ("sent_q <= send", "sent_q <= send & ~rx_credit_valid[0]")] {
        assert!(!holds("stream_in", &[STREAM_IN], TEN_CYCLES, fault), "{fault:?} was not found");
    }
}

#[test]
fn stream_out_keeps_order_and_data() {
    let rules = [STREAM_OUT, STREAM_OUT_ORDER];
    assert!(holds("stream_out", &rules, EIGHT_CYCLES, ("", "")));
    for fault in [("if (busy_q)", "if (1'b0)"), ("padding_q} <= (1 - i)", "padding_q} <= (0 - i)")] {
        assert!(!holds("stream_out", &rules, EIGHT_CYCLES, fault), "{fault:?} was not found");
    }
}

#[test]
fn stream_in_keeps_order_and_data() {
    assert!(holds_in(LONGER, "stream_in", &[STREAM_IN_ORDER], TEN_CYCLES, ("", "")));
    for fault in [("packet[4:1] = destination_q", "packet[4:1] = tdest"), ("coming_vc = tid", "coming_vc = 1'b0")] {
        assert!(!holds_in(LONGER, "stream_in", &[STREAM_IN_ORDER], TEN_CYCLES, fault), "{fault:?} was not found");
    }
}
