// A small CAM for the pins `cam_*` of a switch: all entries are compared at once.
//
// An answer comes two cycles after its request, and a request is accepted in every cycle. An entry that is written in
// cycle t counts for requests from cycle t + 1 on.
`default_nettype none

module cam #(
    parameter ENTRIES = 8,
    parameter ADDRESS_BITS = 16,
    parameter PORT_BITS = 1,
    parameter TAG_BITS = 4
) (
    input  wire clock,
    input  wire reset,
    input  wire write,
    input  wire [$clog2(ENTRIES)-1:0] write_entry,
    input  wire [ADDRESS_BITS-1:0] write_address,
    input  wire [PORT_BITS-1:0] write_port,
    input  wire request_valid,
    output wire request_ready,
    input  wire [TAG_BITS-1:0] request_tag,
    input  wire [ADDRESS_BITS-1:0] request_address,
    output reg  response_valid,
    output reg  [TAG_BITS-1:0] response_tag,
    output reg  response_hit,
    output reg  [PORT_BITS-1:0] response_port
);

    reg [ENTRIES-1:0] used;
    reg [ADDRESS_BITS-1:0] address [0:ENTRIES-1];
    reg [PORT_BITS-1:0] port [0:ENTRIES-1];
    reg compared; // a request was compared
    reg [TAG_BITS-1:0] compared_tag;
    reg [ENTRIES-1:0] match;
    reg [PORT_BITS-1:0] found;
    integer entry;

    assign request_ready = 1'b1;

    always @* begin
        found = 0;
        for (entry = 0; entry < ENTRIES; entry = entry + 1) found = found | (match[entry] ? port[entry] : 0);
    end

    always @(posedge clock) begin
        for (entry = 0; entry < ENTRIES; entry = entry + 1) begin
            match[entry] <= used[entry] && address[entry] == request_address;
        end
        compared_tag <= request_tag;
        response_tag <= compared_tag;
        response_hit <= |match;
        response_port <= found;
        if (write) begin
            address[write_entry] <= write_address;
            port[write_entry] <= write_port;
        end
        if (reset) begin
            used <= 0;
            compared <= 1'b0;
            response_valid <= 1'b0;
        end else begin
            if (write) used[write_entry] <= 1'b1;
            compared <= request_valid;
            response_valid <= compared;
        end
    end

endmodule

`default_nettype wire
