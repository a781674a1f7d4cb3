//! What a witness keeps: its key, and for each log the newest checkpoint that it has cosigned.

use domain::Timestamp;
use edge::http::WitnessReply;
use evidence::{AddCheckpoint, Cosigner, Keyring, LogKey, NotCosigned, SignedHead, Signer};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const KEY: &str = "witness.key";
const TEXT: &str = "text/plain; charset=utf-8";
/// What the protocol gives the size in.
const SIZE: &str = "text/x.tlog.size";

#[derive(Debug)]
pub struct WitnessBook {
    folder: PathBuf,
    cosigner: Cosigner,
    logs: Vec<LogKey>,
    /// A checkpoint is compared with the one before and written while nobody else does. The lock on the file keeps other
    /// processes out.
    turn: Mutex<File>,
}

impl WitnessBook {
    /// Opens the folder, making it and the key where there is none.
    pub fn open(folder: &Path, logs: Vec<LogKey>) -> io::Result<Self> {
        if !folder.exists() {
            fs::create_dir_all(folder)?;
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        }
        let path = folder.join(KEY);
        if !path.exists() {
            let mut seed = [0; 32];
            getrandom::fill(&mut seed).map_err(io::Error::other)?;
            write_whole(folder, KEY, &format!("{}\n", hex::encode(seed)))?;
        }
        let key = File::open(&path)?;
        if key.metadata()?.permissions().mode() & 0o077 != 0 {
            let text = format!("others may read {}; run chmod 600 on it", path.display());
            return Err(io::Error::other(text));
        }
        key.try_lock().map_err(|_| io::Error::other("another svc witness is running on this folder"))?;
        let mut seed = [0; 32];
        hex::decode_to_slice(fs::read_to_string(&path)?.trim(), &mut seed)
            .map_err(|_| io::Error::other(format!("{} is not 64 hexadecimal digits", path.display())))?;
        let cosigner = Cosigner::new(Signer::from_seed(seed));
        Ok(Self { folder: folder.to_owned(), cosigner, logs, turn: Mutex::new(key) })
    }

    /// The name and public key, as the setting of a log takes them.
    pub fn key(&self) -> String {
        self.cosigner.key().to_string()
    }

    /// Where the newest checkpoint of the log is kept. Without the file the witness knows nothing of the log.
    fn file(&self, head: &SignedHead) -> Option<String> {
        Some(format!("{}.checkpoint", head.statement.tree?.origin.to_string().replace('/', "-")))
    }

    /// The answer to a request, by the protocol.
    pub fn answer(&self, request: &str) -> WitnessReply {
        match self.add_checkpoint(request) {
            Ok(Ok(line)) => reply(200, TEXT, line),
            Ok(Err(NotCosigned::Conflict(size))) => reply(409, SIZE, format!("{size}\n")),
            Ok(Err(refusal)) => {
                let status = match &refusal {
                    NotCosigned::Malformed(_) => 400,
                    NotCosigned::UnknownLog => 404,
                    NotCosigned::NotSigned => 403,
                    NotCosigned::Conflict(_) => 409,
                    NotCosigned::NotConsistent => 422,
                };
                reply(status, TEXT, format!("{refusal}\n"))
            }
            Err(error) => {
                tracing::error!(%error, "a checkpoint could not be compared or kept, and was not cosigned");
                reply(500, TEXT, String::new())
            }
        }
    }

    fn add_checkpoint(&self, request: &str) -> io::Result<Result<String, NotCosigned>> {
        let request = match AddCheckpoint::parse(request) {
            Ok(request) => request,
            Err(error) => return Ok(Err(NotCosigned::Malformed(error.to_string()))),
        };
        let head = match request.head(&self.logs) {
            Ok(head) => head,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let _turn = self.turn.lock().map_err(|_| io::Error::other("an earlier request ended in a panic"))?;
        let name = self.file(&head).ok_or_else(|| io::Error::other("a checkpoint without a root"))?;
        let last = self.last(&name, &head)?;
        let follows = request.follows(&head.statement, last.as_ref().map(|last| &last.statement));
        if let Err(refusal) = follows {
            return Ok(Err(refusal));
        }
        let line = self.cosigner.cosign(&head.statement, Timestamp::now());
        // On the disk before the cosignature leaves: a witness that forgets what it signed is none.
        write_whole(&self.folder, &name, &format!("{}\n{line}", request.note.trim_end()))?;
        Ok(Ok(line))
    }

    /// The newest checkpoint of the same log. One that cannot be read is not taken for none.
    fn last(&self, name: &str, head: &SignedHead) -> io::Result<Option<SignedHead>> {
        let note = match fs::read_to_string(self.folder.join(name)) {
            Ok(note) => note,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let origin = head.statement.tree.map(|tree| tree.origin);
        let mut keys = self.logs.iter().filter(|log| Some(log.origin) == origin).map(|log| log.key);
        let first = keys.next().ok_or_else(|| io::Error::other("no key of this log"))?;
        let last = SignedHead::from_note(&note, &Keyring::new(first, keys.collect()));
        last.map(Some).map_err(|error| io::Error::other(format!("{name}: {error}")))
    }
}

fn reply(status: u16, content_type: &'static str, body: String) -> WitnessReply {
    WitnessReply { status, content_type, body }
}

/// Replaces the file in one step, and returns when it is on the disk.
fn write_whole(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let draft = folder.join(format!("{name}.part"));
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&draft, folder.join(name))?;
    File::open(folder)?.sync_all()
}
