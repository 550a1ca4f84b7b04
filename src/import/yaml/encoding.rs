//! Bytes to text: UTF-8 and UTF-16, with or without a byte-order mark.
//!
//! Windows shells write UTF-16 when they redirect `kubectl get … > dump.yaml`.

/// The text in `bytes`, without its byte-order mark.
///
/// # Errors
///
/// A sentence without subject ("is not text …") if the bytes are neither UTF-8 nor UTF-16.
pub fn decode(bytes: &[u8]) -> Result<String, String> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        // ASCII comes first in every manifest, so one of the first two bytes of UTF-16 is zero.
        [first, 0, ..] if *first != 0 => utf16(bytes, u16::from_le_bytes),
        [0, second, ..] if *second != 0 => utf16(bytes, u16::from_be_bytes),
        _ => utf8(bytes),
    }
}

fn utf8(bytes: &[u8]) -> Result<String, String> {
    if bytes.contains(&0) {
        return Err("is not text: it contains zero bytes".to_owned());
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1;
        format!("is not text in UTF-8 or UTF-16: line {line} holds other bytes")
    })?;
    Ok(text.to_owned())
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    match text {
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => Err("is not text in UTF-8 or UTF-16".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_of_the_same_text_reads_the_same() {
        let text = "name: größe\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [
            text.as_bytes().to_vec(),
            [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
            [&[0xFF, 0xFE], &little[..]].concat(),
            [&[0xFE, 0xFF], &big[..]].concat(),
            little,
            big,
        ] {
            assert_eq!(decode(&bytes).as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_line() {
        let error = decode(b"a: 1\nb: \xFF\n").unwrap_err();
        assert_eq!(error, "is not text in UTF-8 or UTF-16: line 2 holds other bytes");
        assert!(decode(b"\x1F\x8B\x08\x00\x00").is_err());
        assert!(decode(&[0xFF, 0xFE, 0x00, 0xD8]).is_err());
    }
}
