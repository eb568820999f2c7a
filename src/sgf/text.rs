//! The encoding of a record.

use super::games;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;

/// A file as text: in the encoding of its byte order mark; or that which the record names
/// (CA), unless it is UTF-8 by its bytes; or that which its bytes look most like.
///
/// All of it is decoded before it is parsed: in some encodings the second byte of a
/// character looks like a bracket or a backslash.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let text = bytes.get(mark..).unwrap_or_default();
        return encoding.decode_without_bom_handling(text).0;
    }
    let named = charset(bytes).filter(|&e| e != UTF_8);
    // Escape sequences of seven bits are no sign of UTF-8.
    let escaped = named.is_some_and(|e| !e.is_ascii_compatible());
    if !escaped && let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let encoding = named.unwrap_or_else(|| {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        let start = bytes.get(..LOOKED_AT).unwrap_or(bytes);
        detector.feed(start, true);
        detector.guess(None, Utf8Detection::Allow)
    });
    encoding.decode_without_bom_handling(bytes).0
}

/// A file of several records as UTF-8, if it must be decoded before it is cut into them: by
/// its byte order mark, or because a character of its encoding ends in a byte that looks like
/// a bracket. Records that name an encoding of their own are left as they are otherwise.
pub fn decode_archive(bytes: &[u8]) -> Option<String> {
    let marked = Encoding::for_bom(bytes).is_some();
    if !marked && std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let text = decode(bytes);
    let more = || games(text.as_bytes()).count() > games(bytes).count();
    (marked || more()).then(|| text.into_owned())
}

/// As much of a file is enough to guess its encoding.
const LOOKED_AT: usize = 1 << 18;

/// The encoding that the record names, by one of the names that the web knows or a number
/// of Microsoft's.
fn charset(bytes: &[u8]) -> Option<&'static Encoding> {
    let at = bytes.windows(3).take(LOOKED_AT).position(|w| w == b"CA[")?;
    let rest = bytes.get(at + 3..)?;
    let end = rest.iter().take(40).position(|&b| b == b']')?;
    let name = rest.get(..end)?;
    let number = |label| Encoding::for_label_no_replacement(label);
    Encoding::for_label_no_replacement(name).or_else(|| {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        let pages = [
            ("932", &b"shift_jis"[..]),
            ("936", b"gbk"),
            ("949", b"euc-kr"),
            ("950", b"big5"),
            ("sjis", b"shift_jis"),
            ("shift", b"shift_jis"),
            ("big5", b"big5"),
            ("gb", b"gb18030"),
        ];
        let page = pages.iter().find(|(part, _)| name.contains(part));
        page.and_then(|(_, label)| number(label))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{BIG5, EUC_JP, EUC_KR, GBK, ISO_2022_JP, SHIFT_JIS};

    const NAMES: [(&str, &Encoding); 6] = [
        // So and ta of katakana: the second bytes are `\\` and `^`.
        (
            "(;GM[1]PB[ソタ 藤沢秀行]PW[坂田栄男]EV[本因坊戦];B[aa])",
            SHIFT_JIS,
        ),
        ("(;GM[1]PB[藤沢秀行]PW[坂田栄男]EV[本因坊戦];B[aa])", EUC_JP),
        (
            "(;GM[1]PB[聂卫平 长]PW[马晓春]EV[全国围棋个人赛];B[aa])",
            GBK,
        ),
        (
            "(;GM[1]PB[林海峯 功]PW[周俊勳]EV[第一屆世界圍棋錦標賽];B[aa])",
            BIG5,
        ),
        (
            "(;GM[1]PB[조훈현]PW[이창호]EV[국수전 도전기];B[aa])",
            EUC_KR,
        ),
        ("(;GM[1]PB[藤沢秀行];B[aa])", ISO_2022_JP),
    ];

    #[test]
    fn the_encoding_that_a_record_names() {
        for (record, encoding) in NAMES {
            let record = record.replace("GM[1]", &format!("GM[1]CA[{}]", encoding.name()));
            let (bytes, _, lost) = encoding.encode(&record);
            assert!(!lost && bytes != record.as_bytes(), "{record}");
            assert_eq!(decode(&bytes), record);
        }
        let other = [("CP932", SHIFT_JIS), ("MS936", GBK), ("gb2312-80", GBK)];
        for (name, encoding) in other {
            let record = format!("(;CA[{name}]PB[一二三];B[aa])");
            assert_eq!(decode(&encoding.encode(&record).0), record);
        }
    }

    #[test]
    fn an_encoding_that_nobody_names_is_guessed() {
        for (record, encoding) in &NAMES[..5] {
            assert_eq!(decode(&encoding.encode(record).0), *record);
        }
        assert_eq!(decode(b"(;PB[J\xfcrgen])"), "(;PB[Jürgen])");
        assert_eq!(decode("(;PB[Jürgen])".as_bytes()), "(;PB[Jürgen])");
        // It says one thing and is another.
        let record = "(;CA[GBK]PB[Jürgen])";
        assert_eq!(decode(record.as_bytes()), record);
    }

    #[test]
    fn a_byte_order_mark_decides() {
        let record = "(;PB[坂田];B[aa])";
        let little: Vec<u8> = record.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = record.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&[&b"\xff\xfe"[..], &little].concat()), record);
        assert_eq!(decode(&[&b"\xfe\xff"[..], &big].concat()), record);
        assert_eq!(
            decode(&[b"\xef\xbb\xbf", record.as_bytes()].concat()),
            record
        );
        assert_eq!(decode(b"\xff\xfe"), "");
        assert_eq!(decode(b"\xff\xfe("), "\u{fffd}");
    }

    #[test]
    fn nothing_is_too_broken_to_decode() {
        for byte in 0..=255u8 {
            let record = [b"(;CA[Shift_JIS]PB[", &[byte][..], b"];B[aa])"].concat();
            assert!(decode(&record).starts_with("(;CA["), "{byte}");
        }
    }

    /// Second bytes of characters that look like a bracket or a backslash lose no game.
    #[test]
    fn an_archive_is_cut_between_its_records() {
        let text = "(;GM[1]CA[X];B[ee];W[cc]C[白四十])\n(;GM[1]CA[X];B[dd]C[成功])\n";
        for encoding in [SHIFT_JIS, BIG5, GBK] {
            let text = match encoding == BIG5 {
                true => text.replace("四十", "成功"),
                false => text.to_owned(),
            };
            let text = text.replace("CA[X]", &format!("CA[{}]", encoding.name()));
            let (bytes, ..) = encoding.encode(&text);
            let decoded = decode_archive(&bytes);
            let whole = decoded.as_deref().map_or(&bytes[..], str::as_bytes);
            assert_eq!(games(whole).count(), 2, "{}", encoding.name());
        }
        let utf16: Vec<u8> = "\u{feff}(;GM[1])(;GM[1])"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(decode_archive(&utf16).unwrap(), "(;GM[1])(;GM[1])");
        assert_eq!(decode_archive(text.as_bytes()), None);
    }
}
