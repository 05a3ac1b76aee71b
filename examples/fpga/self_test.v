// A switch that tests itself: sources, sinks and a CAM around it. The macro SWITCH names its top module.
//
// The switch has one VC, flits of 32 bits, absolute credits, and routes by table, with a cache and an external CAM for
// addresses of 16 bits.
`default_nettype none

module self_test #(
    parameter PORTS = 2,
    parameter MAX_FLITS = 4,
    parameter DEPTH = 8,
    parameter CREDIT_BITS = 5,
    parameter TAG_BITS = 4
) (
    input  wire clock,
    input  wire reset,
    output reg  failed, // stays 1 after the first error
    output wire [PORTS-1:0] arrived // a packet was complete at this port
);

    localparam PORT_BITS = $clog2(PORTS);

    wire [PORTS-1:0] rx_valid, rx_head, rx_tail, rx_credit_valid;
    wire [PORTS*32-1:0] rx_flit;
    wire [PORTS*CREDIT_BITS-1:0] rx_credit;
    wire [PORTS-1:0] tx_valid, tx_vc, tx_head, tx_tail, tx_credit_valid;
    wire [PORTS*32-1:0] tx_flit;
    wire [PORTS*CREDIT_BITS-1:0] tx_credit;
    wire cam_request_valid, cam_request_ready, cam_response_valid, cam_response_hit;
    wire [TAG_BITS-1:0] cam_request_tag, cam_response_tag;
    wire [15:0] cam_request_address;
    wire [PORT_BITS-1:0] cam_response_port;
    wire [PORTS-1:0] lookup_hit, lookup_miss, drop_valid;
    wire [PORTS*16-1:0] drop_count;
    wire [PORTS-1:0] error_vc, error_framing, error_overflow, error_length, error_credit;
    wire error_cam;
    wire [PORTS-1:0] wrong;
    reg [PORT_BITS:0] written; // entries of the CAM

    wire enable = written == PORTS;
    wire [PORTS-1:0] errors = error_vc | error_framing | error_overflow | error_length | error_credit | wrong;

    always @(posedge clock) begin
        if (reset) begin
            written <= 0;
            failed <= 1'b0;
        end else begin
            if (!enable) written <= written + 1'b1;
            if (errors != 0 || error_cam) failed <= 1'b1;
        end
    end

    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : port
            link_source #(
                .NUMBER(p), .PORTS(PORTS), .MAX_FLITS(MAX_FLITS), .DEPTH(DEPTH), .CREDIT_BITS(CREDIT_BITS)
            ) source (
                .clock(clock), .reset(reset), .enable(enable),
                .credit_valid(rx_credit_valid[p]), .credit(rx_credit[p * CREDIT_BITS +: CREDIT_BITS]),
                .valid(rx_valid[p]), .head(rx_head[p]), .tail(rx_tail[p]), .flit(rx_flit[p * 32 +: 32])
            );
            link_sink #(.NUMBER(p), .PORTS(PORTS), .CREDIT_BITS(CREDIT_BITS)) sink (
                .clock(clock), .reset(reset),
                .valid(tx_valid[p]), .head(tx_head[p]), .tail(tx_tail[p]), .flit(tx_flit[p * 32 +: 32]),
                .credit_valid(tx_credit_valid[p]), .credit(tx_credit[p * CREDIT_BITS +: CREDIT_BITS]),
                .failed(wrong[p]), .arrived(arrived[p])
            );
        end
    endgenerate

    cam #(.ENTRIES(PORTS), .PORT_BITS(PORT_BITS), .TAG_BITS(TAG_BITS)) cam_0 (
        .clock(clock), .reset(reset),
        .write(!enable), .write_entry(written[PORT_BITS-1:0]),
        .write_address({{(16 - PORT_BITS){1'b0}}, written[PORT_BITS-1:0]}), .write_port(written[PORT_BITS-1:0]),
        .request_valid(cam_request_valid), .request_ready(cam_request_ready),
        .request_tag(cam_request_tag), .request_address(cam_request_address),
        .response_valid(cam_response_valid), .response_tag(cam_response_tag),
        .response_hit(cam_response_hit), .response_port(cam_response_port)
    );

    `SWITCH switch_0 (
        .clock(clock), .reset(reset), .error_clear(1'b0),
        .rx_valid(rx_valid), .rx_vc({PORTS{1'b0}}), .rx_head(rx_head), .rx_tail(rx_tail), .rx_flit(rx_flit),
        .rx_credit_valid(rx_credit_valid), .rx_credit(rx_credit),
        .tx_valid(tx_valid), .tx_vc(tx_vc), .tx_head(tx_head), .tx_tail(tx_tail), .tx_flit(tx_flit),
        .tx_credit_valid(tx_credit_valid), .tx_credit(tx_credit),
        .cam_request_valid(cam_request_valid), .cam_request_ready(cam_request_ready),
        .cam_request_tag(cam_request_tag), .cam_request_address(cam_request_address),
        .cam_response_valid(cam_response_valid), .cam_response_tag(cam_response_tag),
        .cam_response_hit(cam_response_hit), .cam_response_port(cam_response_port),
        .lookup_hit(lookup_hit), .lookup_miss(lookup_miss), .drop_valid(drop_valid), .drop_count(drop_count),
        .error_vc(error_vc), .error_framing(error_framing), .error_overflow(error_overflow),
        .error_length(error_length), .error_credit(error_credit), .error_cam(error_cam)
    );

endmodule

`default_nettype wire
