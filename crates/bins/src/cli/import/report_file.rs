//! The file that `--report` names.

use super::CliError;
use super::report::Report;
use serde_json::{Deserializer, Map, Value};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opened before anything is brought, so that a name that cannot be written costs nothing.
#[derive(Debug)]
pub struct ReportFile(File);

impl ReportFile {
    /// The report of an import that is started again replaces the one before. Any other file stays.
    pub fn open(path: &Path) -> Result<Self, CliError> {
        let opened =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
        let refused = |why: String| CliError::Refused(format!("--report {}: {why}", path.display()));
        let file = opened.map_err(|error| refused(format!("it cannot be written: {error}.")))?;
        if file.metadata()?.is_file() && !may_be_replaced(&file) {
            let why = "the file exists and is not the report of an import; name another one.";
            return Err(refused(why.to_owned()));
        }
        Ok(Self(file))
    }

    pub fn write(mut self, report: &Report) -> io::Result<()> {
        if self.0.metadata()?.is_file() {
            self.0.set_len(0)?;
            self.0.rewind()?;
        }
        let mut lines = BufWriter::new(self.0);
        report.write_json(&mut lines)?;
        lines.flush()
    }
}

fn may_be_replaced(file: &File) -> bool {
    match Deserializer::from_reader(BufReader::new(file)).into_iter::<Map<String, Value>>().next() {
        Some(Ok(first)) => ["file", "line", "fate"].iter().all(|name| first.contains_key(*name)),
        Some(Err(_)) => false,
        None => true,
    }
}
