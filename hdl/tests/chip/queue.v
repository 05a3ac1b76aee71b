
    // Of each queue: the pointers are as far apart as it has entries, and no more are pushed than there is room for.
    always @* if (~reset) begin
        assert (count_q <= 4 & count_q[1:0] == write_pointer_q - read_pointer_q);
        assert (~valid_q | count_q != 0);
    end
