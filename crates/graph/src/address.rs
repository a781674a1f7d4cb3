//! Which addresses of a Neo4j the driver can do.

use crate::error::GraphError;
use url::Url;

const SCHEMES: [&str; 6] = ["bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"];

/// Refuses what the driver would ignore or misread. No text repeats the address, which may hold a password.
pub fn check(uri: &str) -> Result<(), GraphError> {
    let refuse = |text| Err(GraphError::Address(text));
    let Some(url) = Url::parse(uri).ok().filter(|url| SCHEMES.contains(&url.scheme()) && url.has_host())
    else {
        return refuse(
            "takes bolt://, bolt+s://, bolt+ssc://, neo4j://, neo4j+s:// or neo4j+ssc:// and a host, such as \
             bolt://localhost:7687",
        );
    };
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("takes no user and no password; set NEO4J_USER and NEO4J_PASSWORD");
    }
    if !matches!(url.path(), "" | "/") {
        return refuse("takes no path: the graph is in the user's home database");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refuse("takes nothing after the port: routing policies are not supported");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn every_scheme_of_neo4j_is_taken() {
        for scheme in super::SCHEMES {
            assert_eq!(check(&format!("{scheme}://neo4j.example.com:7687")), Ok(()));
        }
        assert_eq!(check("bolt://[::1]"), Ok(()));
        assert_eq!(check("bolt://127.0.0.1/"), Ok(()));
    }

    #[test]
    fn what_the_driver_cannot_do_is_refused() {
        for (uri, text) in [
            ("localhost:7687", "takes bolt://"),
            ("http://localhost:7474", "takes bolt://"),
            ("bolt://", "takes bolt://"),
            ("", "takes bolt://"),
            ("bolt://neo4j:hidden@localhost", "takes no user"),
            ("neo4j://localhost/memory", "takes no path"),
            ("neo4j://localhost?policy=eu", "takes nothing after the port"),
        ] {
            let error = check(uri).unwrap_err();
            assert!(error.to_string().starts_with(&format!("NEO4J_URI {text}")), "{uri}: {error}");
            assert!(!error.to_string().contains("hidden"));
        }
    }
}
