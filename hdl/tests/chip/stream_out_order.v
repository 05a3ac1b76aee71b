
    // Behind stream_out.v: the payload of each VC leaves in the order in which it came, and packets never mix. Shown
    // for one payload flit: its VC, and its number among those of the VC, are what `tx_flit` is during reset.

    reg watched_vc;
    reg [3:0] watched;
    always @(posedge clock) if (~running) {watched_vc, watched} <= tx_flit[4:0];

    // The watched flit, and whether the last byte of its packet is padding.
    reg seen = 0;
    reg last, padded;
    reg [15:0] data;

    // The first flit of a packet is its header.
    reg in_payload = 0, pads;
    reg [3:0] came = 0, went = 0;
    wire comes = tx_valid & (tx_vc == watched_vc);
    wire goes = tvalid & (tid == watched_vc) & (|tkeep);
    always @(posedge clock) if (running) begin
        if (comes) begin
            in_payload <= ~tx_tail;
            if (~in_payload) pads <= tx_flit[4];
        end
        if (comes & in_payload) begin
            came <= came + 1;
            if (came == watched) begin
                seen <= 1;
                last <= tx_tail;
                padded <= pads;
                data <= tx_flit;
            end
        end
        if (goes & tready) went <= went + 1;
    end
    always @* if (running & goes & went == watched)
        assert (seen & tdata == data & tlast == last & tkeep == {~(last & padded), 1'b1});

    // Beats of a packet follow each other.
    reg open = 0, open_id;
    always @(posedge clock) if (running & tvalid & tready) begin
        open <= ~tlast;
        open_id <= tid;
    end
    always @* if (running & tvalid & open) assert (tid == open_id);
