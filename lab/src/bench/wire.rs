//! HTTP/1.1 by hand, as much as a load generator needs: it must cost little beside the server that it measures.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A call that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection that is kept for all requests of a client.
#[derive(Debug)]
pub struct Connection {
    reader: BufReader<TcpStream>,
}

/// A request or an answer: its first line and its body.
#[derive(Debug)]
pub struct Message {
    pub start: String,
    pub body: Vec<u8>,
}

impl Connection {
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Self::over(stream)
    }

    pub fn over(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { reader: BufReader::new(stream) })
    }

    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.reader.get_mut().write_all(bytes)
    }

    /// The next message; an error at the end of the connection.
    pub fn receive(&mut self) -> io::Result<Message> {
        let start = self.line()?;
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            match line.split_once(':') {
                None => break,
                Some(("content-length", value)) => length = value.trim().parse().unwrap_or(0),
                Some(("transfer-encoding", _)) => chunked = true,
                Some(_) => {}
            }
        }
        let body = if chunked { self.chunks()? } else { self.bytes(length)? };
        Ok(Message { start, body })
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }

    fn bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.reader.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let size = usize::from_str_radix(&self.line()?, 16).map_err(io::Error::other)?;
            body.extend(self.bytes(size)?);
            self.line()?;
            if size == 0 {
                return Ok(body);
            }
        }
    }
}

pub fn answer(status: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
        .into_bytes()
}

pub fn request(key: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}
