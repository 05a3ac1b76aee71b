#[kernel]
impl Demo {
    fn update(&mut self) {
        let next = self.total.q.val() + 1;
        //~ `self.total.q.val()`: `let` holds what is known at elaboration; for a value of the hardware, assign a
        //~   `Local` signal
        let (a, b) = (1, 2);
        //~ `(a,`: `let` names one number or part: `let last = self.lanes - 1;`
        self.sum = self.total.q.val();
        //~ `self.sum`: a signal is assigned by `signal.next = ..`
        self.lanes = 3;
        //~ `self.lanes`: a signal is assigned by `signal.next = ..`
        self.sum.next += 1;
        //~ `self.sum.next`: a signal is assigned by `signal.next = ..`: there is no `+=`
        while self.sum.val().any() {}
        //~ `while`: a kernel has assignments, `set`, `if`, `match`, `for`, `let`, calls of its functions, `link`,
        //~   `join`, `assert!`, `comment!`
        println!("{}", self.sum.val());
        //~ `println`: a kernel has assignments, `set`, `if`, `match`, `for`, `let`, calls of its functions, `link`,
        //~   `join`, `assert!`, `comment!`
        assert!(self.sum.val().any());
        //~ `assert`: a property is `assert!(condition, "what holds")`
        assert!(self.sum.val().any(), "half of it, or 50 %");
        //~ `"half`: the text is of 1 to 80 ASCII characters, without quotes, `\`, `%`, braces
        assert!(self.sum.val().count_ones() == 1, "one bit is set");
        //~ `count_ones`: no hardware for `count_ones`: there are val, into, index, get_bit, replace_bit, any, all, xor
        comment!(3);
        //~ `3`: expected string literal
        for i in 0..=3 {}
        //~ `0..`: a loop runs over a range, `a..b`
        for lane in &mut self.lanes {}
        //~ `&`: a loop runs over a range, `a..b`
        for (i, j) in 0..3 {}
        //~ `(i,`: the index of a loop is a name
        for i in 0..self.sum.val().index() {}
        //~ `self.sum.val()`: a bound of a loop is known at elaboration: loop over all, and write `if` inside
    }
}
