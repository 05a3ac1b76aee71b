//! The text of memories: an array of words, which every FPGA flow of Yosys, Vivado and Quartus maps to bare RAM.
//!
//! The attributes tell Yosys and Quartus that a word read while it is written is undefined, so that no logic is built
//! to keep the old word. In simulation it is neither the old word nor the new one: whatever depends on it goes wrong
//! there.

use super::collect::MemoryInfo;
use super::text::range;

/// A register behind the read port: block RAM.
const REGISTERED: &str = r#"
    (* no_rw_check, ramstyle = "no_rw_check" *)
    reg WORDword [0:LAST];
    reg WORDword_read;

    assign read_data = word_read;

    always @(posedge clock) begin
        if (write_enable) begin
            word[write_address] <= write_data;
        end
        word_read <= word[read_address];
`ifndef SYNTHESIS
        // A word that is read while it is written is undefined: neither the old word nor the new one.
        if (write_enable & (read_address == write_address)) begin
            word_read <= (^word[read_address]) ? ~word[read_address] : ~write_data;
        end
`endif
    end
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

/// The body of a memory of words of `width` bits.
pub fn text(memory: MemoryInfo, width: usize) -> String {
    let body = if memory.registered { REGISTERED } else { COMBINATIONAL };
    body.replace("WORD", &range(width)).replace("LAST", &(memory.depth - 1).to_string())
}
