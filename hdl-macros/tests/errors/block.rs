#[block]
pub struct Tuple(Flag<In>);
//~ `Tuple`: a block is a struct with named fields

#[block]
pub struct Documented {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub step: Sig<In>,
    //~ `step`: say in `///` what the port `step` means
    pub lanes: Option<Vec<Flag<Out>>>,
    //~ `lanes`: say in `///` what the port `lanes` means
    /// the sum
    pub sum: Sig<Out>,
    total: Sig<Local>,
    width: Param<String>,
    //~ `String`: a parameter is a `usize` or a `bool`, or an `Option` of one; other plain Rust is `#[data]`
    #[data]
    choice: Choice,
    _name: String,
}

#[bundle]
pub struct Request {
    //~ `Request`: a bundle is a struct over the direction of its wires: `struct Request<D: Side>`
    /// there is a request
    pub valid: Flag<In>,
}

#[bundle]
pub struct Response<D: Side> {
    /// there is a response
    pub valid: Flag<D>,
    pub width: usize,
    //~ `width`: a bundle holds wires and bundles
    pub data: Sig<D>,
    //~ `data`: say in `///` what the port `data` means
}
