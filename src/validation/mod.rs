//! The verification ladder: claims with a reference, what the simulator says, and a verdict.
//!
//! Theory comes first. Its claims are made of the parts the mesh uses (load generators,
//! connections, pools, application workers, Envoys, cores), with every cost that the textbook
//! does not know set to zero.

mod claim;
pub mod formulas;
mod laboratory;
mod theory;

pub use claim::{Claim, Kind, Verdict};
pub use theory::theory;
