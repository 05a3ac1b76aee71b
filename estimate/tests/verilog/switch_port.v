// A small switch port, written by hand: four queues in memory, a round-robin arbiter, an output register.
`default_nettype none
module small_switch (
    input  wire         clock,
    input  wire         reset,
    input  wire [3:0]   push,
    input  wire [263:0] flit,
    input  wire         ready,
    output wire [3:0]   grant,
    output reg  [65:0]  out_flit
);
  wire [263:0] heads;
  wire [3:0]   empty;
  genvar i;
  generate
    for (i = 0; i < 4; i = i + 1) begin : queues
      queue queue (.clock(clock), .reset(reset), .push(push[i]), .push_data(flit[i*66 +: 66]), .pop(grant[i]),
                   .head(heads[i*66 +: 66]), .empty(empty[i]));
    end
  endgenerate
  arbiter arbiter (.clock(clock), .reset(reset), .request(~empty), .take(ready), .grant(grant));
  integer j;
  reg [65:0] selected;
  always @* begin
    selected = 66'd0;
    for (j = 0; j < 4; j = j + 1) selected = selected | ({66{grant[j]}} & heads[j*66 +: 66]);
  end
  always @(posedge clock) out_flit <= selected;
endmodule

module arbiter (input wire clock, input wire reset, input wire [3:0] request, input wire take, output wire [3:0] grant);
  reg [3:0] mask;
  wire [3:0] high = request & mask;
  wire [3:0] first_high = high & (~high + 4'd1);
  wire [3:0] first_any = request & (~request + 4'd1);
  assign grant = take ? ((|high) ? first_high : first_any) : 4'd0;
  always @(posedge clock)
    if (reset) mask <= 4'd0;
    else if (|grant) mask <= ~(grant | (grant - 4'd1));
endmodule

module queue (input wire clock, input wire reset, input wire push, input wire [65:0] push_data, input wire pop,
              output wire [65:0] head, output wire empty);
  reg [4:0] write_pointer, read_pointer;
  reg [5:0] count;
  assign empty = count == 6'd0;
  wire [4:0] next_read = read_pointer + {4'd0, pop};
  ram_1r1w_32x66 words (.clock(clock), .write_enable(push), .write_address(write_pointer), .write_data(push_data),
                        .read_enable(1'b1), .read_address(next_read), .read_data(head));
  wire [3:0] tag;
  ram_1r1w_4x4 tags (.clock(clock), .write_enable(push), .write_address(write_pointer[1:0]), .write_data(push_data[3:0]),
                     .read_enable(1'b1), .read_address(next_read[1:0]), .read_data(tag));
  always @(posedge clock)
    if (reset) begin
      write_pointer <= 5'd0;
      read_pointer <= 5'd0;
      count <= 6'd0;
    end else begin
      write_pointer <= write_pointer + {4'd0, push};
      read_pointer <= next_read;
      count <= count + {5'd0, push} - {5'd0, pop} + {5'd0, tag == 4'hf};
    end
endmodule

module ram_1r1w_32x66 (input wire clock, input wire write_enable, input wire [4:0] write_address, input wire [65:0] write_data,
                       input wire read_enable, input wire [4:0] read_address, output reg [65:0] read_data);
  reg [65:0] words [0:31];
  always @(posedge clock) begin
    if (write_enable) words[write_address] <= write_data;
    if (read_enable) read_data <= words[read_address];
  end
endmodule

module ram_1r1w_4x4 (input wire clock, input wire write_enable, input wire [1:0] write_address, input wire [3:0] write_data,
                     input wire read_enable, input wire [1:0] read_address, output reg [3:0] read_data);
  reg [3:0] words [0:3];
  always @(posedge clock) begin
    if (write_enable) words[write_address] <= write_data;
    if (read_enable) read_data <= words[read_address];
  end
endmodule
