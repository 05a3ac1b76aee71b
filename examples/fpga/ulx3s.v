// The switch that tests itself on a ULX3S board with an ECP5.
//
// LED 0 to 3: a packet has just been complete at that port. LED 6: a flit was lost, damaged or in the wrong place; the
// button `fire 2` begins anew. LED 7 blinks.
`default_nettype none

module ulx3s (
    input  wire clk_25mhz,
    input  wire fire2,
    output wire [7:0] led,
    output wire wifi_gpio0 // 1 keeps the board's other processor from taking over
);

    reg [25:0] count = 26'd0;
    reg [1:0] pressed = 2'b11;
    reg reset = 1'b1;
    reg [3:0] seen = 4'd0; // ports at which a packet came in this period
    reg [3:0] shown = 4'd0;
    wire failed;
    wire [3:0] arrived;

    assign led = {count[23], failed, 2'b00, shown};
    assign wifi_gpio0 = 1'b1;

    always @(posedge clk_25mhz) begin
        count <= count + 1'b1;
        pressed <= {pressed[0], fire2};
        reset <= pressed[1] || count[25:4] == 22'd0;
        seen <= count[9:0] == 10'd0 ? arrived : seen | arrived;
        if (count[9:0] == 10'd0) shown <= seen;
    end

    self_test #(.PORTS(4), .MAX_FLITS(4), .DEPTH(16), .CREDIT_BITS(`CREDIT_BITS), .TAG_BITS(`TAG_BITS)) test (
        .clock(clk_25mhz),
        .reset(reset),
        .failed(failed),
        .arrived(arrived)
    );

endmodule

`default_nettype wire
