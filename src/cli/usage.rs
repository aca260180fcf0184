//! The command line: what it is, and `--help` that teaches it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};

use super::prompts;
use crate::entry::OwnCommand;

const AFTER: &str = "\
Examples:
  {bin} list launch.toml                     what is declared, to choose from
  {bin} check launch.toml                    what a host would see, and what is missing
  {bin} try launch.toml                      start the entry as a host would, and list its tools
  {bin} try launch.toml PLUGIN.METHOD '{}'   call one of them, with its arguments as JSON
  {bin} call launch.toml PLUGIN METHOD --input '{}'
  {bin} pending                              prompts that wait for a yes; then allow ID or deny ID
  {bin} serve launch.toml                    what a host runs; speaks MCP on standard input and output

Exit status: 0; 1 the operation failed or its answer could not be written; 2 arguments or input; 3 the launch was refused.";

pub(super) fn command(own: &[OwnCommand]) -> Command {
    let binary = binary_name();
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON for a program");
    let launch = Arg::new("LAUNCH").required(true).value_parser(value_parser!(PathBuf)).help("The launch file");
    let mut command = Command::new(binary.clone())
        .version(env!("CARGO_PKG_VERSION"))
        .about("Serves an application's allowed operations to an MCP host, one call at a time")
        .after_help(AFTER.replace("{bin}", &binary))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("serve")
                .about("Serve MCP on standard input and output until the input ends or a signal comes")
                .arg(launch.clone()),
        )
        .subcommand(
            Command::new("check")
                .about("Validate a launch and show what it exposes; starts nothing")
                .arg(launch.clone())
                .arg(json.clone()),
        )
        .subcommand(
            Command::new("list")
                .about("List every declared operation and whether it is allowed")
                .arg(launch.clone())
                .arg(json.clone()),
        )
        .subcommand(
            Command::new("call")
                .about("Run one operation from the command line, through the same gate")
                .after_help("Without --input, --stdin or a file the arguments are {}. The result goes to standard output, a diagnostic to standard error.")
                .arg(launch.clone())
                .arg(Arg::new("PLUGIN").required(true).help("The plugin id"))
                .arg(Arg::new("METHOD").required(true).help("The method"))
                .arg(Arg::new("input").long("input").value_name("JSON|@FILE").help("The arguments, or the file they are in"))
                .arg(Arg::new("stdin").long("stdin").action(ArgAction::SetTrue).help("Read the arguments from standard input"))
                .group(ArgGroup::new("source").args(["input", "stdin"])),
        )
        .subcommand(
            Command::new("try")
                .about("Start this entry as a host would; list its tools, or call one")
                .arg(launch)
                .arg(Arg::new("TOOL").help("A tool's name or its plugin.method"))
                .arg(Arg::new("ARGUMENTS").help("Its arguments as JSON").default_value("{}"))
                .arg(json),
        );
    command = command.subcommands(prompts::commands());
    for own in own {
        command = command.subcommand(
            Command::new(own.name).about(own.about).disable_help_flag(true).arg(
                Arg::new("arguments")
                    .num_args(0..)
                    .trailing_var_arg(true)
                    .allow_hyphen_values(true)
                    .value_parser(value_parser!(OsString)),
            ),
        );
    }
    command
}

/// The launch file a command was given.
pub(super) fn launch(arguments: &ArgMatches) -> &Path {
    arguments.get_one::<PathBuf>("LAUNCH").map_or(Path::new(""), PathBuf::as_path)
}

/// The name this program was started by.
pub(super) fn binary_name() -> String {
    std::env::args_os()
        .next()
        .and_then(|path| Path::new(&path).file_name().map(|name| name.to_string_lossy().into_owned()))
        .unwrap_or_else(|| "opgate".to_owned())
}
