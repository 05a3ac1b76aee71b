// Takes packets of `link_source`, checks them, and gives the credits back after a while.
//
// `failed` stays 1 after a flit at a wrong port, a packet out of its order, or a flit that is not what was sent.
`default_nettype none

module link_sink #(
    parameter NUMBER = 0,
    parameter PORTS = 2,
    parameter CREDIT_BITS = 5
) (
    input  wire clock,
    input  wire reset,
    input  wire valid,
    input  wire head,
    input  wire tail,
    input  wire [31:0] flit,
    output reg  credit_valid,
    output reg  [CREDIT_BITS-1:0] credit,
    output reg  failed,
    output reg  arrived // a packet was complete
);

    reg [7:0] numbers [0:PORTS-1]; // of the next packet from each port
    reg open;
    reg [3:0] source;
    reg [7:0] number;
    reg [3:0] place; // of the next flit
    reg [CREDIT_BITS-1:0] stored; // flits whose credit was not given back
    reg [15:0] chance;

    wire give = stored != 0 && chance[1:0] != 2'd0;
    wire [3:0] from = flit[31:28];
    wire [15:0] word = {source, number, place};
    wire head_is_right = from < PORTS && flit[27:20] == numbers[from] && flit[19:16] == 4'd0 && flit[15:0] == NUMBER;
    integer i;

    always @(posedge clock) begin
        if (reset) begin
            for (i = 0; i < PORTS; i = i + 1) numbers[i] <= 8'd0;
            open <= 1'b0;
            stored <= 0;
            chance <= 16'hACE1 + NUMBER;
            credit_valid <= 1'b0;
            credit <= 0;
            failed <= 1'b0;
            arrived <= 1'b0;
        end else begin
            chance <= {chance[14:0], chance[15] ^ chance[13] ^ chance[12] ^ chance[10]};
            stored <= stored + valid - give;
            credit_valid <= give;
            if (give) credit <= credit + 1'b1;
            arrived <= valid && tail;
            if (valid) begin
                open <= !tail;
                place <= head ? 4'd1 : place + 1'b1;
                if (head) begin
                    source <= from;
                    number <= flit[27:20];
                    numbers[from] <= flit[27:20] + 1'b1;
                end
                if (head ? open || !head_is_right : !open || flit != {word, ~word}) failed <= 1'b1;
            end
        end
    end

endmodule

`default_nettype wire
