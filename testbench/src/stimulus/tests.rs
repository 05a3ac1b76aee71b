use super::*;
use railyard_spec::Config;
