
    // Packets leave in the order in which they came, and with what came, whatever credit is reported. Shown for one
    // good packet: its number among the good ones is what `tdata` is during reset.

    reg running = 0;
    always @(posedge clock) running <= 1;
    always @* assume (reset == ~running);

    reg [3:0] watched;
    always @(posedge clock) if (~running) watched <= tdata[3:0];

    // What came first of the packet that comes.
    reg [15:0] first_beat;
    reg [3:0] first_destination;
    reg first_id;
    wire [15:0] beat = first_q ? tdata : first_beat;
    wire [3:0] to = first_q ? tdest : first_destination;
    wire id = first_q ? tid : first_id;

    // The watched packet: one beat, or two.
    reg seen = 0;
    reg has_two, on, short;
    reg [3:0] destination;
    reg [15:0] beat0, beat1;

    reg [3:0] came = 0, went = 0;
    reg [1:0] place = 0;
    always @(posedge clock) if (running) begin
        if (take & first_q) begin
            first_beat <= tdata;
            first_destination <= tdest;
            first_id <= tid;
        end
        if (take & tlast & ~bad) begin
            came <= came + 1;
            if (came == watched) begin
                seen <= 1;
                has_two <= ~first_q;
                on <= id;
                short <= ~tkeep[1];
                destination <= to;
                beat0 <= beat;
                beat1 <= tdata;
            end
        end
        if (rx_valid) begin
            place <= rx_tail ? 0 : place + 1;
            went <= went + rx_tail;
        end
    end

    // Header, and one payload flit or two.
    always @* if (running & rx_valid & went == watched) begin
        assert (seen & rx_vc == on & rx_head == (place == 0) & rx_tail == (place == 1 + has_two));
        assert (place != 0 | rx_flit == {11'd0, short, destination});
        assert (place != 1 | rx_flit == beat0);
        assert (place != 2 | rx_flit == beat1);
    end
