//! The audit log as it was written before it was a tree: each entry with its own signature.

use super::{Cell, Deployment, Sql, blob};
use domain::Timestamp;
use evidence::{Commitment, Entry, Hash, Head, Position, SeqRange, Signed, Signer};

const COLUMNS: &str = "seq, ts, action, user_id, agent_id, run_id, caller, request, committed, blanks";

fn hash(cell: &Cell) -> Hash {
    Hash(cell.bytes().try_into().unwrap())
}

/// An entry of the first form, which follows the one with this hash.
fn entry(row: &[Cell], prev: Hash) -> Entry {
    let text = |at: usize| row[at].text().to_owned();
    let blanks = match &row[9] {
        Cell::Bytes(bytes) => bytes
            .chunks(16)
            .map(|pair| {
                let number = |at: usize| u64::from_be_bytes(pair[at..at + 8].try_into().unwrap());
                SeqRange { first: number(0), last: number(8) }
            })
            .collect(),
        _ => Vec::new(),
    };
    Entry {
        seq: u64::try_from(row[0].integer()).unwrap(),
        ts: Timestamp::from_microsecond(row[1].integer()).unwrap(),
        action: text(2),
        user: text(3),
        agent: text(4),
        run: text(5),
        caller: text(6),
        request_id: text(7),
        detail: Commitment(hash(&row[8])),
        blanks,
        prev,
        changes: None,
    }
}

impl Deployment {
    /// The key that signs, from its file.
    pub fn signer(&self) -> Signer {
        let file = std::fs::read_to_string(self.folder().join("svc.db.sign.key")).unwrap();
        let secret = file.trim_end().rsplit(' ').next().unwrap();
        Signer::from_seed(hex::decode(secret).unwrap().try_into().unwrap())
    }

    /// Writes the log, in the database and beside it, as the first version did. No program may be running.
    pub fn sign_each_entry(&self, sql: &Sql) {
        let signer = self.signer();
        let mut at = Position::GENESIS;
        let mut last = Timestamp::UNIX_EPOCH;
        for row in sql.rows(&format!("SELECT {COLUMNS} FROM audit_entry ORDER BY seq")) {
            let signed = Signed::new(entry(&row, at.hash), Some(&signer));
            at = Position { size: signed.statement.seq, hash: signed.digest() };
            last = signed.statement.ts;
            sql.run(&format!(
                "UPDATE audit_entry SET prev = {}, hash = {}, signature = {} WHERE seq = {}",
                blob(&signed.statement.prev.0),
                blob(&at.hash.0),
                blob(&signed.signature.unwrap().encode()),
                at.size
            ));
        }
        let head = Signed::new(Head { at, ts: last, tree: None }, Some(&signer)).encode();
        let row = blob(&head);
        sql.run(&format!(
            "UPDATE deployment SET value = {row} WHERE name = 'audit_head';
             DELETE FROM deployment WHERE name = 'audit_peaks';"
        ));
        let mut slot = u16::try_from(head.len()).unwrap().to_be_bytes().to_vec();
        slot.extend(head);
        slot.resize(512, 0);
        std::fs::write(self.folder().join("svc.db.head"), slot).unwrap();
    }
}
