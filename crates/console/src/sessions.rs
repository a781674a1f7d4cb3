//! Who is signed in. Sessions are kept in memory, few and for a time, and do not hold the key of their person: each request
//! looks that up again.

use domain::{Notice, Space};
use edge::http::KeptCredential;
use getrandom::Error as NoRandomness;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;

/// A working day, after which a person signs in again.
const LONGEST: Duration = Duration::from_secs(12 * 3600);
/// A browser that was left open.
const LONGEST_IDLE: Duration = Duration::from_secs(3600);
/// All together; the one that was not used for longest makes room.
const MOST: usize = 1000;
/// Of one person, who cannot push others out.
const MOST_OF_ONE: usize = 16;

/// A check of the audit log takes seconds. The page that waits for one asks again and again, which must end.
const LONGEST_CHECK: Duration = Duration::from_secs(600);

/// What a browser shows of its session: its hash, since the token itself is not kept.
pub(crate) type TokenHash = [u8; 32];

pub(crate) fn hash(token: &str) -> TokenHash {
    Sha256::digest(token).into()
}

/// 32 random bytes in hexadecimal.
pub(crate) fn random_token() -> Result<String, NoRandomness> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes)?;
    Ok(hex::encode(bytes))
}

#[derive(Debug, Clone)]
pub(crate) enum Who {
    /// The person at this machine.
    Local,
    Shown(KeptCredential),
}

#[derive(Debug)]
pub(crate) struct Session {
    pub who: Who,
    /// The caller's id, which tells persons apart.
    pub caller: String,
    /// What a form of this session must show.
    pub form_token: String,
    /// What the next page tells, once.
    notice: Mutex<Option<String>>,
    /// A key that was made here, until a page has shown it.
    new_key: Mutex<Option<NewKey>>,
    /// A check of the audit log that was begun here.
    check: Mutex<Option<Arc<Check>>>,
    /// The spaces that this person may choose from.
    pub spaces: Mutex<Option<KeptSpaces>>,
    started: Instant,
    used: Mutex<Instant>,
}

pub(crate) struct NewKey {
    /// What it is, as the page that shows it is called.
    pub of: String,
    pub key: String,
}

/// Without the key, which belongs into no log.
impl fmt::Debug for NewKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewKey").field("of", &self.of).finish_non_exhaustive()
    }
}

/// Spaces as they were listed.
#[derive(Debug, Clone)]
pub(crate) struct KeptSpaces {
    pub spaces: Vec<Space>,
    pub at: Instant,
    /// The users who were in scope then; `None` is all.
    pub users: Option<Vec<String>>,
}

/// A check of the audit log that is under way, or its verdict.
#[derive(Debug)]
pub(crate) struct Check {
    pub began: Instant,
    /// How far it has come.
    pub notice: Notice,
    pub verdict: Mutex<Option<Result<String, String>>>,
}

impl Check {
    /// Whether somebody waits for the verdict. One that takes too long is given up.
    pub fn is_awaited(&self, now: Instant) -> bool {
        self.verdict.lock().is_none() && now.saturating_duration_since(self.began) < LONGEST_CHECK
    }
}

impl Session {
    pub fn form_is_ours(&self, shown: &str) -> bool {
        self.form_token.as_bytes().ct_eq(shown.as_bytes()).into()
    }

    pub fn tell(&self, text: String) {
        *self.notice.lock() = Some(text);
    }

    /// A new check to run, unless one is under way.
    pub fn begin_check(&self, now: Instant) -> Option<Arc<Check>> {
        let mut check = self.check.lock();
        if check.as_ref().is_some_and(|check| check.is_awaited(now)) {
            return None;
        }
        let begun = Arc::new(Check { began: now, notice: Notice::default(), verdict: Mutex::default() });
        *check = Some(begun.clone());
        Some(begun)
    }

    pub fn last_check(&self) -> Option<Arc<Check>> {
        self.check.lock().clone()
    }

    pub fn keep_key(&self, of: String, key: String) {
        *self.new_key.lock() = Some(NewKey { of, key });
    }

    pub fn take_key(&self) -> Option<NewKey> {
        self.new_key.lock().take()
    }

    pub fn take_notice(&self) -> Option<String> {
        self.notice.lock().take()
    }

