//! The files of an import: those that were named, and those of folders.

use super::record::Place;
use domain::limits;
use std::fs::{self, DirEntry};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug)]
pub struct File {
    pub path: PathBuf,
    /// The path inside the folder that was named, or the name of a file that was named itself.
    pub inside: PathBuf,
    /// As reports show it.
    pub name: Arc<str>,
}

impl File {
    fn new(path: PathBuf, above: &Path) -> Self {
        let inside = path.strip_prefix(above).unwrap_or(&path).to_owned();
        Self { name: path.display().to_string().into(), inside, path }
    }

    pub fn place(&self, line: usize) -> Place {
        Place { file: self.name.clone(), line }
    }

    /// All of it, without the mark that some programs put at the start. What the system gives out without an end, such as a
    /// device, is no file to read.
    pub fn text(&self) -> Result<String, String> {
        let mut bytes = Vec::new();
        let whole = |file: fs::File| file.take(limits::IMPORT_FILE_BYTES + 1).read_to_end(&mut bytes);
        fs::File::open(&self.path).and_then(whole).map_err(|error| unreadable(&self.path, &error))?;
        if bytes.len() as u64 > limits::IMPORT_FILE_BYTES {
            let most = limits::IMPORT_FILE_BYTES / (1024 * 1024);
            return Err(format!("{} has more than {most} MiB; split it into files of less.", self.name));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
            let line = before.filter(|byte| **byte == b'\n').count() + 1;
            format!("{} cannot be read: line {line} is not UTF-8; convert the file.", self.name)
        })?;
        Ok(match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        })
    }
}

/// The files, and how many others are in the folders. Without endings of its files a form takes no folder.
pub fn named(names: &[PathBuf], endings: &[&str]) -> Result<(Vec<File>, usize), String> {
    let (mut files, mut others) = (Vec::new(), 0);
    for name in names {
        if !name.is_dir() {
            files.push(File::new(name.clone(), name.parent().unwrap_or(Path::new(""))));
        } else if endings.is_empty() {
            return Err(format!("{} is a folder; this form takes files.", name.display()));
        } else {
            enter(name, name, endings, &mut files, &mut others).map_err(|error| unreadable(name, &error))?;
        }
    }
    if files.is_empty() {
        return Err(format!("There is no file that ends in .{} in the folder.", endings.join(" or .")));
    }
    Ok((files, others))
}

/// In the order of the names. A link may lead back to where it is, or to what is no part of the folder: none is followed.
fn enter(
    folder: &Path,
    named: &Path,
    endings: &[&str],
    files: &mut Vec<File>,
    others: &mut usize,
) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<DirEntry>>>()?;
    entries.sort_by_key(DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let is = |ending: &&str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending));
        if kind.is_dir() && !entry.file_name().as_encoded_bytes().starts_with(b".") {
            enter(&path, named, endings, files, others)?;
        } else if kind.is_file() && endings.iter().any(is) {
            files.push(File::new(path, named));
        } else {
            *others += 1;
        }
    }
    Ok(())
}

fn unreadable(file: &Path, error: &io::Error) -> String {
    format!("{} cannot be read: {error}.", file.display())
}
