// Sends packets to ports by chance, with absolute credits; for flits of 32 bits and addresses of 16 bits.
//
// A packet is begun with credit for the longest one. Address `PORTS` has no route: some packets go there, and the switch
// drops them. A flit names its source, the packet's number among those to the same port, and its place in the packet.
`default_nettype none

module link_source #(
    parameter NUMBER = 0,
    parameter PORTS = 2, // a power of two, at most 16
    parameter MAX_FLITS = 4, // a power of two, at most 16
    parameter DEPTH = 8, // of the buffer behind the link
    parameter CREDIT_BITS = 5
) (
    input  wire clock,
    input  wire reset,
    input  wire enable,
    input  wire credit_valid,
    input  wire [CREDIT_BITS-1:0] credit,
    output reg  valid,
    output reg  head,
    output reg  tail,
    output reg  [31:0] flit
);

    localparam PORT_BITS = $clog2(PORTS);
    localparam LENGTH_BITS = $clog2(MAX_FLITS);

    reg [31:0] chance; // shift register with feedback: x^32 + x^22 + x^2 + x + 1
    reg [CREDIT_BITS-1:0] sent; // flits, modulo the width
    reg [CREDIT_BITS-1:0] freed;
    reg [7:0] numbers [0:PORTS-1]; // of the next packet to each port
    reg open; // a packet is under way
    reg [3:0] place; // of the next flit
    reg [3:0] last; // place of the last flit
    reg [7:0] number;

    wire [CREDIT_BITS-1:0] stored = sent - freed;
    wire start = enable && !open && stored <= DEPTH - MAX_FLITS && chance[0];
    wire [PORT_BITS-1:0] port = chance[8 +: PORT_BITS];
    wire lost = chance[19:16] == 4'd0;
    wire [3:0] length = chance[24 +: LENGTH_BITS];
    wire [7:0] next_number = numbers[port];
    wire [3:0] source = NUMBER;
    wire [15:0] address = lost ? PORTS : port;
    integer i;

    always @(posedge clock) begin
        if (reset) begin
            chance <= 32'h2545F491 + NUMBER * 32'h9E3779B9;
            sent <= 0;
            freed <= 0;
            open <= 1'b0;
            valid <= 1'b0;
            for (i = 0; i < PORTS; i = i + 1) numbers[i] <= 8'd0;
        end else begin
            chance <= {chance[30:0], 1'b0} ^ (chance[31] ? 32'h00400007 : 32'd0);
            if (credit_valid) freed <= credit;
            valid <= start || open;
            head <= start;
            tail <= start ? length == 0 : place == last;
            flit <= start ? {source, next_number, 4'd0, address} : {source, number, place, ~{source, number, place}};
            if (start || open) sent <= sent + 1'b1;
            if (start) begin
                open <= length != 0;
                place <= 4'd1;
                last <= length;
                number <= next_number;
                if (!lost) numbers[port] <= next_number + 1'b1;
            end else if (open) begin
                open <= place != last;
                place <= place + 1'b1;
            end
        end
    end

endmodule

`default_nettype wire
