//! What a process did to its files, read from what `strace` saw, and the files as a power cut at some moment leaves
//! them.

use crate::support::Seed;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a disk writes as a whole.
const SECTOR: usize = 512;
const PAGE: usize = 4096;

#[derive(Debug)]
pub enum Event {
    Write {
        file: PathBuf,
        offset: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        file: PathBuf,
        length: usize,
    },
    Sync {
        file: PathBuf,
    },
    /// An answer on standard output.
    Answer {
        bytes: Vec<u8>,
    },
}

/// The options that `strace` needs for this.
pub const OPTIONS: [&str; 5] =
    ["-xx", "-s", "10000000", "-e", "trace=pwrite64,write,lseek,openat,fsync,fdatasync,ftruncate"];

/// The changes to files below this folder, and the answers, in their order.
pub fn read(seen: &str, folder: &Path) -> Vec<Event> {
    let (mut begun, mut places, mut events) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for line in seen.lines() {
        let (thread, rest) = line.split_once(' ').unwrap_or_default();
        let rest = rest.trim_start();
        let whole = if let Some(start) = rest.strip_suffix(" <unfinished ...>") {
            begun.insert(thread, start.to_owned());
            continue;
        } else if rest.starts_with("<... ") {
            let end = rest.split_once("resumed>").map_or("", |(_, end)| end);
            begun.remove(thread).unwrap_or_default() + end
        } else {
            rest.to_owned()
        };
        events.extend(event(&whole, folder, &mut places));
    }
    events
}

/// One call, as `name(descriptor<path>, …) = result`. The place of a file that is written without one is kept.
fn event(call: &str, folder: &Path, places: &mut BTreeMap<PathBuf, usize>) -> Option<Event> {
    let (name, rest) = call.split_once('(')?;
    let (arguments, result) = rest.rsplit_once(" = ")?;
    let arguments = arguments.trim_end().strip_suffix(')')?;
    let result: usize = result.split([' ', '<']).next()?.parse().ok()?;
    let descriptor = arguments.split('<').next()?;
    let path = String::from_utf8(unescaped(arguments.split_once('<')?.1.split('>').next()?)).ok()?;
    if name == "write" && descriptor == "1" {
        return Some(Event::Answer { bytes: unescaped(text(arguments)?) });
    }
    let file = PathBuf::from(path);
    if name == "openat" {
        return None;
    }
    if !file.starts_with(folder) {
        return None;
    }
    let last = || arguments.rsplit(", ").next()?.parse::<usize>().ok();
    match name {
        "pwrite64" => Some(Event::Write { file, offset: last()?, bytes: unescaped(text(arguments)?) }),
        "lseek" => {
            places.insert(file, result);
            None
        }
        "write" => {
            let place = places.entry(file.clone()).or_default();
            let offset = *place;
            *place += result;
            Some(Event::Write { file, offset, bytes: unescaped(text(arguments)?) })
        }
        "ftruncate" => Some(Event::Truncate { file, length: last()? }),
        "fsync" | "fdatasync" => Some(Event::Sync { file }),
        _ => None,
    }
}

/// What is between the quotes.
fn text(arguments: &str) -> Option<&str> {
    let (_, rest) = arguments.split_once('"')?;
    rest.split('"').next()
}

/// `\x41\x42` as bytes; anything else as it is.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4);
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(code) = rest.strip_prefix("\\x").and_then(|code| code.get(..2)) {
            bytes.push(u8::from_str_radix(code, 16).unwrap());
            rest = &rest[4..];
        } else {
            bytes.push(rest.as_bytes()[0]);
            rest = &rest[1..];
        }
    }
    bytes
}

pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// The files after a power cut behind these events: all that was synced, and of the rest a random part.
pub fn image(before: &Files, events: &[Event], seed: &mut Seed) -> Files {
    let mut files = before.clone();
    let whole_pages = seed.chance(2);
    // Some cuts lose nearly all that was under way, some hardly anything.
    let kept_in_ten = *seed.pick(&[1, 5, 9]);
    let mut synced_at: BTreeMap<&Path, usize> = BTreeMap::new();
    for (n, event) in events.iter().enumerate() {
        if let Event::Sync { file } = event {
            synced_at.insert(file, n);
        }
    }
    for (n, event) in events.iter().enumerate() {
        let is_synced = |file: &Path| synced_at.get(file).is_some_and(|at| *at > n);
        match event {
            Event::Write { file, offset, bytes } => {
                let content = files.entry(file.clone()).or_default();
                if is_synced(file) {
                    put(content, *offset, bytes);
                } else {
                    put_some(content, *offset, bytes, if whole_pages { PAGE } else { SECTOR }, || {
                        seed.below(10) < kept_in_ten
                    });
                }
            }
            Event::Truncate { file, length } => {
                if is_synced(file) || seed.below(10) < kept_in_ten {
                    files.entry(file.clone()).or_default().resize(*length, 0);
                }
            }
            Event::Sync { .. } | Event::Answer { .. } => {}
        }
    }
    files
}

/// Only those blocks of the disk for which `keep` says so.
fn put_some(
    content: &mut Vec<u8>,
    offset: usize,
    bytes: &[u8],
    block: usize,
    mut keep: impl FnMut() -> bool,
) {
    let mut at = 0;
    while at < bytes.len() {
        let end = bytes.len().min(at + block - (offset + at) % block);
        if keep() {
            put(content, offset + at, &bytes[at..end]);
        }
        at = end;
    }
}

fn put(content: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    let end = offset + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[offset..end].copy_from_slice(bytes);
}
