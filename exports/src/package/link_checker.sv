module link_checker #(
    parameter PORTS = 1,
    parameter VCS = 1, // of packets
    parameter VC_BITS = 1,
    parameter DEPTH = 8, // flits of a VC's buffer behind the link
    parameter MAX_FLITS = 4,
    parameter CREDIT_BITS = 5,
    parameter ABSOLUTE = 1, // a credit report is a running total
    parameter MESSAGES = 0 // barrier messages on VC number VCS, without credit
) (
    input wire clock,
    input wire reset, // active high
    input wire [PORTS-1:0] valid,
    input wire [PORTS*VC_BITS-1:0] vc,
    input wire [PORTS-1:0] head,
    input wire [PORTS-1:0] tail,
    input wire [PORTS*VCS-1:0] credit_valid,
    input wire [PORTS*VCS*CREDIT_BITS-1:0] credit
);

    localparam TOTALS = 1 << CREDIT_BITS;

    genvar p, v;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : port
            wire [31:0] at = {{(32 - VC_BITS){1'b0}}, vc[p * VC_BITS +: VC_BITS]};
            wire message = MESSAGES != 0 && at == VCS;

            always @(posedge clock) begin
                if (!reset) begin
                    assert (valid[p] === 1'b0 || valid[p] === 1'b1)
                    else $error("port %0d: valid is unknown", p);
                end
                if (!reset && valid[p]) begin
                    assert (at < VCS || message)
                    else $error("port %0d: a flit on VC %0d, which does not exist", p, at);
                    assert (!message || head[p] && tail[p])
                    else $error("port %0d: a barrier message of more than one flit", p);
                end
            end

            for (v = 0; v < VCS; v = v + 1) begin : channel
                wire flit = valid[p] && at == v;
                wire report = credit_valid[p * VCS + v];
                wire [31:0] value = {{(32 - CREDIT_BITS){1'b0}}, credit[(p * VCS + v) * CREDIT_BITS +: CREDIT_BITS]};
                reg [31:0] length; // flits of the open packet; 0: none is open
                reg [31:0] stored; // flits sent and not yet freed
                reg [31:0] total; // of the last report
                wire [31:0] difference = ABSOLUTE != 0 ? (value - total) & (TOTALS - 1) : value;
                wire [31:0] freed = report ? difference : 0;

                always @(posedge clock) begin
                    if (reset) begin
                        length <= 0;
                        stored <= 0;
                        total <= 0;
                    end else begin
                        length <= !flit ? length : tail[p] ? 0 : length + 1;
                        stored <= stored - freed + (flit ? 1 : 0);
                        if (report) total <= value;
                        assert (report === 1'b0 || report === 1'b1)
                        else $error("port %0d VC %0d: valid of the credit report is unknown", p, v);
                        assert (freed <= stored)
                        else $error("port %0d VC %0d: a credit report frees %0d flits of %0d", p, v, freed, stored);
                        if (flit) begin
                            assert (head[p] == (length == 0))
                            else $error("port %0d VC %0d: a head inside of a packet, or a flit outside of one", p, v);
                            assert (length < MAX_FLITS)
                            else $error("port %0d VC %0d: a packet of more than %0d flits", p, v, MAX_FLITS);
                            assert (stored - freed < DEPTH)
                            else $error("port %0d VC %0d: a flit without credit", p, v);
                        end
                    end
                end
            end
        end
    endgenerate

endmodule
