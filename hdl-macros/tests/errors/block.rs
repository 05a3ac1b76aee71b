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

#[block(width: usize)]
pub struct Sized {
    /// the sum
    pub sum: Sig<Out, width>,
    width: Param,
    lanes: Param,
    //~ `lanes`: a number is an argument of the same name, or has its value: `lanes: Param<{ .. }>`
    #[hex]
    mask: Number<{ width + 1 }>,
    //~ `Number`: what is listed in hexadecimal is a parameter: its type is `Param`
}
