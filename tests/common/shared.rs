//! Files outside the repository, in `../shared`.

use std::path::{Path, PathBuf};

/// The path of a shared file. If it is missing, the test must be skipped, which is printed; with
/// `PONNUKI_CI` set, it fails instead.
pub fn shared(name: &str, test: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(
        std::env::var_os("PONNUKI_CI").is_none(),
        "{} is missing",
        path.display()
    );
    eprintln!("skipped: {test}: {} is missing", path.display());
    None
}
