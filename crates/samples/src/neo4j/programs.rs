//! Neo4j's own programs: fetching them, and running them.

use crate::tools::{self, run};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

const VERSION: &str = "5.26.30";
const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
const OLDEST_JAVA: u32 = 17;

/// What Maven is to fetch.
fn project() -> String {
    let dependency = |group: &str, artifact: &str| {
        format!(
            "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{VERSION}</version></dependency>"
        )
    };
    format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
         <groupId>svc.test</groupId><artifactId>neo4j</artifactId><version>1</version><packaging>pom</packaging>\
         <dependencies>{}{}</dependencies></project>",
        dependency("org.neo4j", "neo4j"),
        dependency("org.neo4j.app", "neo4j-server"),
    )
}

/// The folder with the server's archives. An error says why this machine cannot have them.
pub fn fetched() -> Result<PathBuf, String> {
    let java = run(Command::new("java").arg("-version"))?;
    if java_major(&java).is_none_or(|major| major < OLDEST_JAVA) {
        return Err(format!("Neo4j needs Java {OLDEST_JAVA} or newer; there is:\n{java}"));
    }
    let tools = tools::folder()?;
    let fetched = tools.join(format!("neo4j-{VERSION}"));
    let failed = |e: std::io::Error| format!("{}: {e}", tools.display());
    // Of test programs that start at once, one fetches and the others wait. The lock ends with the file.
    let lock = File::create(tools.join("neo4j.lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    if !fetched.is_dir() {
        let draft = tempfile::tempdir_in(&tools).map_err(failed)?;
        let archives = draft.path().join("archives");
        fs::write(draft.path().join("pom.xml"), project()).map_err(failed)?;
        let mut maven = Command::new("mvn");
        maven.args(["--batch-mode", "--quiet", COPY, "-DincludeScope=runtime"]);
        maven.arg(format!("-DoutputDirectory={}", archives.display()));
        maven.current_dir(draft.path());
        // 130 MB in 230 files, any of which a network may drop. What has come is kept for the second attempt.
        run(&mut maven).or_else(|_| run(&mut maven))?;
        fs::rename(&archives, &fetched).map_err(failed)?;
    }
    Ok(fetched)
}

/// From a line such as `openjdk version "17.0.15" 2025-04-15`.
fn java_major(said: &str) -> Option<u32> {
    let (_, after) = said.split_once("version \"")?;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// One of the main classes, with as little memory as it needs. The second compiler of Java's would need half of the time
/// of a short run for itself.
pub fn java(archives: &Path, main: &str) -> Command {
    let mut java = Command::new("java");
    java.args(["-Xmx300m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"])
        .arg(archives.join("*"))
        .arg(main);
    java
}
