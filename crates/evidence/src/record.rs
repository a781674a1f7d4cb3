//! Canonical bytes: a type tag and then fields, each behind its length. There is one way to write a value, and the
//! reader accepts no other, so the signed bytes can be rebuilt from the values.

use crate::{Commitment, Hash, Malformed};
use domain::{Space, Timestamp};

/// A value with exactly one sequence of bytes: `decode` accepts only what `encode` writes.
pub trait Canonical: Sized {
    fn encode(&self) -> Vec<u8>;
    fn decode(bytes: &[u8]) -> Result<Self, Malformed>;
}

/// The length before each field. Eight bytes are enough for anything in memory, so writing cannot fail.
const LENGTH: usize = 8;

pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub fn new(tag: &str) -> Self {
        let mut writer = Self { bytes: Vec::with_capacity(512) };
        writer.text(tag);
        writer
    }

    pub fn bytes(&mut self, field: &[u8]) {
        self.bytes.extend_from_slice(&(field.len() as u64).to_be_bytes());
        self.bytes.extend_from_slice(field);
    }

    pub fn text(&mut self, field: &str) {
        self.bytes(field.as_bytes());
    }

    pub fn number(&mut self, field: u64) {
        self.bytes(&field.to_be_bytes());
    }

    pub fn signed_number(&mut self, field: i64) {
        self.bytes(&field.to_be_bytes());
    }

    pub fn fraction(&mut self, field: f64) {
        self.bytes(&field.to_bits().to_be_bytes());
    }

    pub fn time(&mut self, field: Timestamp) {
        self.text(&field.to_string());
    }

    pub fn space(&mut self, field: &Space) {
        self.text(&field.user_id);
        self.text(&field.agent_id);
        self.text(&field.run_id);
    }

    /// A list is its count and then the fields of each item; an optional value is a list of none or one.
    pub fn list<T>(&mut self, items: impl ExactSizeIterator<Item = T>, write: impl Fn(&mut Self, T)) {
        self.number(items.len() as u64);
        items.for_each(|item| write(self, item));
    }

    pub fn option<T>(&mut self, item: Option<T>, write: impl Fn(&mut Self, T)) {
        self.list(item.into_iter(), write);
    }

    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn open(bytes: &'a [u8], tag: &str) -> Result<Self, Malformed> {
        let mut reader = Self { rest: bytes };
        if reader.bytes()? == tag.as_bytes() {
            Ok(reader)
        } else {
            Err(Malformed::new(format!("the record is not tagged {tag}")))
        }
    }

    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let cut = || Malformed::new("the record ends within a field");
        let (length, rest) = self.rest.split_first_chunk::<LENGTH>().ok_or_else(cut)?;
        let length = usize::try_from(u64::from_be_bytes(*length)).map_err(|_| cut())?;
        let (field, rest) = rest.split_at_checked(length).ok_or_else(cut)?;
        self.rest = rest;
        Ok(field)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let field = self.bytes()?;
        field
            .try_into()
            .map_err(|_| Malformed::new(format!("a field of {N} bytes is {} bytes long", field.len())))
    }

    pub fn text(&mut self) -> Result<String, Malformed> {
        let field = self.bytes()?;
        std::str::from_utf8(field).map(str::to_owned).map_err(|_| Malformed::new("a text is not UTF-8"))
    }

    pub fn number(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_be_bytes)
    }

    pub fn signed_number(&mut self) -> Result<i64, Malformed> {
        self.array().map(i64::from_be_bytes)
    }

    pub fn fraction(&mut self) -> Result<f64, Malformed> {
        self.number().map(f64::from_bits)
    }

    pub fn hash(&mut self) -> Result<Hash, Malformed> {
        self.array().map(Hash)
    }

    pub fn commitment(&mut self) -> Result<Commitment, Malformed> {
        self.hash().map(Commitment)
    }

    pub fn time(&mut self) -> Result<Timestamp, Malformed> {
        let text = self.text()?;
        // Many texts name one instant, and only the shortest in UTC is canonical.
        match text.parse::<Timestamp>() {
            Ok(time) if time.to_string() == text => Ok(time),
            _ => Err(Malformed::new("a time is not written canonically")),
        }
    }

    pub fn space(&mut self) -> Result<Space, Malformed> {
        Ok(Space::new(self.text()?, self.text()?, self.text()?))
    }

    pub fn list<T>(&mut self, read: impl Fn(&mut Self) -> Result<T, Malformed>) -> Result<Vec<T>, Malformed> {
        let count = self.number()?;
        // Every item takes at least the length of one field, so a false count allocates nothing.
        if count > (self.rest.len() / LENGTH) as u64 {
            return Err(Malformed::new("a list claims more items than the record holds"));
        }
        (0..count).map(|_| read(self)).collect()
    }

    pub fn option<T>(
        &mut self,
        read: impl Fn(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Option<T>, Malformed> {
        let mut items = self.list(read)?;
        match items.len() {
            0 | 1 => Ok(items.pop()),
            n => Err(Malformed::new(format!("an optional value stands {n} times"))),
        }
    }

    pub fn end(self) -> Result<(), Malformed> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Malformed::new(format!("{} bytes follow the record", self.rest.len())))
        }
    }
}
