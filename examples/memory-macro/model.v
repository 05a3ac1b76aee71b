// What the ports of RM_IHPSG13_2P_512x32_c2_bm_bist do without its self-test, for simulation without IHP's files.
//
// A word that one port reads while the other writes it is unknown.
`default_nettype none

module RM_IHPSG13_2P_512x32_c2_bm_bist (
    input  wire A_CLK, A_MEN, A_WEN, A_REN, A_DLY,
    input  wire [8:0] A_ADDR,
    input  wire [31:0] A_DIN, A_BM,
    output reg  [31:0] A_DOUT,
    input  wire A_BIST_CLK, A_BIST_EN, A_BIST_MEN, A_BIST_WEN, A_BIST_REN,
    input  wire [8:0] A_BIST_ADDR,
    input  wire [31:0] A_BIST_DIN, A_BIST_BM,
    input  wire B_CLK, B_MEN, B_WEN, B_REN, B_DLY,
    input  wire [8:0] B_ADDR,
    input  wire [31:0] B_DIN, B_BM,
    output reg  [31:0] B_DOUT,
    input  wire B_BIST_CLK, B_BIST_EN, B_BIST_MEN, B_BIST_WEN, B_BIST_REN,
    input  wire [8:0] B_BIST_ADDR,
    input  wire [31:0] B_BIST_DIN, B_BIST_BM
);

    reg [31:0] word [0:511];

    wire a_writes = A_MEN & A_WEN;
    wire b_writes = B_MEN & B_WEN;
    wire same = A_ADDR == B_ADDR;

    always @(posedge A_CLK) begin
        if (a_writes) word[A_ADDR] <= (word[A_ADDR] & ~A_BM) | (A_DIN & A_BM);
        if (A_MEN & A_REN) A_DOUT <= (b_writes & same) ? {32{1'bx}} : word[A_ADDR];
    end

    always @(posedge B_CLK) begin
        if (b_writes) word[B_ADDR] <= (word[B_ADDR] & ~B_BM) | (B_DIN & B_BM);
        if (B_MEN & B_REN) B_DOUT <= (a_writes & same) ? {32{1'bx}} : word[B_ADDR];
    end

endmodule

`default_nettype wire
