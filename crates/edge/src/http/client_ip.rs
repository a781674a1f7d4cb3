//! Which client a request counts against.

use hyper::HeaderMap;
use std::net::{IpAddr, SocketAddr};

/// The address that the outermost trusted proxy saw. Each proxy appends the peer that it saw to `X-Forwarded-For`, so
/// with `hops` proxies of ours the client is the `hops`-th entry from the right; what is further left is the client's
/// own claim. If that entry is not an address, only the peer is certain.
pub(super) fn client_ip(headers: &HeaderMap, peer: IpAddr, hops: usize) -> IpAddr {
    let Some(skipped) = hops.checked_sub(1) else { return peer.to_canonical() };
    let lines: Vec<&str> =
        headers.get_all("x-forwarded-for").iter().filter_map(|line| line.to_str().ok()).collect();
    let entries = || lines.iter().rev().flat_map(|line| line.rsplit(',')).map(str::trim);
    let entry = entries().nth(skipped).or_else(|| entries().next_back());
    entry.and_then(address).unwrap_or(peer).to_canonical()
}

/// Some proxies write the port as well.
fn address(entry: &str) -> Option<IpAddr> {
    let bare = entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(entry);
    bare.parse().ok().or_else(|| entry.parse::<SocketAddr>().ok().map(|socket| socket.ip()))
}

#[cfg(test)]
mod tests {
    use super::client_ip;
    use hyper::HeaderMap;
    use proptest::prelude::*;
    use std::net::{IpAddr, Ipv4Addr};

    const PEER: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));

    fn client(lines: &[&str], hops: usize) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("x-forwarded-for", line.parse().expect("a header value"));
        }
        client_ip(&headers, PEER, hops).to_string()
    }

    #[test]
    fn without_trusted_proxies_the_peer_counts() {
        assert_eq!(client(&["1.1.1.1"], 0), "10.0.0.1");
    }

    #[test]
    fn each_trusted_proxy_is_one_step_from_the_right() {
        assert_eq!(client(&["1.1.1.1, 2.2.2.2,3.3.3.3"], 1), "3.3.3.3");
        assert_eq!(client(&["1.1.1.1, 2.2.2.2,3.3.3.3"], 2), "2.2.2.2");
        assert_eq!(client(&["1.1.1.1, 2.2.2.2", "3.3.3.3"], 2), "2.2.2.2");
    }

    #[test]
    fn fewer_entries_than_proxies_give_the_leftmost_or_the_peer() {
        assert_eq!(client(&["1.1.1.1, 2.2.2.2"], 5), "1.1.1.1");
        assert_eq!(client(&[], 1), "10.0.0.1");
    }

    #[test]
    fn an_entry_that_is_no_address_gives_the_peer() {
        assert_eq!(client(&["1.1.1.1, unknown"], 1), "10.0.0.1");
        assert_eq!(client(&["1.1.1.1,"], 1), "10.0.0.1");
    }

    #[test]
    fn ports_brackets_and_mapped_addresses_are_read() {
        assert_eq!(client(&["1.1.1.1:80"], 1), "1.1.1.1");
        assert_eq!(client(&["[2001:db8::1]:80"], 1), "2001:db8::1");
        assert_eq!(client(&["[2001:db8::1]"], 1), "2001:db8::1");
        assert_eq!(client(&["::ffff:1.1.1.1"], 1), "1.1.1.1");
    }

    proptest! {
        #[test]
        fn a_client_cannot_choose_its_own_address(
            claims in prop::collection::vec("[0-9a-z:. ]{0,20}", 0..6),
            real in any::<[u8; 4]>(),
            hops in 1_usize..4,
        ) {
            let real = Ipv4Addr::from(real);
            let mut entries = claims;
            entries.push(real.to_string());
            entries.extend((1..hops).map(|n| format!("10.0.1.{n}")));
            prop_assert_eq!(client(&[&entries.join(", ")], hops), real.to_string());
        }
    }
}
