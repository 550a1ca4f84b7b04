//! Where requests go: `http://echo:8080/echo`, `grpc://cart.shop:7070/Cart/Get`, `tcp://db:5432`.

use std::fmt;
use std::str::FromStr;

/// What is spoken to the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// HTTP/1.1 in plain text, as the application sends it.
    Http,
    /// TLS that the application starts itself.
    Https,
    /// gRPC: HTTP/2 in plain text.
    Grpc,
    /// A connection without requests that a proxy could see.
    Tcp,
}

impl Scheme {
    const ALL: [Self; 4] = [Self::Http, Self::Https, Self::Grpc, Self::Tcp];

    fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::Grpc => "grpc",
            Self::Tcp => "tcp",
        }
    }

    fn default_port(self) -> Option<u16> {
        match self {
            Self::Http => Some(80),
            Self::Https => Some(443),
            Self::Grpc | Self::Tcp => None,
        }
    }
}

/// A target as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlSpec {
    /// What is spoken.
    pub scheme: Scheme,
    /// A Service (`echo`, `echo.shop`, `echo.shop.svc.cluster.local`), a host outside, or an IPv4 address.
    pub host: String,
    /// The port dialled; 80 and 443 for `http` and `https` that give none.
    pub port: u16,
    /// Path with query, starting with `/`; `/` for TCP.
    pub path: String,
}

/// Why a text is no target: the end of a sentence that starts with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidUrl(String);

impl fmt::Display for InvalidUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidUrl {}

fn invalid(reason: impl Into<String>) -> InvalidUrl {
    InvalidUrl(reason.into())
}

impl FromStr for UrlSpec {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, InvalidUrl> {
        let (scheme, rest) = text.split_once("://").ok_or_else(|| {
            invalid("must be a URL such as `http://echo:8080/path` or `tcp://db:5432`")
        })?;
        let scheme =
            Scheme::ALL.into_iter().find(|candidate| candidate.as_str() == scheme).ok_or_else(
                || invalid("must start with `http://`, `https://`, `grpc://` or `tcp://`"),
            )?;
        let (authority, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, "/"),
        };
        let (host, port) = split_port(authority, scheme)?;
        if !is_host(host) {
            return Err(invalid("must name a host after `://`, such as `echo` or `echo.shop`"));
        }
        check_path(path, scheme)?;
        Ok(Self { scheme, host: host.to_owned(), port, path: path.to_owned() })
    }
}

fn split_port(authority: &str, scheme: Scheme) -> Result<(&str, u16), InvalidUrl> {
    let Some((host, port)) = authority.rsplit_once(':') else {
        let port = scheme.default_port();
        let missing = || invalid("must give a port, as in `tcp://db:5432`");
        return Ok((authority, port.ok_or_else(missing)?));
    };
    match port.parse() {
        Ok(0) | Err(_) => Err(invalid("must give a port between 1 and 65535")),
        Ok(port) => Ok((host, port)),
    }
}

fn is_host(host: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    host.len() <= 253 && host.split('.').all(is_label)
}

fn check_path(path: &str, scheme: Scheme) -> Result<(), InvalidUrl> {
    if scheme == Scheme::Tcp && path != "/" {
        return Err(invalid("must have no path: TCP knows none"));
    }
    if path.contains(|c: char| c.is_whitespace() || c == '#') {
        return Err(invalid("must have a path without spaces and `#`"));
    }
    Ok(())
}

impl fmt::Display for UrlSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.scheme == Scheme::Tcp { "" } else { self.path.as_str() };
        write!(f, "{}://{}:{}{path}", self.scheme.as_str(), self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_with_the_default_ports_of_their_schemes() {
        for (text, shown) in [
            ("http://echo:8080/echo", "http://echo:8080/echo"),
            ("http://echo", "http://echo:80/"),
            ("https://echo.shop/a?b=c", "https://echo.shop:443/a?b=c"),
            ("grpc://cart.shop.svc.cluster.local:7070", "grpc://cart.shop.svc.cluster.local:7070/"),
            ("tcp://10.0.0.7:5432", "tcp://10.0.0.7:5432"),
        ] {
            assert_eq!(text.parse::<UrlSpec>().map(|url| url.to_string()).as_deref(), Ok(shown));
        }
    }

    #[test]
    fn what_is_no_target_is_refused() {
        for text in [
            "echo:8080",
            "ftp://a:1",
            "http://",
            "http://:80",
            "http://a:0",
            "http://a:99999",
            "tcp://db",
            "tcp://db:1/x",
            "http://a b/",
            "http://a/b c",
            "http://a..b/",
            "http://[::1]:80/",
        ] {
            assert!(text.parse::<UrlSpec>().is_err(), "{text}");
        }
    }
}
