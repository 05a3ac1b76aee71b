#[kernel]
impl Demo {
    fn update(&mut self) {
        self.sum.next = self.total.q.val() % 3;
        //~ `%`: no hardware for this operator: there are + - & | ^ ! << >> == != < <= > >= && ||
        self.sum.next = self.total.q.val().count_ones();
        //~ `count_ones()`: no hardware for `count_ones`: there are val, into, index, get_bit, replace_bit, any, all,
        //~   xor
        self.sum.next = self.total.d.next;
        //~ `next;`: `.next` is assigned only: read `.val()`
        self.sum.next = -self.total.q.val();
        //~ `-`: signals have no sign
        self.sum.next = largest(self.total.q.val());
        //~ `largest`: an expression calls `unsigned_cast` and `bit_cast_to`; for the rest, assign a `Local` signal
        self.sum.next = if self.flag.val() { self.total.q.val() } else { 0.into() };
        //~ `if`: no value of the hardware: assign a `Local` signal and read that
        self.sum.next = self.lane[self.total.q.val() & 3].val();
        //~ `self.total.q.val()`: this cannot stand in the name of a signal or in an index
        if let Some(step) = &self.step {
            self.sum.next = step;
            //~ `step`: read the part `step` by `.val()`
        }
        self.sum.next = a::LIMIT;
        self.sum.next = b::LIMIT;
        //~ `b`: two constants named `LIMIT`: import one under another name
    }

    fn pick(&mut self, lane: Value) {
        self.sum.next = self.lane[lane].val();
        //~ `lane]`: an argument that carries a value is no index
    }
}
