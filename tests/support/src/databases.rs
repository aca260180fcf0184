//! What the tests of the example applications run on: SQLite and PostgreSQL, one test list for both.
//!
//! A suite includes its promises twice, as modules `sqlite` and `postgres`; where they stand says which database they get.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::postgres::{Cluster, Database};

/// An empty database of one test.
#[derive(Debug)]
pub struct TestDatabase {
    kind: Kind,
    /// A part of its address that stands nowhere else.
    label: String,
}

#[derive(Debug)]
enum Kind {
    /// The file, and the folder that is removed with it.
    Sqlite(PathBuf, #[expect(dead_code, reason = "it only has to live")] TempDir),
    Postgres(Database),
}

impl TestDatabase {
    /// A database of the kind that the path of a module names.
    ///
    /// # Panics
    ///
    /// If the path names none, or the database cannot be made.
    #[must_use]
    pub fn of(module: &str) -> Self {
        Self::labelled(module, "database")
    }

    /// The same, with `label` in its address.
    ///
    /// # Panics
    ///
    /// If the path names none, or the database cannot be made.
    #[must_use]
    pub fn labelled(module: &str, label: &str) -> Self {
        let names = |kind: &str| module.split("::").any(|name| name == kind);
        let kind = match (names("sqlite"), names("postgres")) {
            (true, false) => {
                let folder = tempfile::tempdir().expect("a temporary folder");
                let file = folder.path().join(label).join("data.db");
                fs::create_dir(folder.path().join(label)).expect("a folder");
                fs::write(&file, "").expect("an empty file");
                Kind::Sqlite(file, folder)
            }
            (false, true) => Kind::Postgres(Cluster::shared().database()),
            _ => panic!("{module} stands neither in a module `sqlite` nor in one `postgres`"),
        };
        Self { kind, label: label.to_owned() }
    }

    /// What an application takes as its address.
    #[must_use]
    pub fn address(&self) -> String {
        match &self.kind {
            Kind::Sqlite(file, _) => format!("sqlite:{}", file.display()),
            Kind::Postgres(database) => format!("{}&application_name={}", database.url(), self.label),
        }
    }

    /// Takes the database away: nobody can open it until it is brought back. Nothing may be connected.
    ///
    /// # Panics
    ///
    /// If it cannot be done.
    pub fn take_away(&self) {
        match &self.kind {
            Kind::Sqlite(file, _) => fs::rename(file, away(file)).expect("renamed"),
            Kind::Postgres(database) => database.take_away(),
        }
    }

    /// Brings it back as it was; false if something was made in its place.
    ///
    /// # Panics
    ///
    /// If it was not taken away.
    pub fn bring_back(&self) -> bool {
        match &self.kind {
            Kind::Sqlite(file, _) => {
                let is_free = !file.exists();
                fs::rename(away(file), file).expect("renamed");
                is_free
            }
            Kind::Postgres(database) => {
                database.bring_back();
                true
            }
        }
    }

    /// Makes it unusable for ever.
    ///
    /// # Panics
    ///
    /// If it cannot be done.
    pub fn spoil(&self) {
        match &self.kind {
            Kind::Sqlite(file, _) => {
                fs::write(file, "this is no database, and longer than a hundred bytes ".repeat(9)).expect("written");
            }
            Kind::Postgres(database) => database.close(),
        }
    }

    /// Whether these bytes stand anywhere in it. Nothing may be connected.
    ///
    /// # Panics
    ///
    /// If it cannot be read.
    #[must_use]
    pub fn holds(&self, needle: &str) -> bool {
        match &self.kind {
            Kind::Postgres(database) => database.dump().contains(needle),
            Kind::Sqlite(file, _) => {
                let files = fs::read_dir(file.parent().expect("a folder")).expect("a folder");
                files
                    .map(|entry| fs::read(entry.expect("a file").path()).expect("a file"))
                    .any(|bytes| bytes.windows(needle.len()).any(|window| window == needle.as_bytes()))
            }
        }
    }
}

fn away(file: &Path) -> PathBuf {
    file.with_extension("away")
}
