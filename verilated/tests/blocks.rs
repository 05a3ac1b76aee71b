//! Blocks: modules that are Verilated on their own, beside the same design Verilated as a whole.

use railyard_verilated::{Build, BuildError, HierarchicalBlock, Model, Pins, Start, TopPort, VerilogDesign};
use std::fs;
use std::path::{Path, PathBuf};

/// The cache of the binding's tests, where Verilator's run-time library is there already.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("binding-cache")
}

fn build() -> Build {
    Build { cache: Some(cache()), ..Build::quick() }
}

/// A pipeline stage with a port for every kind of storage, whose registers reset doesn't all reach.
const STAGE: &str = "
module stage (
    input  wire        clock, input wire reset, input wire flip, input wire [6:0] byte_in, input wire [15:0] half, input wire [32:0] long_in,
    input  wire [99:0] wide,
    output reg         flop, output wire [6:0] byte_out, output reg [15:0] sum, output reg [32:0] long_out, output reg [99:0] mixed
);
    reg [6:0] last;
    assign byte_out = ~last;
    always @(posedge clock) begin
        last <= byte_in;
        flop <= flip;
        sum <= reset ? 16'd0 : sum + half;
        long_out <= {long_in[31:0], long_in[32]};
        mixed <= {wide[0], wide[99:1]} ^ {3{long_in}};
    end
endmodule
";

/// Stages one after the other.
fn chain(stages: usize) -> VerilogDesign {
    let mut text = "
module chain (
    input wire clock, input wire reset, input wire flip, input wire [6:0] byte_in, input wire [15:0] half, input wire [32:0] long_in,
    input wire [99:0] wide, output wire flop, output wire [6:0] byte_out, output wire [15:0] sum, output wire [32:0] long_out,
    output wire [99:0] mixed
);"
    .to_owned();
    let at = |name: &str, i: usize| format!("{name}_{i}");
    for i in 0..=stages {
        text += &format!("\nwire a_{i}; wire [6:0] b_{i}; wire [15:0] c_{i}; wire [32:0] d_{i}; wire [99:0] e_{i};");
    }
    for i in 0..stages {
        let ports =
            [("flip", "flop", "a"), ("byte_in", "byte_out", "b"), ("half", "sum", "c"), ("long_in", "long_out", "d")];
        let ports = ports.into_iter().chain([("wide", "mixed", "e")]);
        let pins: String = ports.map(|(i_, o, n)| format!(", .{i_}({}), .{o}({})", at(n, i), at(n, i + 1))).collect();
        text += &format!("\nstage stage_{i} (.clock(clock), .reset(reset){pins});");
    }
    text += "\nassign {a_0, b_0, c_0, d_0, e_0} = {flip, byte_in, half, long_in, wide};";
    text += &format!(
        "\nassign {{flop, byte_out, sum, long_out, mixed}} = {{a_{0}, b_{0}, c_{0}, d_{0}, e_{0}}};\nendmodule\n",
        stages
    );
    with_ports(VerilogDesign::new("chain").source("chain.v", text))
}

fn with_ports(design: VerilogDesign) -> VerilogDesign {
    let inputs =
        [("clock", 1), ("reset", 1), ("flip", 1), ("byte_in", 7), ("half", 16), ("long_in", 33), ("wide", 100)];
    let outputs = [("flop", 1), ("byte_out", 7), ("sum", 16), ("long_out", 33), ("mixed", 100)];
    let design = inputs.into_iter().fold(design, |design, (name, width)| design.port(TopPort::input(name, width)));
    outputs.into_iter().fold(design, |design, (name, width)| design.port(TopPort::output(name, width)))
}

fn block(text: &str) -> HierarchicalBlock {
    let design = with_ports(VerilogDesign::new("stage").source("stage.v", text)).with_all_ports();
    HierarchicalBlock { design, clock: "clock".into() }
}

