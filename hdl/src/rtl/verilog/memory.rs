//! The text of memories: an array of words, which every FPGA flow of Yosys, Vivado and Quartus maps to bare RAM.
//!
//! The attributes tell Yosys and Quartus that a word read while it is written is undefined, so that no logic is built
//! to keep the old word. In simulation it is neither the old word nor the new one, and after a cycle without a read
//! `read_data` is no word that was read: whatever depends on either goes wrong there. With `RAILYARD_X` both are X.
//!
//! With `RAILYARD_MACROS` the body of a block RAM is an instance of a module of the user's.

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
        .read_data(read_data)
    );
`else
    (* no_rw_check, ramstyle = "no_rw_check" *)
    reg WORDword [0:LAST];
    reg WORDword_read;

    assign read_data = word_read;

    always @(posedge clock) begin
        if (write_enable) begin
            word[write_address] <= write_data;
        end
        if (read_enable) begin
            word_read <= word[read_address];
        end
`ifndef SYNTHESIS
        // Without a read, and where the word is written at the same time, any value may be read.
`ifdef RAILYARD_X
        if (~read_enable | (write_enable & (read_address == write_address))) begin
            word_read <= {BITS{1'bx}};
        end
`else
        if (~read_enable) begin
            word_read <= ~word[read_address];
        end else if (write_enable & (read_address == write_address)) begin
            word_read <= (^word[read_address]) ? ~word[read_address] : ~write_data;
        end
`endif
`endif
    end
`endif
"#;

/// None: distributed RAM, or flip-flops.
const COMBINATIONAL: &str = "
    reg WORDword [0:LAST];

    assign read_data = word[read_address];

    always @(posedge clock) begin
        if (write_enable) begin
            word[write_address] <= write_data;
        end
    end
";

/// The body of a memory of words of `width` bits; `module` stands for the module's name.
pub fn text(memory: MemoryInfo, width: usize, module: &str) -> String {
    let body = if memory.registered { REGISTERED } else { COMBINATIONAL };
    let body = body.replace("WORD", &range(width)).replace("LAST", &(memory.depth - 1).to_string());
    body.replace("BITS", &width.to_string()).replace("MACRO macro", &format!("{module}_macro macro"))
}
