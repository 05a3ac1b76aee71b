
    // A switch that frees flits after they arrived, and may report late: no more are inside than it has room for,
    // packets enter whole, and none is lost.

    reg running = 0;
    always @(posedge clock) running <= 1;
    always @* assume (reset == ~running);

    // Flits that arrived and were freed, of each VC.
    reg [3:0] arrived0, arrived1, freed0, freed1;
    wire [3:0] inside0 = arrived0 - freed0, inside1 = arrived1 - freed1;
    wire [3:0] more0 = rx_credit[3:0] - freed0, more1 = rx_credit[7:4] - freed1;
    always @* assume (~rx_credit_valid[0] | more0 <= inside0);
    always @* assume (~rx_credit_valid[1] | more1 <= inside1);
    always @(posedge clock)
        if (reset) begin
            arrived0 <= 0; arrived1 <= 0; freed0 <= 0; freed1 <= 0;
        end else begin
            arrived0 <= arrived0 + (rx_valid & ~rx_vc);
            arrived1 <= arrived1 + (rx_valid & rx_vc);
            if (rx_credit_valid[0]) freed0 <= rx_credit[3:0];
            if (rx_credit_valid[1]) freed1 <= rx_credit[7:4];
        end
    always @* if (running) begin
        assert (inside0 + (rx_valid & ~rx_vc) <= 4);
        assert (inside1 + (rx_valid & rx_vc) <= 4);
    end

    // A head, then flits up to a tail, all of one VC.
    reg open = 0, open_vc;
    always @(posedge clock)
        if (running & rx_valid) begin
            open <= ~rx_tail;
            open_vc <= rx_vc;
        end
    always @* if (running & rx_valid) assert (rx_head == ~open & (~open | rx_vc == open_vc));

    // While no packet waits, as many have entered the switch as good ones have come.
    reg [3:0] good = 0, left = 0;
    always @(posedge clock) if (running) begin
        good <= good + (take & tlast & ~bad);
        left <= left + (rx_valid & rx_tail);
    end
    always @* if (running & packets_stored == 0 & ~rx_valid) assert (good == left);
