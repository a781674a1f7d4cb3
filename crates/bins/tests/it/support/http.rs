//! HTTP/1.1 by hand: a client that can also send what no library would.

use super::PATIENCE;
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

/// One connection to a server.
pub struct Connection {
    reader: BufReader<TcpStream>,
}

/// One answer, as it came.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: String,
}

impl Connection {
    pub fn open(address: SocketAddr) -> Self {
        Self::try_open(address).unwrap()
    }

    pub fn try_open(address: SocketAddr) -> io::Result<Self> {
        Self::over(TcpStream::connect(address)?)
    }

    /// From another address of this machine: all of 127.0.0.0/8 are its own.
    pub fn open_from(own: [u8; 4], address: SocketAddr) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let stream = runtime.block_on(async {
            let socket = tokio::net::TcpSocket::new_v4()?;
            socket.bind((own, 0).into())?;
            socket.connect(address).await?.into_std()
        })?;
        stream.set_nonblocking(false)?;
        Self::over(stream)
    }

    fn over(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self { reader: BufReader::new(stream) })
    }

    /// Lets an answer take so long.
    pub fn waiting(self, patience: Duration) -> io::Result<Self> {
        self.reader.get_ref().set_read_timeout(Some(patience))?;
        Ok(self)
    }

    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.reader.get_mut().write_all(bytes)
    }

    /// Says that nothing more will be sent.
    pub fn finish(&mut self) -> io::Result<()> {
        self.reader.get_mut().shutdown(Shutdown::Write)
    }

    /// One line, without its end.
    pub fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }

    /// The status and the headers of an answer whose body is still to come.
    pub fn head(&mut self) -> io::Result<Answer> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status line: {first}"));
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Ok(Answer { status, headers, body: String::new() });
            }
            let (name, value) = line.split_once(':').unwrap_or_else(|| panic!("no header: {line}"));
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }

    pub fn answer(&mut self) -> io::Result<Answer> {
        let mut answer = self.head()?;
        let mut body = Vec::new();
        if answer.header("transfer-encoding").is_some() {
            while let Some(chunk) = self.chunk()? {
                body.extend(chunk);
            }
        } else if let Some(length) = answer.header("content-length") {
            body = vec![0; length.parse().unwrap()];
            self.reader.read_exact(&mut body)?;
        }
        answer.body = String::from_utf8(body).unwrap();
        Ok(answer)
    }

    /// The next piece of a chunked body, or nothing at its end.
    pub fn chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        let size = self.line()?;
        let size = usize::from_str_radix(&size, 16).unwrap_or_else(|_| panic!("no chunk: {size}"));
        let mut chunk = vec![0; size];
        self.reader.read_exact(&mut chunk)?;
        self.line()?;
        Ok((size > 0).then_some(chunk))
    }

    /// Every answer until the other end closes, which it may also do in the middle of one.
    pub fn answers(&mut self) -> Vec<Answer> {
        std::iter::from_fn(|| self.answer().ok()).collect()
    }

    pub fn ask(&mut self, request: &[u8]) -> io::Result<Answer> {
        self.send(request)?;
        self.answer()
    }
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.body))
    }

    /// The messages of an event stream.
    pub fn events(&self) -> Vec<Value> {
        events(&self.body)
    }
}

/// The messages in a text of events.
pub fn events(text: &str) -> Vec<Value> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| panic!("not JSON: {data}"))).collect()
}

/// A request with these further header lines.
pub fn request(method: &str, path: &str, headers: &[String], body: &[u8]) -> Vec<u8> {
    let mut head =
        format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n", body.len());
    for line in headers {
        head.push_str(line);
        head.push_str("\r\n");
    }
    head.push_str("\r\n");
    [head.as_bytes(), body].concat()
}

/// The header lines of a call with this key.
pub fn headers(key: &str) -> Vec<String> {
    vec![
        format!("Authorization: Bearer {key}"),
        "Content-Type: application/json".to_owned(),
        "Accept: application/json, text/event-stream".to_owned(),
    ]
}

/// The message of one tool call.
pub fn message(tool: &str, arguments: &Value) -> String {
    let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
}

/// The whole request of one tool call.
pub fn call(key: &str, tool: &str, arguments: &Value) -> Vec<u8> {
    request("POST", "/mcp", &headers(key), message(tool, arguments).as_bytes())
}

/// A client with a key, on a connection that it keeps.
pub struct Client {
    address: SocketAddr,
    key: String,
    connection: Option<Connection>,
}

impl Client {
    pub fn new(address: SocketAddr, key: &str) -> Self {
        Self { address, key: key.to_owned(), connection: None }
    }

    /// Shows this key from now on, on the same connection.
    pub fn show(&mut self, key: &str) -> &mut Self {
        key.clone_into(&mut self.key);
        self
    }

    /// The answer to a call, whatever its status; an error is one of the connection.
    pub fn ask(&mut self, tool: &str, arguments: &Value) -> io::Result<Answer> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::try_open(self.address)?,
        };
        let answer = connection.ask(&call(&self.key, tool, arguments))?;
        self.connection = Some(connection);
        Ok(answer)
    }

    /// The text of a call that must not be an error.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.ask(tool, arguments).unwrap();
        text(&answer).unwrap_or_else(|| panic!("{tool} {arguments}: {answer:?}"))
    }

    pub fn remember(&mut self, statement: &str) -> String {
        self.call("remember", &json!({ "text": statement }))
    }

    pub fn list(&mut self) -> String {
        self.call("list_memories", &json!({}))
    }
}

/// The text of a call that succeeded.
pub fn text(answer: &Answer) -> Option<String> {
    let events = if answer.status == 200 { answer.events() } else { return None };
    let result = &events.last()?["result"];
    if result["isError"] != false {
        return None;
    }
    result["content"][0]["text"].as_str().map(str::to_owned)
}
