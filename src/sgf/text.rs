//! Text encodings of records.

use super::SgfError;
use super::collection::{games, unescaped};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};
use std::borrow::Cow;

/// Decode a file. The encoding is, in this order: that of the byte order mark; UTF-16 if the
/// bytes look like it; UTF-8 if the bytes are valid; the one that the record names (CA); the
/// most likely one by the bytes.
///
/// The whole file is decoded before it is parsed, because in some encodings the second byte
/// of a character looks like a bracket or a backslash.
///
/// # Errors
/// [`SgfError::Encoding`] if the encoding is not supported.
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, SgfError> {
    let plain = |encoding: &'static Encoding, text| encoding.decode_without_bom_handling(text).0;
    if is_utf32(bytes) {
        return Err(SgfError::Encoding("UTF-32".to_owned()));
    }
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return Ok(plain(encoding, bytes.get(mark..).unwrap_or_default()));
    }
    if let Some(encoding) = utf16(bytes) {
        return Ok(plain(encoding, bytes));
    }
    let name = charset(bytes);
    // The name is in single bytes, so the text is not UTF-16 even if the name says so: a converted
    // file has kept its old name.
    let named = name.as_deref().and_then(encoding_of);
    let named = named.filter(|&e| ![UTF_8, UTF_16LE, UTF_16BE].contains(&e));
    // Escape sequences of seven-bit encodings are valid UTF-8 too.
    let escaped = bytes.is_ascii() && bytes.iter().any(|&b| matches!(b, 0x1b | b'~'));
    if escaped && let Some(name) = name.filter(|name| is_unsupported_seven_bit(name)) {
        return Err(SgfError::Encoding(name));
    }
    if !(escaped && named == Some(ISO_2022_JP))
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Ok(Cow::Borrowed(text));
    }
    Ok(match named {
        Some(encoding) => decoded(encoding, bytes),
        None => guessed(bytes),
    })
}

/// Decode a file of several records to UTF-8 if it cannot be split otherwise: it has a byte order
/// mark, is UTF-16, or has characters whose last byte looks like a bracket. If it can, returns
/// `None`, and each record may name its own encoding.
pub fn decode_archive(bytes: &[u8]) -> Option<String> {
    let marked = Encoding::for_bom(bytes).is_some() || utf16(bytes).is_some();
    if !marked && std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    // If decoding fails, reading the records reports the reason.
    let text = decode(bytes).ok()?;
    let more = || games(text.as_bytes()).count() > games(bytes).count();
    (marked || more()).then(|| text.into_owned())
}

/// Is this UTF-32? Tests for a byte order mark, or the opening parenthesis of a record.
fn is_utf32(bytes: &[u8]) -> bool {
    let start = bytes.get(..SAMPLE).unwrap_or(bytes);
    let mut pairs = start.chunks_exact(4).zip(start.chunks_exact(4).skip(1));
    let begins = |four: (&[u8], &[u8])| {
        matches!(
            four,
            ([b'(', 0, 0, 0], [1..=255, 0, 0, 0]) | ([0, 0, 0, b'('], [0, 0, 0, 1..=255])
        )
    };
    start.starts_with(b"\xff\xfe\0\0") || start.starts_with(b"\0\0\xfe\xff") || pairs.any(begins)
}

/// Detect UTF-16 without a byte order mark, and its byte order, by the opening parenthesis of a
/// record and the character after it.
fn utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes.get(..SAMPLE).unwrap_or(bytes);
    let mut pairs = start.chunks_exact(2).zip(start.chunks_exact(2).skip(1));
    pairs.find_map(|two| match two {
        ([b'(', 0], [1..=255, 0]) => Some(UTF_16LE),
        ([0, b'('], [0, 1..=255]) => Some(UTF_16BE),
        _ => None,
    })
}

/// Decode the bytes. Some programs cut off the second half of a character, for example at the
/// end of a name; the closing bracket after it must not be decoded as that half.
fn decoded<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Cow<'a, str> {
    let text = encoding.decode_without_bom_handling(bytes).0;
    let faults_before = faults(&text);
    if faults_before > 0 {
        let apart = brackets_apart(bytes);
        let apart = encoding.decode_without_bom_handling(&apart).0;
        if faults(&apart) < faults_before {
            return apart.into_owned().into();
        }
    }
    text
}

/// Insert a blank before each closing bracket that could be read as half of a character.
fn brackets_apart(bytes: &[u8]) -> Vec<u8> {
    let mut apart = Vec::with_capacity(bytes.len());
    for &b in bytes {
        if b == b']' && apart.last().is_some_and(|last: &u8| !last.is_ascii()) {
            apart.push(b' ');
        }
        apart.push(b);
    }
    apart
}

