// A switch that tests itself: whether an unknown value comes to a pin while the pin has a meaning.
`timescale 1ns / 1ps
module unknown_bench #(parameter DEPTH = 32, parameter CREDIT_BITS = 7);
    reg clock = 0, reset = 1;
    wire failed;
    wire [1:0] arrived;
    integer cycle, packets = 0;

    self_test #(.DEPTH(DEPTH), .CREDIT_BITS(CREDIT_BITS)) test (clock, reset, failed, arrived);

    wire [47:0] pins = {
        failed, arrived, test.errors, test.error_cam, test.tx_valid, test.rx_credit_valid, test.cam_request_valid,
        test.lookup_hit, test.lookup_miss, test.drop_valid, test.tx_valid & test.tx_head, test.tx_valid & test.tx_tail,
        test.tx_valid & {^test.tx_flit[63:32], ^test.tx_flit[31:0]}, test.cam_request_valid & ^test.cam_request_address
    };

    initial begin
        for (cycle = 0; cycle < 3000; cycle = cycle + 1) begin
            if (cycle == 4) reset = 0;
            #5 if (cycle > 5) begin
                if (^pins === 1'bx) begin
                    $display("UNKNOWN in cycle %0d", cycle);
                    $finish;
                    #1;
                end
                packets = packets + arrived[0] + arrived[1];
            end
            clock = 1;
            #5 clock = 0;
        end
        $display("failed %b, %0d packets", failed, packets);
        $finish;
    end
endmodule
