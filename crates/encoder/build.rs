//! Packs the weights, which are a large part of the program.

#![allow(clippy::print_stdout, reason = "cargo reads it")]

use std::error::Error;
use std::path::Path;

const FILE: &str = "weights.safetensors";
/// Bytes that are frequent get short codes; more work than this level does finds nothing else in weights.
const LEVEL: u8 = 6;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={FILE}");
    println!("cargo::rerun-if-changed=build.rs");
    let packed = miniz_oxide::deflate::compress_to_vec(&std::fs::read(FILE)?, LEVEL);
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    std::fs::write(Path::new(&folder).join("weights.packed"), packed)?;
    Ok(())
}
