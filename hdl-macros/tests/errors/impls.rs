#[kernel]
impl Logic for Demo {
    //~ `Logic`: `#[kernel]` stands on a plain `impl Block { .. }`: it writes `impl Logic` itself
    fn update(&mut self) {}
}

#[kernel]
impl WithoutUpdate {
    //~ `WithoutUpdate`: a kernel has a function `update`
    fn step(&mut self) {}
}

#[kernel]
impl Other {
    const LANES: usize = 3;
    //~ `const`: a kernel holds functions only: other items stand in an `impl` of their own
    fn update(&mut self) {}
}

#[kernel]
impl Twins {
    fn update(&mut self) {}
    fn update_hdl(&mut self) {}
    //~ `update_hdl`: `update_hdl` is what `update` is called where it makes the syntax tree: take another name
}
