//! The text of memories: an array of words, which every FPGA flow of Yosys, Vivado and Quartus maps to bare RAM.
//!
//! The attributes tell Yosys and Quartus that a word read while it is written is undefined, so that no logic is built
//! to keep the old word. In simulation it is neither the old word nor the new one, and after a cycle without a read
//! `read_data` is no word that was read: whatever depends on either goes wrong there. With `RAILYARD_X` both are X.
//!
//! With `RAILYARD_MACROS` the body of a block RAM is an instance of a module of the user's. With `RAILYARD_ASIC` a
//! register file is made for standard cells.

use super::collect::MemoryInfo;
use super::text::range;

/// A register behind the read port: block RAM.
const REGISTERED: &str = r#"
`ifdef RAILYARD_MACROS
    // A module of yours: a macro of your memory compiler, with its own ports wired to these.
    MACRO macro (
        .clock(clock),
        .write_enable(write_enable),
        .write_address(write_address),
        .write_data(write_data),
        .read_enable(read_enable),
        .read_address(read_address),
        .read_data(read_data)PINS
    );
`elseDECLARED
    (* no_rw_check, ramstyle = "no_rw_check" *)
    reg WORDword [0:LAST];
    reg WORDword_read;

    assign read_data = word_read;

    always @(posedge clock) begin
        if (WRITES) begin
            word[write_address] <= write_data;
        end
        if (READS) begin
            word_read <= word[read_address];
        end
`ifndef SYNTHESIS
        // Without a read, and where the word is written at the same time, any value may be read.
`ifdef RAILYARD_X
        if (~READS | (WRITES & (read_address == write_address))) begin
            word_read <= {BITS{1'bx}};
        end
`else
        if (~READS) begin
            word_read <= ~word[read_address];
        end else if (WRITES & (read_address == write_address)) begin
            word_read <= (^word[read_address]) ? ~word[read_address] : ~write_data;
        end
`endif
`endif
    end
`endif
"#;

/// Pins that a macro gets, too.
const PINS: &str = ",
        .memory_test(memory_test),
        .memory_sleep(memory_sleep)";

/// What the pins do without a macro.
const ASLEEP: &str = "
    // Asleep, the memory keeps its words, and neither writes nor reads.
    wire writes = write_enable & ~memory_sleep;
    wire reads = read_enable & ~memory_sleep;
    wire test_unused = &memory_test; // for macros only
";

/// No register behind the read port: distributed RAM, or flip-flops. The decoded form makes less of standard cells: of
/// an array flows build a tree of multiplexers, a tenth larger. They find no RAM in the decoded form, so it has a
/// macro.
const COMBINATIONAL: &str = "
`ifdef RAILYARD_ASIC
    // For standard cells: word by word, with decoded addresses.
    reg [ALL:0] word;
    reg WORDselected;

    assign read_data = selected;

    always @* begin : read
        integer w;
        selected = BITS'd0;
        for (w = 0; w < DEPTH; w = w + 1) begin
            selected = selected | (word[w*BITS +: BITS] & {BITS{read_address == w[ADDRESS]}});
        end
    end

    always @(posedge clock) begin : write
        integer w;
        for (w = 0; w < DEPTH; w = w + 1) begin
            if (write_enable & (write_address == w[ADDRESS])) begin
                word[w*BITS +: BITS] <= write_data;
            end
        end
    end
`else
    reg WORDword [0:LAST];

    assign read_data = word[read_address];

    always @(posedge clock) begin
        if (write_enable) begin
            word[write_address] <= write_data;
        end
    end
`endif
";

/// The body of a memory of words of `width` bits; `module` stands for the module's name.
pub fn text(memory: MemoryInfo, width: usize, has_pins: bool, module: &str) -> String {
    let body = if memory.registered { REGISTERED } else { COMBINATIONAL };
    let [pins, declared, writes, reads] = match has_pins {
        true => [PINS, ASLEEP, "writes", "reads"],
        false => ["", "", "write_enable", "read_enable"],
    };
    let body = body.replace("PINS", pins).replace("DECLARED", declared);
    let body = body.replace("WRITES", writes).replace("READS", reads);
    let address = memory.depth.next_power_of_two().ilog2().max(1) - 1;
    let body = body.replace("WORD", &range(width)).replace("LAST", &(memory.depth - 1).to_string());
    let body = body.replace("DEPTH", &memory.depth.to_string()).replace("ADDRESS", &format!("{address}:0"));
    let body = body.replace("ALL", &(memory.depth * width - 1).to_string()).replace("BITS", &width.to_string());
    body.replace("MACRO macro", &format!("{module}_macro macro"))
}
