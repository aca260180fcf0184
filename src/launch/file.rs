//! The launch file: read once, whole, before anything is started.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::de::DeTable;

use super::Side;
use super::binding::FileBinding;
use super::covered::{contexts, covered};
use super::limits::Limits;
use super::masking::Masking;
use super::pinned::PinnedFiles;
use super::pins::Pins;
use super::refusal::{Place, Refusal};
use super::section::{AT_THE_TOP, Section, Source};
use super::text::resolve;
use super::tools::ToolOptions;

/// What a launch file fixes for the life of the process.
#[derive(Debug)]
pub(crate) struct LaunchFile {
    pub(crate) path: PathBuf,
    /// The file of a process application, and where it is named.
    pub(crate) application: Option<(PathBuf, Place)>,
    pub(crate) pinned: PinnedFiles,
    pub(crate) allow: Vec<Allowed>,
    pub(crate) identity: Option<String>,
    pub(crate) limits: Limits,
    /// `[binding]`: what the file supplies for MCP.
    pub(crate) mcp: FileBinding,
    /// `[cli.binding]`: the same for `call` alone.
    pub(crate) cli: FileBinding,
    pub(crate) masking: Masking,
    pub(crate) audit: Option<AuditFile>,
    pub(crate) tools: ToolOptions,
    pub(crate) pins: Pins,
}

/// `[audit]`: where calls are recorded, and where the launch file says so.
#[derive(Debug)]
pub(crate) struct AuditFile {
    pub(crate) path: PathBuf,
    pub(crate) place: Refusal,
}

/// One entry of the allowlist, as written.
#[derive(Debug)]
pub(crate) struct Allowed {
    pub(crate) name: String,
    pub(crate) place: Place,
}

impl LaunchFile {
    /// What the file supplies for one side.
    pub(crate) fn binding(&self, side: Side) -> &FileBinding {
        match side {
            Side::Mcp => &self.mcp,
            Side::Cli => &self.cli,
        }
    }

    pub(crate) fn read(path: &Path) -> Result<Self, Refusal> {
        let advice = "name an existing launch file; `init` writes one to start from";
        let text = super::text::read(path, "a launch file", advice)?;
        Self::parse(path, &text)
    }

    /// What a file would say that exposes nothing yet.
    pub(crate) fn draft(path: &Path, application: Option<PathBuf>) -> Self {
        let place = Place::in_line(path, "", 1, 1);
        Self {
            path: path.to_owned(),
            application: application.map(|file| (file, place)),
            pinned: PinnedFiles::default(),
            allow: Vec::new(),
            identity: None,
            limits: Limits::default(),
            mcp: FileBinding::default(),
            cli: FileBinding::default(),
            masking: Masking::default(),
            audit: None,
            tools: ToolOptions::default(),
            pins: Pins::default(),
        }
    }

    fn parse(path: &Path, text: &str) -> Result<Self, Refusal> {
        let document = DeTable::parse(text).map_err(|error| not_toml(path, text, &error))?;
        let shown = covered(text, &contexts(document.get_ref()));
        let root = Section::root(Source::of(path, &shown).private(), "", &document);
        let [allow, application, identity] = AT_THE_TOP;
        let file = root.text(application)?;
        let application = file.map(|file| (resolve(path, file), root.place_of(application)));
        let allow = root.texts(allow)?.map(|allow| {
            let entry = |(offset, name): (usize, &str)| Allowed {
                name: name.to_owned(),
                place: root.source.place(offset..offset + name.len() + 2),
            };
            allow.into_iter().map(entry).collect()
        });
        let identity = root.text(identity)?.map(str::to_owned);
        let limits = root.table("limits")?.map_or_else(|| Ok(Limits::default()), Limits::read)?;
        let mcp = root.table("binding")?.map_or_else(|| Ok(FileBinding::default()), FileBinding::read)?;
        let cli = match root.table("cli")? {
            None => FileBinding::default(),
            Some(cli) => {
                let binding = cli.table("binding")?.map_or_else(|| Ok(FileBinding::default()), FileBinding::read)?;
                cli.finish()?;
                binding.without_a_client()?
            }
        };
        let masking = root.table("redaction")?.map_or_else(|| Ok(Masking::default()), Masking::read)?;
        let audit = root.table("audit")?.map(audit).transpose()?;
        let tools = root.table("tools")?.map_or_else(|| Ok(ToolOptions::default()), ToolOptions::read)?;
        let (pins, pinned) = match root.table("pins")? {
            None => (Pins::default(), PinnedFiles::default()),
            Some(section) => (Pins::read(&section)?, PinnedFiles::read(path, &section)?),
        };
        root.finish()?;
        let allow = allow.ok_or_else(|| {
            Refusal::new("missing").file(path).entry("allow").advice(
                "add allow = [\"plugin.method\", ..] above the first [table]; allow = [] is valid and exposes nothing",
            )
        })?;
        Ok(Self {
            path: path.to_owned(),
            application,
            pinned,
            allow,
            identity,
            limits,
            mcp,
            cli,
            masking,
            audit,
            tools,
            pins,
        })
    }
}

