//! The network that a client is counted by.

use std::net::{IpAddr, Ipv6Addr};

/// One IPv4 address, or the /64 of an IPv6 address: that much is given to a single line, and whoever has it may use a
/// new address for every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Network(IpAddr);

impl Network {
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            v4 @ IpAddr::V4(_) => v4,
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Network;

    fn same(one: &str, other: &str) -> bool {
        Network::of(one.parse().unwrap()) == Network::of(other.parse().unwrap())
    }

    #[test]
    fn ipv6_is_counted_by_its_64_and_ipv4_by_itself() {
        assert!(same("2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff"));
        assert!(!same("2001:db8:0:1::1", "2001:db8:0:2::1"));
        assert!(!same("192.0.2.1", "192.0.2.2"));
    }

    #[test]
    fn a_mapped_address_is_the_ipv4_address() {
        assert!(same("::ffff:192.0.2.1", "192.0.2.1"));
        assert!(!same("::ffff:192.0.2.1", "::ffff:192.0.2.2"));
    }
}
