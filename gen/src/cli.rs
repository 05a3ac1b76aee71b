//! The command line.

mod bench;
mod check;
mod compare;
mod curve;
mod description;
mod design;
mod estimate;
mod explore;
mod generate;
mod network;
mod network_setting;
mod new;
mod picture;
mod presets;
mod registers;
mod schema;
mod shell;
mod simulate;
mod study;
mod traffic;
mod value;
mod verify;

pub use bench::BenchArgs;
pub use check::CheckArgs;
pub use compare::CompareArgs;
pub use curve::NetworkCurveArgs;
pub use description::DescriptionArgs;
pub use design::DesignArgs;
pub use estimate::{EstimateArgs, FpgaFamily, MappingRecipe, WireLoads};
pub use explore::ExploreArgs;
pub use generate::GenerateArgs;
pub use network::{
    NetworkArgs, NetworkCheckArgs, NetworkCommand, NetworkGenerateArgs, NetworkRunArgs, NetworkVerifyArgs,
};
pub use network_setting::NetworkSetting;
pub use new::NewArgs;
pub use picture::PictureArgs;
