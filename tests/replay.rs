//! Replays the corpus of the fuzzer (`fuzz/`): input that reached new code, and input that once
//! broke something. Each file must take at most a second or two.

mod common;

use common::fuzz::TARGETS;
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn nothing_that_the_fuzzer_has_found_breaks_anything() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for (name, target) in TARGETS {
        let mut files: Vec<_> = std::fs::read_dir(corpus.join(name))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        assert!(!files.is_empty(), "{name}");
        for file in &files {
            let data = std::fs::read(file).unwrap();
            let begun = Instant::now();
            target(&data);
            let took = begun.elapsed();
            assert!(
                took < Duration::from_secs(10),
                "{}: {took:?}",
                file.display()
            );
        }
        eprintln!("{name}: {} files", files.len());
    }
}