/// What all outputs are in each of some cycles.
fn outputs(model: &mut Model) -> Vec<u64> {
    let clock = model.clock("clock").unwrap();
    let mut random = 1_u64;
    let mut seen = Vec::new();
    for cycle in 0..200 {
        for (name, width) in [("flip", 1), ("byte_in", 7), ("half", 16), ("long_in", 33), ("wide", 100)] {
            let pin = model.input(name).unwrap();
            for low in (0..width).step_by(50) {
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                model.set_bits(pin, low, (width - low).min(50), random >> 14 & ((1 << (width - low).min(50)) - 1));
            }
        }
        let reset = model.input("reset").unwrap();
        model.set(reset, u64::from(cycle < 10));
        model.settle(clock);
        if cycle >= 10 {
            for (name, width) in [("flop", 1), ("byte_out", 7), ("sum", 16), ("long_out", 33), ("mixed", 100)] {
                let pin = model.output(name).unwrap();
                seen.extend((0..width).step_by(50).map(|low| model.bits(pin, low, (width - low).min(50))));
            }
        }
        model.tick(clock);
    }
    assert_eq!(model.stop_reason(), None);
    seen
}

/// The same in every cycle; the library is built once for both designs that have the block.
#[test]
fn blocks_do_what_their_modules_do() {
    for stages in [1, 4] {
        let whole = outputs(&mut build().model(&chain(stages).source("stage.v", STAGE)).unwrap());
        let blocks = build().compile(&chain(stages).block(block(STAGE))).unwrap();
        assert_eq!(outputs(&mut blocks.start(&Start::default()).unwrap()), whole, "{stages} stages");
        assert_eq!(outputs(&mut blocks.start(&Start::default()).unwrap()), whole, "{stages} stages, started again");
    }
    let folders = fs::read_dir(cache()).unwrap().map(|entry| entry.unwrap().path());
    let is_library = |folder: &PathBuf| {
        fs::read_to_string(folder.join("stage.v")).is_ok_and(|text| text == STAGE) && !folder.join("chain.v").exists()
    };
    let libraries = folders.filter(is_library);
    assert_eq!(libraries.count(), 1);
}

/// What a block can't do stops the model, where it would simulate something else.
#[test]
fn an_output_that_follows_an_input_is_found() {
    let text = STAGE.replace("assign byte_out = ~last", "assign byte_out = half == 16'd77 ? ~last : last");
    let mut model = build().model(&chain(3).block(block(&text))).unwrap();
    let (clock, half) = (model.clock("clock").unwrap(), model.input("half").unwrap());
    model.ticks(clock, 5);
    assert!(!model.stopped());
    model.set(half, 77);
    model.ticks(clock, 5);
    let reason = model.stop_reason().unwrap();
    assert!(reason.contains("stage:0: fatal: output byte_out depends on an input of the same cycle"), "{reason}");
}

/// Assertions, ports, warnings and errors of a block are those of the design.
#[test]
fn blocks_say_what_designs_say() {
    let text =
        STAGE.replace("flop <= flip;", "flop <= flip; if (half == 16'd9) $error(\"nine\"); if (wide) flop <= 2'd1;");
    let compiled = build().compile(&chain(2).block(block(&text))).unwrap();
    assert!(compiled.warnings().contains("%Warning-WIDTH: stage.v:"), "{}", compiled.warnings());
    let mut model = compiled.start(&Start::default()).unwrap();
    let (clock, half) = (model.clock("clock").unwrap(), model.input("half").unwrap());
    model.set(half, 9);
    model.tick(clock);
    assert!(model.stop_reason().unwrap().starts_with("stage.v:"), "{:?}", model.stop_reason());

    let text = STAGE.replace("input wire flip", "input wire flip, input wire test");
    let error = build().compile(&chain(2).block(block(&text))).unwrap_err();
    assert!(matches!(&error, BuildError::Ports { top, .. } if top == "stage"), "{error}");
    let error = build().compile(&chain(2).block(block("module stage (oops"))).unwrap_err();
    assert!(matches!(&error, BuildError::Verilator { top, .. } if top == "stage"), "{error}");
}
