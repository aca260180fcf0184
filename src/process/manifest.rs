//! `application.toml`: read once, at launch. Nothing is started but explicit `describe` commands.

mod operation;
mod program;
mod schema;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::de::DeTable;

use super::children::Children;
use super::describe::describe;
use super::plugin::Plugin;
use super::{Described, ProcessApplication};
use crate::entry;
use crate::environment::Environment;
use crate::launch::section::{Section, Source};
use crate::launch::{NamedVariable, PinnedFiles, Place, Refusal, is_plugin, nearest, text};

/// What the readers of the parts share.
struct Reading<'r> {
    folder: PathBuf,
    environment: &'r Environment,
    pinned: &'r PinnedFiles,
    children: &'r Children,
    variables: Vec<NamedVariable>,
    warnings: Vec<String>,
    files: Vec<PathBuf>,
}

/// A plugin, and whether its operations are told by a command.
struct Declared {
    plugin: Arc<Plugin>,
    describes: bool,
}

/// Reads the application that a launch file names at `named`.
pub(super) fn read(
    file: &Path,
    named: &Place,
    pinned: &PinnedFiles,
    environment: &Environment,
    children: &Children,
) -> Result<entry::Described<ProcessApplication>, Refusal> {
    if !file.exists() {
        let problem = format!("there is no file {}", file.display());
        return Err(Refusal::new(problem).at(named.clone()).entry("application").advice(
            "name the application.toml of your program; a relative path stands against this file, not the working directory",
        ));
    }
    let text =
        text::read(file, "an application file", "name the application.toml of your program under `application`")?;
    let text: Arc<str> = text.into();
    let source = Source::of(file, &text);
    let document = DeTable::parse(&text).map_err(|error| {
        let span = error.span().unwrap_or_default();
        source.refuse_at(span, format!("it is not TOML: {}", error.message())).near()
    })?;
    let root = Section::root(source, "", &document);
    let folder = text::folder_of(file);
    let mut reading = Reading {
        folder,
        environment,
        pinned,
        children,
        variables: Vec::new(),
        warnings: Vec::new(),
        files: vec![file.to_owned()],
    };
    let name = root.text("name")?.map(str::to_owned);
    let application = reading.application(root)?;
    let Reading { variables, warnings, files, .. } = reading;
    Ok(entry::Described { application, name, variables, warnings, files })
}

impl Reading<'_> {
    fn application(&mut self, root: Section<'_, '_>) -> Result<ProcessApplication, Refusal> {
        root.text("name")?
            .ok_or_else(|| root.missing("name").advice("add name = \"..\" at the top, a word for people"))?;
        let mut plugins = Vec::new();
        let (mut operations, mut mcp_operations) = (Vec::new(), None);
        for (name, value) in root.entries("plugins")?.unwrap_or_default() {
            let key = format!("plugins.{}", name.get_ref());
            let section = root.inside(&key, value).ok_or_else(|| root.wrong(&key, value, "a table"))?;
            if !is_plugin(name.get_ref()) {
                let refusal = root.source.refuse_at(name.span(), "this is no plugin id").entry(root.entry(&key));
                return Err(refusal.advice("use 1 to 128 letters, digits, '_', '-' and '.'"));
            }
            let (plugin, describes) = self.plugin(name.get_ref(), &section)?;
            let place = section.place_of("describe");
            section.finish()?;
            if let Some(program) = &describes {
                let printed = describe(program, &place, &plugin)?;
                operations.extend(printed.operations);
                if let Some(printed) = printed.mcp_operations {
                    mcp_operations.get_or_insert_with(Vec::new).extend(printed);
                }
            }
            plugins.push(Declared { plugin, describes: describes.is_some() });
        }
        if let Some(written) = root.tables("operations")? {
            operations.extend(self.operations(written, &plugins)?);
        }
        if let Some(written) = root.tables("mcp_operations")? {
            mcp_operations.get_or_insert_with(Vec::new).extend(self.operations(written, &plugins)?);
        }
        root.finish()?;
        Ok(ProcessApplication { operations, mcp_operations })
    }

    fn operations(&mut self, written: Vec<Section<'_, '_>>, plugins: &[Declared]) -> Result<Vec<Described>, Refusal> {
        written.into_iter().map(|section| self.operation(section, plugins)).collect()
    }

    fn operation(&mut self, section: Section<'_, '_>, plugins: &[Declared]) -> Result<Described, Refusal> {
        let names = || plugins.iter().map(|declared| declared.plugin.id.as_str());
        let id = section.text("plugin")?.ok_or_else(|| {
            section
                .missing("plugin")
                .advice(format!("add plugin = \"..\", one of: {}", names().collect::<Vec<_>>().join(", ")))
        })?;
        let Some(Declared { plugin, describes }) = plugins.iter().find(|declared| declared.plugin.id == id) else {
            let refusal = section.refuse("plugin", format!("there is no plugin {id:?} in this file"));
            return Err(match nearest(id, names()) {
                Some(near) => refusal.advice(format!("did you mean {near:?}?")),
                None => refusal.advice(format!("add [plugins.{id}] with the command that runs it")),
            });
        };
        if *describes {
            return Err(section
                .refuse("plugin", format!("the operations of {id:?} are told by its `describe` command"))
                .advice("remove this entry, or `describe` from the plugin"));
        }
        let schema = schema::written(&section, &self.folder, &mut self.files)?;
        let described = operation::read(&section, plugin, schema)?;
        section.finish()?;
        Ok(described)
    }
}

/// The operations that a command printed.
pub(super) struct Printed {
    pub(super) operations: Vec<Described>,
    pub(super) mcp_operations: Option<Vec<Described>>,
}

/// Reads what a `describe` command printed, as TOML, with the input schemas apart, in the order of the entries.
pub(super) fn read_printed(
    printed: &str,
    schemas: &[Vec<Option<serde_json::Value>>; 2],
    place: &Place,
    plugin: &Arc<Plugin>,
) -> Result<Printed, Refusal> {
    let shared: Arc<str> = printed.into();
    let source = Source::printed(place, &shared);
    let name = format!("plugins.{}.describe", plugin.id);
    let refuse = |problem: String| Refusal::new(problem).at(place.clone()).entry(name.clone());
    let document = DeTable::parse(printed)
        .map_err(|error| refuse(format!("it printed what has no place here: {}", error.message())))?;
    let root = Section::root(source, name.clone(), &document);
    let read = |sections: Vec<Section<'_, '_>>, schemas: &[Option<serde_json::Value>]| {
        let with_schemas = sections.into_iter().zip(schemas);
        let read = with_schemas.map(|(section, schema)| {
            if let Some(other) = section.text("plugin")?.filter(|other| *other != plugin.id) {
                return Err(section.refuse("plugin", format!("it describes {:?}, not {other:?}", plugin.id)));
            }
            let schema =
                schema.clone().ok_or_else(|| section.missing("input").advice("print the input's JSON Schema"))?;
            if schema["file"].is_string() {
                return Err(section
                    .refuse("input", "a file cannot stand for the schema here")
                    .advice("print the JSON Schema itself"));
            }
            schema::without_keys_at_its_root(&section, &schema)?;
            let described = operation::read(&section, plugin, schema)?;
            section.finish()?;
            Ok(described)
        });
        read.collect::<Result<Vec<_>, _>>()
    };
    let operations = root.tables("operations")?.map(|sections| read(sections, &schemas[0])).transpose()?;
    let mcp_operations = root.tables("mcp_operations")?.map(|sections| read(sections, &schemas[1])).transpose()?;
    root.finish()?;
    Ok(Printed { operations: operations.unwrap_or_default(), mcp_operations })
}
