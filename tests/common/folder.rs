//! Temporary files of a test.

use std::ops::Deref;
use std::path::{Path, PathBuf};

/// A folder that is deleted when the test ends, also by a panic.
pub struct Folder(PathBuf);

impl Folder {
    /// Create a folder. Tests of one program must use different names.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("ponnuki-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// The path of a file in it, which need not exist.
    pub fn file(&self, name: &str) -> String {
        self.join(name).to_str().unwrap().to_owned()
    }

    /// Write a file and return its path.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        std::fs::write(self.join(name), text).unwrap();
        self.file(name)
    }

    /// Read a file.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.join(name)).unwrap()
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