/// What is no TOML does not tell where its context is: with one, no line is shown.
fn not_toml(path: &Path, text: &str, error: &toml::de::Error) -> Refusal {
    let text: Arc<str> = text.into();
    let (source, offset) = (Source::of(path, &text), error.span().map_or(0, |span| span.start));
    let problem = format!("it is not TOML: {}", error.message());
    if text.contains("context") {
        return Refusal::new(problem).file(path).line(source.line(offset));
    }
    source.refuse(offset, problem).near()
}

fn audit(section: Section<'_, '_>) -> Result<AuditFile, Refusal> {
    let path = section.path("file")?.ok_or_else(|| section.missing("file"))?;
    let place = section.refuse("file", String::new());
    section.finish()?;
    Ok(AuditFile { path, place })
}

#[cfg(test)]
impl LaunchFile {
    /// A file that allows these operations, one a line.
    pub(super) fn allowing(path: &str, names: &[&str]) -> Self {
        let text =
            format!("allow = [{}]", names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(",\n"));
        Self::parse(Path::new(path), &text).unwrap_or_else(|refusal| panic!("{refusal}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<LaunchFile, String> {
        LaunchFile::parse(Path::new("launch.toml"), text).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn a_whole_file_is_read_with_its_lines() {
        let file =
            parse("identity = \"alice\"\nallow = [\n  \"a.b\",\n  \"a.c\",\n]\n[limits]\nmax_output_bytes = 91\n")
                .expect("valid");
        assert_eq!(
            file.allow.iter().map(|entry| (entry.name.as_str(), entry.place.line)).collect::<Vec<_>>(),
            [("a.b", 3), ("a.c", 4)]
        );
        assert_eq!(file.identity.as_deref(), Some("alice"));
        assert_eq!(file.limits, Limits { output: 91, ..Limits::default() });
    }

    #[test]
    fn an_empty_allowlist_is_valid_and_a_missing_one_is_not() {
        assert!(parse("allow = []").is_ok_and(|file| file.allow.is_empty()));
        assert!(parse("identity = \"x\"").is_err_and(|message| message.contains("allow: missing")));
    }

    #[test]
    fn refusals_name_file_line_and_entry() {
        for (text, expected) in [
            ("allow = []\n\nalow = 1", "launch refused: launch.toml:3: alow: unknown key\n  did you mean allow?"),
            (
                "allow = []\n[limits]\nmax_output = 1",
                "launch refused: launch.toml:3: limits.max_output: unknown key\n  did you mean max_output_bytes?",
            ),
            (
                "allow = []\nzzz = 1",
                "launch refused: launch.toml:2: zzz: unknown key\n  this file may hold: application, allow, identity, limits, binding, cli, redaction, audit, tools, pins",
            ),
            (
                "allow = []\n[limits]\nmax_output_bytes = 90",
                "launch refused: launch.toml:3: limits.max_output_bytes: expected an integer of at least 91",
            ),
            (
                "allow = []\n[limits]\nmax_input_bytes = 0",
                "launch refused: launch.toml:3: limits.max_input_bytes: expected an integer of at least 1",
            ),
            (
                "allow = []\n[limits]\nmax_input_bytes = -5",
                "launch refused: launch.toml:3: limits.max_input_bytes: expected an integer of at least 1",
            ),
            (
                "allow = []\n[limits]\nmax_input_bytes = 1.5",
                "launch refused: launch.toml:3: limits.max_input_bytes: expected a positive integer, found float",
            ),
            (
                "allow = []\n[limits]\nmax_input_bytes = 99999999999999999999999",
                "launch refused: launch.toml:3: limits.max_input_bytes: expected an integer of at least 1",
            ),
            ("allow = [\"a.b\",\n 7]", "launch refused: launch.toml:2: allow[1]: expected a text, found integer"),
            ("allow = \"a.b\"", "launch refused: launch.toml:1: allow: expected a list of texts, found string"),
            (
                "[limits]\nallow = []",
                "launch refused: launch.toml:2: limits.allow: unknown key\n  move it above the first [table]: a key belongs to the table above it",
            ),
            (
                "allow = []\nmax_output_bytes = 100",
                "launch refused: launch.toml:2: max_output_bytes: unknown key\n  write it below [limits]",
            ),
            ("alow = []", "launch refused: launch.toml:1: alow: unknown key\n  did you mean allow?"),
            (
                "allow = []\n[limits]\nmax_input_bytes = \"5\"",
                "launch refused: launch.toml:3: limits.max_input_bytes: expected a positive integer, found string\n  write the number without quotes",
            ),
            ("allow = []\nidentity = 1", "launch refused: launch.toml:2: identity: expected a text, found integer"),
        ] {
            assert_eq!(parse(text).err().as_deref(), Some(expected), "{text}");
        }
        assert!(
            parse("allow = []\n\n[audit]").is_err_and(|message| message.contains("launch.toml:3: audit.file: missing"))
        );
        assert!(
            parse("allow = []\n[redaction]\nsecrets = [\n{}\n]")
                .is_err_and(|message| message.contains("launch.toml:4: redaction.secrets[0].env: missing"))
        );
        assert!(parse("allow = [").is_err_and(|message| message.contains("launch.toml:1: allow: it is not TOML")));
        assert!(
            parse("allow = []\nallow = []")
                .is_err_and(|message| message.contains("launch.toml:2: allow: it is not TOML"))
        );
    }
}
