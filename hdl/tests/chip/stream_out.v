
    // Proved: a sender that keeps to its credit never fills a buffer, and a beat stays until it is taken.

    reg running = 0;
    always @(posedge clock) running <= 1;
    always @* assume (reset == ~running);

    // The sender: flits sent of each VC, and the last report of those freed.
    reg [3:0] sent0, sent1, freed0, freed1;
    wire [3:0] ahead0 = sent0 - freed0, ahead1 = sent1 - freed1;
    always @(posedge clock)
        if (reset) begin
            sent0 <= 0; sent1 <= 0; freed0 <= 0; freed1 <= 0;
        end else begin
            sent0 <= sent0 + (tx_valid & ~tx_vc);
            sent1 <= sent1 + (tx_valid & tx_vc);
            if (tx_credit_valid[0]) freed0 <= tx_credit[3:0];
            if (tx_credit_valid[1]) freed1 <= tx_credit[7:4];
        end
    always @* assume (~tx_valid | ((tx_vc ? ahead1 : ahead0) < 4));

    // Credit is within the depth of 4. A flit that was sent is stored, or it is freed and reported.
    always @* if (running) begin
        assert (ahead0 <= 4 & freed0 + tx_credit_valid[0] == tx_credit[3:0]);
        assert (ahead1 <= 4 & freed1 + tx_credit_valid[1] == tx_credit[7:4]);
        assert (sent0 - tx_credit[3:0] == buffer_stored_unused[2:0]);
        assert (sent1 - tx_credit[7:4] == buffer_stored_unused[5:3]);
        assert (~busy_q | owner_q == 1 | owner_q == 2);
    end

    // A beat stays as it is until it is taken.
    reg waits = 0;
    reg [20:0] was;
    always @(posedge clock) begin
        waits <= running & tvalid & ~tready;
        was <= {tvalid, tlast, tid, tdata, tkeep};
    end
    always @* if (running & waits) assert (was == {tvalid, tlast, tid, tdata, tkeep});