    fn is_over(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.started) >= LONGEST
            || now.saturating_duration_since(*self.used.lock()) >= LONGEST_IDLE
    }
}

#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<TokenHash, Arc<Session>>>);

impl Sessions {
    /// Returns the token for the browser.
    pub fn begin(&self, who: Who, caller: String, now: Instant) -> Result<String, NoRandomness> {
        let (token, form_token) = (random_token()?, random_token()?);
        let session = Session {
            who,
            caller,
            form_token,
            notice: Mutex::default(),
            new_key: Mutex::default(),
            check: Mutex::default(),
            spaces: Mutex::default(),
            started: now,
            used: Mutex::new(now),
        };
        let mut all = self.0.lock();
        all.retain(|_, session| !session.is_over(now));
        let of_one = all.values().filter(|known| known.caller == session.caller).count();
        if of_one >= MOST_OF_ONE {
            end_longest_unused(&mut all, Some(&session.caller));
        } else if all.len() >= MOST {
            end_longest_unused(&mut all, None);
        }
        all.insert(hash(&token), Arc::new(session));
        Ok(token)
    }

    pub fn find(&self, token: &TokenHash, now: Instant) -> Option<Arc<Session>> {
        let mut all = self.0.lock();
        let session = all.get(token)?.clone();
        if session.is_over(now) {
            all.remove(token);
            return None;
        }
        *session.used.lock() = now;
        Some(session)
    }

    pub fn end(&self, token: &TokenHash) {
        self.0.lock().remove(token);
    }
}

fn end_longest_unused(all: &mut HashMap<TokenHash, Arc<Session>>, of: Option<&str>) {
    let candidates = all.iter().filter(|(_, session)| of.is_none_or(|caller| session.caller == caller));
    let longest = candidates.min_by_key(|(_, session)| *session.used.lock()).map(|(token, _)| *token);
    if let Some(token) = longest {
        all.remove(&token);
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, LONGEST_CHECK, LONGEST_IDLE, MOST_OF_ONE, Sessions, Who, hash};
    use std::time::{Duration, Instant};

    #[test]
    fn a_session_ends_when_it_is_old_or_unused() {
        let (sessions, start) = (Sessions::default(), Instant::now());
        let token = hash(&sessions.begin(Who::Local, "local".to_owned(), start).expect("randomness"));
        let mut now = start;
        while now + LONGEST_IDLE < start + LONGEST + LONGEST_IDLE {
            assert_eq!(sessions.find(&token, now).is_some(), now < start + LONGEST, "{:?}", now - start);
            now += LONGEST_IDLE - Duration::from_secs(1);
        }
        let token = hash(&sessions.begin(Who::Local, "local".to_owned(), start).expect("randomness"));
        assert!(sessions.find(&token, start + LONGEST_IDLE).is_none());
        assert!(sessions.find(&token, start).is_none());
    }

    #[test]
    fn one_check_of_the_log_is_under_way_at_a_time() {
        let (sessions, start) = (Sessions::default(), Instant::now());
        let token = hash(&sessions.begin(Who::Local, "local".to_owned(), start).expect("randomness"));
        let session = sessions.find(&token, start).expect("a session");
        let first = session.begin_check(start).expect("a check");
        assert!(session.begin_check(start).is_none());
        *first.verdict.lock() = Some(Ok("intact".to_owned()));
        assert!(!first.is_awaited(start));
        let second = session.begin_check(start).expect("another check");
        assert!(!second.is_awaited(start + LONGEST_CHECK), "one that never ends is given up");
        assert!(session.begin_check(start + LONGEST_CHECK).is_some());
    }

    #[test]
    fn nobody_pushes_another_out() {
        let (sessions, start) = (Sessions::default(), Instant::now());
        let begin = |who: &str, seconds| {
            let now = start + Duration::from_secs(seconds);
            hash(&sessions.begin(Who::Local, who.to_owned(), now).expect("randomness"))
        };
        let (other, first) = (begin("other", 0), begin("one", 1));
        for n in 0..MOST_OF_ONE as u64 {
            begin("one", 2 + n);
        }
        let now = start + Duration::from_secs(60);
        assert!(sessions.find(&other, now).is_some());
        assert!(sessions.find(&first, now).is_none());
    }
}