/// Decode in the most likely encoding. If many characters are lost, guess again with the
/// brackets separated from the characters before them.
fn guessed(bytes: &[u8]) -> Cow<'_, str> {
    let guess = |bytes: &[u8]| {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(bytes.get(..SAMPLE).unwrap_or(bytes), true);
        detector.guess(None, Utf8Detection::Allow)
    };
    let encoding = guess(bytes);
    let text = decoded(encoding, bytes);
    let lost = text.matches(char::REPLACEMENT_CHARACTER).count();
    let foreign = text.chars().filter(|c| !c.is_ascii()).count();
    if MIN_CHARS_PER_LOSS * lost <= foreign {
        return text;
    }
    decoded(guess(&brackets_apart(bytes)), bytes)
}

/// A guessed encoding is kept if at most one in this many non-ASCII characters is lost.
const MIN_CHARS_PER_LOSS: usize = 10;

/// The number of syntax faults in a record: opening brackets within values, and characters
/// between values that belong to no property name.
fn faults(text: &str) -> usize {
    let outside =
        |b: u8| b.is_ascii_alphabetic() || b.is_ascii_whitespace() || b"[;()".contains(&b);
    let odd = unescaped(text.as_bytes()).filter(|&(_, b, in_value)| match in_value {
        true => b == b'[',
        false => !outside(b),
    });
    odd.count()
}

/// Number of bytes examined to detect the encoding.
const SAMPLE: usize = 1 << 18;

/// The encoding named by the record (CA).
fn charset(bytes: &[u8]) -> Option<String> {
    let at = bytes.windows(3).take(SAMPLE).position(|w| w == b"CA[")?;
    let rest = bytes.get(at + 3..)?;
    let end = rest.iter().take(40).position(|&b| b == b']')?;
    rest.get(..end)
        .map(|name| String::from_utf8_lossy(name).into_owned())
}

/// Find an encoding by its web label, or by a Microsoft code page or another part of its name.
fn encoding_of(name: &str) -> Option<&'static Encoding> {
    let known = |label: &str| Encoding::for_label_no_replacement(label.as_bytes());
    known(name).or_else(|| {
        let name = name.to_ascii_lowercase();
        let pages = [
            ("932", "shift_jis"),
            ("936", "gbk"),
            ("949", "euc-kr"),
            ("950", "big5"),
            ("sjis", "shift_jis"),
            ("shift", "shift_jis"),
            ("big5", "big5"),
            ("gb", "gb18030"),
        ];
        let page = pages.iter().find(|(part, _)| name.contains(part));
        page.and_then(|(_, label)| known(label))
    })
}

