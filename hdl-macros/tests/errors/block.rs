#[block]
pub struct Tuple(Flag<In>);
//~ `Tuple`: `Tuple`: a block is a struct with named fields

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
    //~ `String`: `width`: a parameter is a `usize` or a `bool`, or an `Option` of one; other plain Rust is `#[data]`
    #[data]
    choice: Choice,
    _name: String,
}

#[block]
pub struct Misplaced {
    /// the clock
    pub clock: Flag<In>,
    //~ `Flag`: `clock`: a block has its clock as `clock: ClockIn`
    pub reset: Flag<Out>,
    //~ `Flag`: `reset`: a block has its reset as `reset: Flag<In>`
    share: f64,
    //~ `f64`: `share`: a field of this type is no hardware: a number is a `usize`, other plain Rust is `#[data]`
    names: Vec<Option<String>>,
    //~ `Vec`: `names`: a field of this type is no hardware: a number is a `usize`, other plain Rust is `#[data]`
    #[hex]
    mask: usize,
    //~ `usize`: `mask`: what is listed in hexadecimal is a parameter: its type is `Param`
    total: Bare<Sig<Local>>,
    //~ `Bare`: `total`: what is `Bare<..>` is a bundle
    #[listed(3)]
    //~ `#[listed`: `lanes`: a parameter is listed by a name: `#[listed(lanes)]`
    lanes: Param,
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
    //~ `width`: `width`: a bundle holds wires and bundles
    pub data: Sig<D>,
    //~ `data`: say in `///` what the port `data` means
}

#[block(width: usize)]
pub struct Sized {
    /// the sum
    pub sum: Sig<Out, width>,
    width: Param,
    lanes: Param,
    //~ `lanes`: `lanes`: a number is an argument of the same name, or has its value: `lanes: Param<{ .. }>`
    #[hex]
    mask: Number<{ width + 1 }>,
    //~ `Number`: `mask`: what is listed in hexadecimal is a parameter: its type is `Param`
}
