//! A go-between of the service and PostgreSQL that reads the protocol and breaks a connection where it is told to.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Where a connection breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Behind a message of this type: P is Parse, B Bind, E Execute, S Sync.
    After(u8),
    /// In the middle of a message of this type.
    Within(u8),
    BeforeCommit,
    /// The server gets the commit, and the client never hears of it.
    CommitSent,
    /// The same, but only once the server has answered.
    BeforeAnswer,
    /// The client gets the first byte of the answer to the commit.
    WithinAnswer,
    /// The server gets the commit, and from then on the client gets through to nobody.
    ForGood,
}

impl Moment {
    pub const ALL: [Self; 10] = [
        Self::After(b'P'),
        Self::After(b'B'),
        Self::After(b'E'),
        Self::After(b'S'),
        Self::Within(b'P'),
        Self::Within(b'B'),
        Self::BeforeCommit,
        Self::CommitSent,
        Self::BeforeAnswer,
        Self::WithinAnswer,
    ];

    pub const fn is_of_commit(self) -> bool {
        !matches!(self, Self::After(_) | Self::Within(_))
    }
}

/// Serves until the test program ends.
pub struct Proxy {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    server: SocketAddr,
    /// The moment, and how often it is still let pass.
    armed: Mutex<Option<(Moment, usize)>>,
    /// Whether nobody gets through.
    closed: Mutex<bool>,
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    pub fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state =
            State { server, armed: Mutex::default(), closed: Mutex::default(), open: Mutex::default() };
        let state = Arc::new(state);
        let shared = state.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let state = shared.clone();
                std::thread::spawn(move || drop(connect(client, &state)));
            }
        });
        Self { address, state }
    }

    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Breaks the connection that comes to this moment after so many others have.
    pub fn arm(&self, moment: Moment, others: usize) {
        *self.state.armed.lock().unwrap() = Some((moment, others));
    }

    /// Takes the order back; returns whether it had been carried out.
    pub fn disarm(&self) -> bool {
        self.state.armed.lock().unwrap().take().is_none()
    }

    /// Whether no order waits to be carried out.
    pub fn is_idle(&self) -> bool {
        self.state.armed.lock().unwrap().is_none()
    }

    /// Breaks every connection: the next ones prepare their statements anew.
    pub fn cut_all(&self) {
        self.state.cut_all();
    }

    /// Lets everybody through again.
    pub fn open(&self) {
        *self.state.closed.lock().unwrap() = false;
    }
}

impl State {
    fn cut_all(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn connect(client: TcpStream, state: &Arc<State>) -> io::Result<()> {
    if *state.closed.lock().unwrap() {
        return Ok(());
    }
    let server = TcpStream::connect(state.server)?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    state.open.lock().unwrap().extend([client.try_clone()?, server.try_clone()?]);
    let mut pair = Pair { client, server, state: state.clone(), withheld: Arc::default() };
    let mut back = pair.try_clone()?;
    std::thread::spawn(move || drop(back.answers()));
    let ended = pair.requests();
    pair.cut();
    ended
}

struct Pair {
    client: TcpStream,
    server: TcpStream,
    state: Arc<State>,
    /// How many bytes of the next answer the client gets, once that is limited.
    withheld: Arc<Mutex<Option<usize>>>,
}

/// Long enough for the server to have read what was sent to it.
const A_MOMENT: Duration = Duration::from_millis(100);

impl Pair {
    fn try_clone(&self) -> io::Result<Self> {
        let (state, withheld) = (self.state.clone(), self.withheld.clone());
        Ok(Self { client: self.client.try_clone()?, server: self.server.try_clone()?, state, withheld })
    }

    fn cut(&self) {
        let _ = self.client.shutdown(Shutdown::Both);
        let _ = self.server.shutdown(Shutdown::Both);
    }

    /// Client to server, message by message.
    fn requests(&mut self) -> io::Result<()> {
        // A connection begins with messages that have no type: perhaps a question about TLS, then the greeting.
        loop {
            let greeting = self.message(false)?;
            self.server.write_all(&greeting)?;
            if greeting.len() > 8 {
                break;
            }
        }
        loop {
            let message = self.message(true)?;
            let Some(moment) = self.due(&message) else {
                self.server.write_all(&message)?;
                continue;
            };
            match moment {
                Moment::After(_) => self.server.write_all(&message)?,
                Moment::Within(_) => self.server.write_all(&message[..message.len() / 2])?,
                Moment::BeforeCommit => return Ok(()),
                Moment::CommitSent => {
                    self.server.write_all(&message)?;
                    // The server must read it before it finds that nobody listens.
                    let _ = self.client.shutdown(Shutdown::Both);
                    std::thread::sleep(A_MOMENT);
                    return Ok(());
                }
                Moment::ForGood => {
                    *self.state.closed.lock().unwrap() = true;
                    *self.withheld.lock().unwrap() = Some(0);
                    self.server.write_all(&message)?;
                    std::thread::sleep(A_MOMENT);
                    self.state.cut_all();
                    return Ok(());
                }
                Moment::BeforeAnswer | Moment::WithinAnswer => {
                    let first = usize::from(moment == Moment::WithinAnswer);
                    *self.withheld.lock().unwrap() = Some(first);
                    self.server.write_all(&message)?;
                    continue;
                }
            }
            std::thread::sleep(A_MOMENT);
            return Ok(());
        }
    }

    /// The moment that this message brings about, if that is what is waited for.
    fn due(&self, message: &[u8]) -> Option<Moment> {
        let is_commit = message[0] == b'Q' && message[5..].starts_with(b"COMMIT");
        let mut armed = self.state.armed.lock().unwrap();
        let (moment, others) = armed.as_mut()?;
        let is_due = match moment {
            Moment::After(kind) | Moment::Within(kind) => message[0] == *kind,
            _ => is_commit,
        };
        if is_due && *others > 0 {
            *others -= 1;
            return None;
        }
        armed.take_if(|_| is_due).map(|(moment, _)| moment)
    }

    fn message(&mut self, is_typed: bool) -> io::Result<Vec<u8>> {
        let mut message = vec![0; if is_typed { 5 } else { 4 }];
        self.client.read_exact(&mut message)?;
        let length = &message[message.len() - 4..];
        let length = u32::from_be_bytes(length.try_into().unwrap()) as usize;
        let start = message.len();
        message.resize(start + length.saturating_sub(4), 0);
        self.client.read_exact(&mut message[start..])?;
        Ok(message)
    }

    /// Server to client, as it comes.
    fn answers(&mut self) -> io::Result<()> {
        let mut bytes = [0; 16 * 1024];
        loop {
            let count = self.server.read(&mut bytes)?;
            if count == 0 {
                self.cut();
                return Ok(());
            }
            let withheld = *self.withheld.lock().unwrap();
            if let Some(first) = withheld {
                self.client.write_all(&bytes[..first.min(count)])?;
                self.cut();
                return Ok(());
            }
            self.client.write_all(&bytes[..count])?;
        }
    }
}
