//! See `hand_over`.

#[path = "../hand_over.rs"]
mod hand_over;

fn main() -> std::process::ExitCode {
    hand_over::to_svc("svc-server")
}
