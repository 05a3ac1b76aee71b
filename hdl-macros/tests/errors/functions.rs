#[kernel]
impl Demo {
    fn update(&mut self) {
        self.add(3.5);
        helper(self.sum.val());
        //~ `helper`: a kernel calls its own functions, `self.step(..)` or `Self::step(..)`, or those of shared steps,
        //~   `Steps::step(..)`
        self.count(self.sum.val());
        //~ `self.sum.val()`: a `usize` argument is known at elaboration; an argument that carries a value is a `Value`
        //~   or `bool`
        for i in 0..4 {
            self.count(i + 1);
            //~ `i`: name the number first: `let next = i + 1;`
        }
        Self::reset(&mut self.stage[self.sum.val()]);
        //~ `&`: which part is meant is known at elaboration: it cannot be chosen by a signal
        self.a.link();
        //~ `self.a.link()`: `link` and `join` take the other end
    }

    fn add(&mut self, by: f64) {}
    //~ `f64`: an argument is a `usize`, a `bool`, a `Value`, or a reference to a part of the block

    fn count(&mut self, (i, j): usize) {}
    //~ `(i,`: an argument is a name

    fn sum(&self) -> Value {
        //~ `Value`: a function of a kernel returns nothing: assign a `Local` signal
    }
}
