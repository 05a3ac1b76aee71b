// Memories of a switch from macros of IHP's open process SG13G2, for RAILYARD_MACROS.
//
// RM_IHPSG13_2P_512x32_c2_bm_bist has 512 words of 32 bits and two ports. Port A writes here, and port B reads. A wider
// memory has several macros side by side, a shallower one uses the low addresses. What a macro reads while the other
// port writes the same word is undefined, as the switch allows. The last modules bind the memories of the preset
// `hpc16` under the name `my`; take the names and sizes of your switch.
//
// With MEMORY_PINS defined, they fit a switch with "memory_pins": {"test_bits": 2}. memory_sleep keeps both ports
// idle, and the two bits of memory_test switch off the delays that the data sheet wants.
`default_nettype none

module sg13g2_1r1w #(
    parameter ADDRESS_BITS = 9,
    parameter WIDTH = 32
) (
    input  wire clock,
    input  wire write_enable,
    input  wire [ADDRESS_BITS-1:0] write_address,
    input  wire [WIDTH-1:0] write_data,
    input  wire read_enable,
    input  wire [ADDRESS_BITS-1:0] read_address,
    output wire [WIDTH-1:0] read_data,
    input  wire a_delayed, b_delayed, sleep
);

    localparam MACROS = (WIDTH + 31) / 32;

    wire [8:0] write_word, read_word;
    wire [32*MACROS-1:0] written, read;

    // Vectors of other widths are filled up with zeros.
    assign write_word = write_address;
    assign read_word = read_address;
    assign written = write_data;
    assign read_data = read[WIDTH-1:0];

    genvar i;
    generate
        for (i = 0; i < MACROS; i = i + 1) begin : slice
            RM_IHPSG13_2P_512x32_c2_bm_bist macro (
                .A_CLK(clock), .A_MEN(write_enable & ~sleep), .A_WEN(write_enable), .A_REN(1'b0),
                .A_ADDR(write_word), .A_DIN(written[32*i +: 32]), .A_BM({32{1'b1}}), .A_DOUT(),
                .B_CLK(clock), .B_MEN(read_enable & ~sleep), .B_WEN(1'b0), .B_REN(read_enable),
                .B_ADDR(read_word), .B_DIN(32'd0), .B_BM(32'd0), .B_DOUT(read[32*i +: 32]),
                // The data sheet wants 1.
                .A_DLY(a_delayed), .B_DLY(b_delayed),
                // The self-test of the macro is not used.
                .A_BIST_CLK(1'b0), .A_BIST_EN(1'b0), .A_BIST_MEN(1'b0), .A_BIST_WEN(1'b0), .A_BIST_REN(1'b0),
                .A_BIST_ADDR(9'd0), .A_BIST_DIN(32'd0), .A_BIST_BM(32'd0),
                .B_BIST_CLK(1'b0), .B_BIST_EN(1'b0), .B_BIST_MEN(1'b0), .B_BIST_WEN(1'b0), .B_BIST_REN(1'b0),
                .B_BIST_ADDR(9'd0), .B_BIST_DIN(32'd0), .B_BIST_BM(32'd0)
            );
        end
    endgenerate

endmodule

// What the modules below have more with pins of memories.
`ifdef MEMORY_PINS
`define PINS , input wire [1:0] memory_test, input wire memory_sleep
`define DELAYED_AND_SLEEP ~memory_test[0], ~memory_test[1], memory_sleep
`else
`define PINS
`define DELAYED_AND_SLEEP 1'b1, 1'b1, 1'b0
`endif

module my_ram_1r1w_32x6_macro (
    input  wire clock, write_enable, read_enable,
    input  wire [4:0] write_address, read_address,
    input  wire [5:0] write_data,
    output wire [5:0] read_data `PINS
);
    sg13g2_1r1w #(.ADDRESS_BITS(5), .WIDTH(6)) memory (
        clock, write_enable, write_address, write_data, read_enable, read_address, read_data,
        `DELAYED_AND_SLEEP
    );
endmodule

module my_ram_1r1w_32x25_macro (
    input  wire clock, write_enable, read_enable,
    input  wire [4:0] write_address, read_address,
    input  wire [24:0] write_data,
    output wire [24:0] read_data `PINS
);
    sg13g2_1r1w #(.ADDRESS_BITS(5), .WIDTH(25)) memory (
        clock, write_enable, write_address, write_data, read_enable, read_address, read_data,
        `DELAYED_AND_SLEEP
    );
endmodule

module my_ram_1r1w_32x65_macro (
    input  wire clock, write_enable, read_enable,
    input  wire [4:0] write_address, read_address,
    input  wire [64:0] write_data,
    output wire [64:0] read_data `PINS
);
    sg13g2_1r1w #(.ADDRESS_BITS(5), .WIDTH(65)) memory (
        clock, write_enable, write_address, write_data, read_enable, read_address, read_data,
        `DELAYED_AND_SLEEP
    );
endmodule

module my_ram_1r1w_512x6_macro (
    input  wire clock, write_enable, read_enable,
    input  wire [8:0] write_address, read_address,
    input  wire [5:0] write_data,
    output wire [5:0] read_data `PINS
);
    sg13g2_1r1w #(.ADDRESS_BITS(9), .WIDTH(6)) memory (
        clock, write_enable, write_address, write_data, read_enable, read_address, read_data,
        `DELAYED_AND_SLEEP
    );
endmodule

module my_ram_1r1w_512x20_macro (
    input  wire clock, write_enable, read_enable,
    input  wire [8:0] write_address, read_address,
    input  wire [19:0] write_data,
    output wire [19:0] read_data `PINS
);
    sg13g2_1r1w #(.ADDRESS_BITS(9), .WIDTH(20)) memory (
        clock, write_enable, write_address, write_data, read_enable, read_address, read_data,
        `DELAYED_AND_SLEEP
    );
endmodule

`default_nettype wire
