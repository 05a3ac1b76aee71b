
    // Behind stream_out.v: while nothing is stored, as many packets have ended at the stream as at the switch.
    reg [3:0] ended = 0, taken = 0;
    always @(posedge clock) if (running) begin
        ended <= ended + (tx_valid & tx_tail);
        taken <= taken + (tvalid & tready & tlast);
    end
    always @* if (running & buffer_stored_unused == 0) assert (ended == taken);
