//! The folder of the evaluation sets. They are no part of the program: few of its users would ever run them.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

/// A file of a set: its path, for errors, and what it holds.
#[derive(Debug)]
pub struct File {
    pub path: PathBuf,
    pub text: String,
}

impl File {
    pub fn read(path: PathBuf) -> Result<Self, String> {
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Self { path, text }),
            Err(error) => Err(format!("cannot read {}: {error}", path.display())),
        }
    }

    /// The name without its ending.
    pub fn stem(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

impl Folder {
    pub const fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// The sets of this source tree.
    #[cfg(test)]
    pub fn of_the_repository() -> Self {
        Self(concat!(env!("CARGO_MANIFEST_DIR"), "/sets").into())
    }

    pub fn path(&self, within: &str) -> PathBuf {
        self.0.join(within)
    }

    pub fn file(&self, within: &str) -> Result<File, String> {
        File::read(self.path(within))
    }

    /// The files with this ending in a folder of it, by name.
    pub fn files(&self, within: &str, ending: &str) -> Result<Vec<File>, String> {
        let folder = self.path(within);
        let read = std::fs::read_dir(&folder).map_err(|error| missing(&folder, &error.to_string()))?;
        let mut paths: Vec<PathBuf> = read.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|found| found == ending));
        paths.sort();
        if paths.is_empty() {
            return Err(missing(&folder, &format!("it holds no .{ending} file")));
        }
        paths.into_iter().map(File::read).collect()
    }
}

fn missing(folder: &Path, why: &str) -> String {
    format!(
        "cannot read the evaluation sets in {}: {why}; they are in the folder 'lab/sets' of the source repository: run \
         svc-lab eval beside it, or say where it is with --folder",
        folder.display()
    )
}
