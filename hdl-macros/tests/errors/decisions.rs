#[kernel]
impl Demo {
    fn update(&mut self) {
        if let Some(x) = self.total.q.val().checked() {
            //~ `self.total.q.val()`: `if let` is decided at elaboration: it looks into an `Option` field, not at a
            //~   value of the hardware
            self.sum.next = x.val();
        }
        if let [x] = &self.stage {
            //~ `[x]`: a pattern of a kernel is `Some(name)`, `None`, a name, a constant, `_`, or a tuple of these
        }
        match &self.step {
            Some(step) if step.val().any() => {}
            //~ `step.val()`: this `match` is decided at elaboration, so its guards are too
            _ => {}
        }
        match self.total.q.val().index() {
            0 if self.flag => {}
            //~ `self.flag`: an arm has no guard in hardware: write `if` inside
            _ => {}
        }
        match self.total.q.val().index() {
            1..=3 => {}
            //~ `1..=3`: an arm is a number, a constant or `_`
            IDLE => {}
            _ => {}
        }
    }
}
