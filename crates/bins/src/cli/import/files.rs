//! The files of an import: those that were named, and those of folders.

use super::CliError;
use super::formats::{File, Format};
use super::record::{Place, Reading, Unread};
use super::utf8::decoded;
use domain::limits;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug)]
pub struct Files {
    from: Format,
    /// Each with how much of it is above the folder that was named.
    paths: Vec<(PathBuf, PathBuf)>,
    unread: Vec<Unread>,
    passed_over: PassedOver,
}

/// How many there are of each kind of what is in a folder and not read.
pub type PassedOver = BTreeMap<String, usize>;

impl Files {
    pub fn named(names: &[PathBuf], from: Format) -> Result<Self, CliError> {
        let mut files = Self { from, paths: Vec::new(), unread: Vec::new(), passed_over: PassedOver::new() };
        for name in names {
            if !name.is_dir() {
                fs::File::open(name).map_err(|error| CliError::Refused(unreadable(name, &error)))?;
                let above = name.parent().unwrap_or(Path::new("")).to_owned();
                files.paths.push((name.clone(), above));
            } else if from.endings().is_empty() {
                let why = format!("{} is a folder; --from {} takes files.", name.display(), from.name());
                return Err(CliError::Refused(why));
            } else {
                files.enter(name, name);
            }
        }
        if files.paths.is_empty() && files.unread.is_empty() {
            let endings = from.endings().join(" or .");
            return Err(CliError::Refused(format!(
                "There is no file that ends in .{endings} in the folder."
            )));
        }
        Ok(files)
    }

    /// One file after the other, so that no more than one is in memory.
    pub fn read(self) -> (Reading, PassedOver) {
        let (mut reading, mut unread) = (Reading::default(), self.unread);
        let mut files = self.paths.into_iter().filter_map(|(path, above)| match whole(&path) {
            Ok(bytes) => {
                let inside = path.strip_prefix(&above).unwrap_or(&path).to_owned();
                Some(File { name: shown(&path), text: decoded(&bytes), path, inside })
            }
            Err(error) => {
                unread.push(left_out(&path, error));
                None
            }
        });
        self.from.read(&mut files, &mut reading);
        drop(files);
        reading.unread.append(&mut unread);
        (reading, self.passed_over)
    }

    /// In the order of the names. A link to a folder may lead back to where it is, so none is followed.
    fn enter(&mut self, folder: &Path, named: &Path) {
        let entries = fs::read_dir(folder).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => return self.unread.push(left_out(folder, unreadable(folder, &error))),
        };
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            match fs::metadata(&path) {
                Ok(found) if found.is_file() && is_link && !is_within(&path, named) => {
                    let why =
                        "is a link out of the folder, and is not followed; name the file itself to read it";
                    self.unread.push(left_out(&path, format!("{} {why}.", path.display())));
                }
                Err(error) => self.unread.push(left_out(&path, unreadable(&path, &error))),
                Ok(found) if found.is_dir() && is_link => self.pass_over("links to folders"),
                Ok(found) if found.is_dir() && is_hidden => self.pass_over("hidden folders"),
                Ok(found) if found.is_dir() => self.enter(&path, named),
                Ok(found) if found.is_file() && self.is_in_form(&path) => {
                    self.paths.push((path, named.to_owned()));
                }
                Ok(_) => match path.extension() {
                    Some(ending) => self.pass_over(&format!(".{}", ending.to_string_lossy())),
                    None => self.pass_over("files without an ending"),
                },
            }
        }
    }

    fn is_in_form(&self, path: &Path) -> bool {
        let is = |ending: &str| path.extension().is_some_and(|end| end.eq_ignore_ascii_case(ending));
        self.from.endings().iter().any(|ending| is(ending))
    }

    fn pass_over(&mut self, what: &str) {
        *self.passed_over.entry(what.to_owned()).or_default() += 1;
    }
}

/// All of a file. What the system gives out without an end, such as a device, is no file to read.
fn whole(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = fs::File::open(path)
        .and_then(|file| file.take(limits::IMPORT_FILE_BYTES + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if bytes.len() as u64 > limits::IMPORT_FILE_BYTES => {
            let most = limits::IMPORT_FILE_BYTES / (1024 * 1024);
            Err(format!("{} has more than {most} MiB; split it into files of less.", path.display()))
        }
        Ok(_) => Ok(bytes),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// Whether the file itself, wherever its name leads, is in the folder.
fn is_within(file: &Path, folder: &Path) -> bool {
    let whole = |path: &Path| fs::canonicalize(path).ok();
    whole(file).zip(whole(folder)).is_some_and(|(file, folder)| file.starts_with(folder))
}

fn left_out(path: &Path, why: String) -> Unread {
    Unread { place: Place { file: shown(path), line: 1 }, why }
}

fn shown(path: &Path) -> Arc<str> {
    path.display().to_string().into()
}

fn unreadable(file: &Path, error: &io::Error) -> String {
    format!("{} cannot be read: {error}.", file.display())
}