/// Is this a seven-bit encoding with escape sequences that is not supported?
fn is_unsupported_seven_bit(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    let shifts = ["hz", "iso-2022-", "csiso2022", "utf-7"];
    shifts.iter().any(|s| name.starts_with(s)) && encoding_of(&name) != Some(ISO_2022_JP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{BIG5, EUC_JP, EUC_KR, GBK, IBM866, KOI8_R, SHIFT_JIS, WINDOWS_1251};

    fn decode(bytes: &[u8]) -> Cow<'_, str> {
        super::decode(bytes).unwrap()
    }

    const NAMES: [(&str, &Encoding); 6] = [
        // The second bytes of ソ and タ are `\\` and `^`.
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
    fn the_named_encoding_is_used() {
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
    fn an_unnamed_encoding_is_guessed() {
        for (record, encoding) in &NAMES[..5] {
            assert_eq!(decode(&encoding.encode(record).0), *record);
        }
        assert_eq!(decode(b"(;PB[J\xfcrgen])"), "(;PB[Jürgen])");
        assert_eq!(decode("(;PB[Jürgen])".as_bytes()), "(;PB[Jürgen])");
        // The name is wrong.
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
    fn broken_characters_are_decoded() {
        for byte in 0..=255u8 {
            let record = [b"(;CA[Shift_JIS]PB[", &[byte][..], b"];B[aa])"].concat();
            assert!(decode(&record).starts_with("(;CA["), "{byte}");
        }
    }

    /// Even if second bytes of characters look like a bracket or a backslash.
    #[test]
    fn an_archive_is_split_between_its_records() {
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

    fn in_pairs(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    /// A converted file can keep the name of its old encoding, which was once trusted.
    #[test]
    fn utf16_is_read_with_any_name_and_with_or_without_a_mark() {
        for name in ["UTF-16", "UTF-16LE", "UTF-16BE", "utf16", ""] {
            let record =
                format!("\n( ;CA[{name}]PB[坂田栄男]PW[（⠨]C[䀨];B[aa])\n(;CA[{name}];B[bb])");
            for mark in ["", "\u{feff}"] {
                for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
                    let file = in_pairs(&format!("{mark}{record}"), bytes);
                    assert_eq!(decode(&file), record);
                    let archive = decode_archive(&file).unwrap();
                    assert_eq!(archive, record);
                    assert_eq!(games(archive.as_bytes()).count(), 2);
                    // Each game is decoded again.
                    for game in games(archive.as_bytes()) {
                        assert_eq!(decode(game).as_bytes(), game);
                    }
                }
            }
        }
        // Converted to UTF-8 from a Japanese mail encoding.
        let record = "(;CA[ISO-2022-JP]PB[坂田~];B[aa])";
        assert_eq!(decode(record.as_bytes()), record);
        assert_eq!(utf16(b"\0\0\0(;B[aa])"), None);
    }

    #[test]
    fn unsupported_encodings_are_named() {
        let wide = |text: &str, bytes: fn(u32) -> [u8; 4]| -> Vec<u8> {
            text.chars().flat_map(|c| bytes(c.into())).collect()
        };
        let refused = |bytes: &[u8]| super::decode(bytes).unwrap_err().to_string();
        for mark in ["", "\u{feff}"] {
            let record = format!("{mark}(;CA[UTF-32]PB[坂田];B[aa])");
            for bytes in [u32::to_le_bytes, u32::to_be_bytes] {
                let file = wide(&record, bytes);
                assert_eq!(refused(&file), "the encoding UTF-32 is not supported");
                assert_eq!(decode_archive(&file), None);
            }
        }
        // 围棋, with a bracket among its bytes.
        let hz = b"(;CA[HZ-GB-2312]PB[~{N'Fe~}]PW[~{]]~}];B[aa])";
        assert_eq!(refused(hz), "the encoding HZ-GB-2312 is not supported");
        let korean = b"(;CA[ISO-2022-KR]PB[\x1b$)C];B[aa])";
        assert_eq!(refused(korean), "the encoding ISO-2022-KR is not supported");
        // Seven-bit encodings are named, or seem to be used, but are not needed.
        for plain in [
            "(;CA[HZ-GB-2312]PB[Ma];B[aa])",
            "(;CA[HZ]PB[马~{];B[aa])",
            "(;PB[~{];B[aa])",
        ] {
            assert_eq!(decode(plain.as_bytes()), plain);
        }
    }

    /// Some programs cut a name at a number of bytes, in the middle of a character.
    #[test]
    fn a_cut_character_does_not_swallow_the_bracket() {
        for (record, encoding) in &NAMES[..5] {
            for name in ["", &format!("CA[{}]", encoding.name())] {
                let record = record.replace("GM[1]", &format!("GM[1]{name}"));
                let (bytes, ..) = encoding.encode(&record);
                let at = bytes.windows(4).position(|w| w == b"]PW[").unwrap();
                let cut = [&bytes[..at - 1], &bytes[at..]].concat();
                let text = decode(&cut).replace(" ]", "]");
                assert_eq!(faults(&text), 0, "{text}");
                assert_eq!(text.matches("]PW[").count(), 1, "{text}");
                let rest = record.split_once("PW[").unwrap().1;
                assert!(name.is_empty() || text.ends_with(rest), "{text}");
            }
        }
    }

    /// A guess once merged the last letter of a name and the bracket after it.
    #[test]
    fn a_guessed_encoding_does_not_swallow_the_bracket() {
        for name in [
            "Дмитрий",
            "Иван",
            "Сергей",
            "Алексей Лазарев",
            "Я",
            "Илья Шикшин 7д",
            "ы",
        ] {
            let record = format!("(;PB[{name}]PW[x]RE[B+R];B[aa];W[bb]C[{name}])");
            for encoding in [KOI8_R, WINDOWS_1251, IBM866] {
                let (bytes, _, lost) = encoding.encode(&record);
                assert!(!lost);
                let text = decode(&bytes);
                assert_eq!(faults(&text), 0, "{text}");
                assert_eq!(text.matches(']').count(), 6, "{} {text}", encoding.name());
            }
        }
        let record = "(;GM[1]SZ[19]PB[ё]PW[x];B[pd]C[ё];W[dd])";
        let text = decode(&WINDOWS_1251.encode(record).0).into_owned();
        assert!(text.contains("]PW[x];B[pd]"), "{text}");
    }
}
