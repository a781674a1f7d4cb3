//! `svc-lab bench`: real servers under load, with a stand-in for the language model, and beside them what the machine can do
//! at best.

pub mod growth;
pub mod load;
pub mod plot;
pub mod report;
pub mod run;
pub mod servers;
pub mod stand_in;
pub mod wire;
pub mod yardstick;
