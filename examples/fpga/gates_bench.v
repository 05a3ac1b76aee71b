// A netlist against the Verilog it was made of: the same inputs, and the outputs compared in every cycle.
//
// The macros SWITCH and NETLIST name the two modules, CYCLES says how long. A bit that is unknown in the Verilog may be
// anything in the netlist.
`timescale 1ns / 1ps

module gates_bench;

    localparam PORTS = 2, CREDIT_BITS = 5, TAG_BITS = 4;

    reg clock = 0, reset = 1;
    wire failed;
    wire [PORTS-1:0] arrived;

    self_test #(.PORTS(PORTS), .CREDIT_BITS(CREDIT_BITS), .TAG_BITS(TAG_BITS)) rtl (clock, reset, failed, arrived);

    wire [PORTS-1:0] rx_credit_valid, tx_valid, tx_vc, tx_head, tx_tail, lookup_hit, lookup_miss, drop_valid;
    wire [PORTS*CREDIT_BITS-1:0] rx_credit;
    wire [PORTS*32-1:0] tx_flit;
    wire cam_request_valid, error_cam;
    wire [TAG_BITS-1:0] cam_request_tag;
    wire [15:0] cam_request_address;
    wire [PORTS*16-1:0] drop_count;
    wire [PORTS-1:0] error_vc, error_framing, error_overflow, error_length, error_credit;

    `NETLIST gates (
        .clock(clock), .reset(reset), .error_clear(1'b0),
        .rx_valid(rtl.rx_valid), .rx_vc({PORTS{1'b0}}), .rx_head(rtl.rx_head), .rx_tail(rtl.rx_tail),
        .rx_flit(rtl.rx_flit), .rx_credit_valid(rx_credit_valid), .rx_credit(rx_credit),
        .tx_valid(tx_valid), .tx_vc(tx_vc), .tx_head(tx_head), .tx_tail(tx_tail), .tx_flit(tx_flit),
        .tx_credit_valid(rtl.tx_credit_valid), .tx_credit(rtl.tx_credit),
        .cam_request_valid(cam_request_valid), .cam_request_ready(rtl.cam_request_ready),
        .cam_request_tag(cam_request_tag), .cam_request_address(cam_request_address),
        .cam_response_valid(rtl.cam_response_valid), .cam_response_tag(rtl.cam_response_tag),
        .cam_response_hit(rtl.cam_response_hit), .cam_response_port(rtl.cam_response_port),
        .lookup_hit(lookup_hit), .lookup_miss(lookup_miss), .drop_valid(drop_valid), .drop_count(drop_count),
        .error_vc(error_vc), .error_framing(error_framing), .error_overflow(error_overflow),
        .error_length(error_length), .error_credit(error_credit), .error_cam(error_cam)
    );

    wire [255:0] wanted = {
        rtl.rx_credit_valid, rtl.rx_credit, rtl.tx_valid, rtl.tx_vc, rtl.tx_head, rtl.tx_tail, rtl.tx_flit,
        rtl.cam_request_valid, rtl.cam_request_tag, rtl.cam_request_address, rtl.lookup_hit, rtl.lookup_miss,
        rtl.drop_valid, rtl.drop_count, rtl.error_vc, rtl.error_framing, rtl.error_overflow, rtl.error_length,
        rtl.error_credit, rtl.error_cam
    };
    wire [255:0] found = {
        rx_credit_valid, rx_credit, tx_valid, tx_vc, tx_head, tx_tail, tx_flit,
        cam_request_valid, cam_request_tag, cam_request_address, lookup_hit, lookup_miss,
        drop_valid, drop_count, error_vc, error_framing, error_overflow, error_length,
        error_credit, error_cam
    };
    integer cycle, bit_number, packets = 0;

    initial begin
        for (cycle = 0; cycle < `CYCLES; cycle = cycle + 1) begin
            if (cycle == 4) reset = 0;
            #5;
            if (!reset) begin
                packets = packets + arrived[0] + arrived[1];
                // Bit by bit only where the whole differs, unknown bits included.
                for (bit_number = 0; wanted !== found && bit_number < 256; bit_number = bit_number + 1) begin
                    if (wanted[bit_number] !== 1'bx && wanted[bit_number] !== found[bit_number]) begin
                        $display("MISMATCH in cycle %0d: bit %0d of the outputs is %b, and %b in the netlist", cycle,
                            bit_number, wanted[bit_number], found[bit_number]);
                        $finish;
                        #1;
                    end
                end
            end
            clock = 1;
            #5 clock = 0;
        end
        if (failed || packets == 0) $display("MISMATCH: the switch failed its test, or no packet arrived");
        else $display("equal in %0d cycles; %0d packets", cycle, packets);
        $finish;
    end

endmodule
