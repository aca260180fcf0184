//! The command line: what it is, and `--help` that teaches it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use super::exit::Exit;
use super::host_config::Host;
use super::prompts;
use super::start::{print, say};
use crate::entry::OwnCommand;

const AFTER: &str = "\
Examples:
  {bin} init launch.toml                     write a launch file to start from
  {bin} list launch.toml                     what is declared, to choose from
  {bin} check launch.toml                    what a host would see, and what is missing
  {bin} try launch.toml                      start the entry as a host would, and list its tools
  {bin} try launch.toml PLUGIN.METHOD '{}'   call one of them, with its arguments as JSON
  {bin} call launch.toml PLUGIN METHOD --input '{}'
  {bin} pending                              prompts that wait for a yes; then allow ID or deny ID
  {bin} host-config launch.toml --host claude-code
  {bin} serve launch.toml                    what a host runs; speaks MCP on standard input and output

The log goes to standard error; OPGATE_LOG=opgate=info adds a line for each call.
Exit status: 0; 1 the operation failed or its answer could not be written; 2 arguments or input; 3 the launch was refused; 4 the drain took too long.";

const AFTER_INIT: &str = "\
Without --allow, what only reads is allowed, and everything else stands there behind a #.

Examples:
  {bin} init launch.toml
  {bin} init launch.toml --allow orders.find --allow orders.export --identity support";

const AFTER_CALL: &str = "\
Without --input, --stdin or a file the arguments are {}. The result goes to standard output, a diagnostic to standard error.

Examples:
  {bin} call launch.toml orders find --input '{\"id\":\"o-1\"}'
  {bin} call launch.toml orders find --input @order.json
  echo '{\"id\":\"o-1\"}' | {bin} call launch.toml orders find --stdin";

const AFTER_TRY: &str = "\
Examples:
  {bin} try launch.toml
  {bin} try launch.toml orders.find '{\"id\":\"o-1\"}'
  {bin} try --frames launch.toml operation_0 '{\"id\":\"o-1\"}'   every message, on standard error";

const AFTER_HOST_CONFIG: &str = "\
Examples:
  {bin} host-config launch.toml --host claude-code
  {bin} host-config launch.toml --host codex --name orders >> ~/.codex/config.toml";

const AFTER_COMPLETIONS: &str = "\
Examples:
  {bin} completions bash > ~/.local/share/bash-completion/completions/{bin}
  {bin} completions zsh > ~/.zfunc/_{bin}";

const AFTER_CHECK: &str = "\
Examples:
  {bin} check launch.toml
  {bin} check --json launch.toml";

/// `described`: the launch file names the application.
pub(super) fn command(own: &[OwnCommand], described: bool) -> Command {
    let binary = binary_name();
    let examples = |text: &str| text.replace("{bin}", &binary);
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON for a program");
    let launch = Arg::new("LAUNCH").required(true).value_parser(value_parser!(PathBuf)).help("The launch file");
    let mut command = Command::new(binary.clone())
        .version(env!("CARGO_PKG_VERSION"))
        .about("Serves an application's allowed operations to an MCP host, one call at a time")
        .after_help(examples(AFTER))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("serve")
                .about("Serve MCP on standard input and output until the input ends or a signal comes")
                .arg(launch.clone()),
        )
        .subcommand(
            Command::new("check")
                .about("Validate a launch and show what it exposes; starts nothing but `describe`")
                .after_help(examples(AFTER_CHECK))
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
                .after_help(examples(AFTER_CALL))
                .arg(launch.clone())
                .arg(Arg::new("PLUGIN").required(true).help("The plugin id"))
                .arg(Arg::new("METHOD").required(true).help("The method"))
                .arg(
                    Arg::new("input")
                        .long("input")
                        .value_name("JSON|@FILE")
                        .help("The arguments, or the file they are in"),
                )
                .arg(
                    Arg::new("stdin")
                        .long("stdin")
                        .action(ArgAction::SetTrue)
                        .help("Read the arguments from standard input"),
                )
                .group(ArgGroup::new("source").args(["input", "stdin"])),
        )
        .subcommand(
            Command::new("try")
                .about("Start this entry as a host would; list its tools, or call one")
                .after_help(examples(AFTER_TRY))
                .arg(launch.clone())
                .arg(
                    Arg::new("frames")
                        .long("frames")
                        .action(ArgAction::SetTrue)
                        .help("Show every message on standard error"),
                )
                .arg(Arg::new("TOOL").help("A tool's name or its plugin.method"))
                .arg(Arg::new("ARGUMENTS").help("Its arguments as JSON").default_value("{}"))
                .arg(json),
        )
        .subcommand(init(described).after_help(examples(AFTER_INIT)))
        .subcommand(
            Command::new("host-config")
                .about("Print what to paste into a host: absolute paths, and only the names of variables")
                .after_help(examples(AFTER_HOST_CONFIG))
                .arg(launch)
                .arg(Arg::new("host").long("host").required(true).value_parser(value_parser!(Host)).help("The host"))
                .arg(Arg::new("name").long("name").help(
                    "What the host calls the server; by default the application's name, or else the launch file's",
                )),
        )
        .subcommand(
            Command::new("completions")
                .about("Print a shell's completions of these commands")
                .after_help(examples(AFTER_COMPLETIONS))
                .arg(Arg::new("SHELL").required(true).value_parser(value_parser!(Shell)).help("The shell")),
        );
    command = command.subcommands(prompts::commands());
    for own in own {
        // The name of one that is there already is never reached.
        if command.find_subcommand(own.name).is_some() || own.name == "help" {
            continue;
        }
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

fn init(described: bool) -> Command {
    let command = Command::new("init")
        .about("Write a commented launch file to start from")
        .arg(Arg::new("LAUNCH").required(true).value_parser(value_parser!(PathBuf)).help("The file to write"))
        .arg(
            Arg::new("allow")
                .long("allow")
                .value_name("PLUGIN.METHOD")
                .action(ArgAction::Append)
                .help("An operation to allow; may be repeated"),
        )
        .arg(Arg::new("identity").long("identity").help("A label for logs and prompts"))
        .arg(Arg::new("force").long("force").action(ArgAction::SetTrue).help("Write over a file that is there"));
    if !described {
        return command;
    }
    let application =
        Arg::new("application").long("application").value_name("FILE").value_parser(value_parser!(PathBuf));
    command.arg(application.help("The application's file; by default application.toml beside LAUNCH"))
}

/// Prints a shell's completions.
pub(super) fn completions(mut command: Command, arguments: &ArgMatches) -> Exit {
    let Some(shell) = arguments.get_one::<Shell>("SHELL").copied() else { return Exit::Usage };
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, binary_name(), &mut text);
    #[expect(clippy::disallowed_methods, reason = "no frames are written by this command")]
    match print(std::io::stdout(), &String::from_utf8_lossy(&text)) {
        Ok(()) => Exit::Ok,
        Err(_) => Exit::Failed,
    }
}

/// Ends a command that cannot begin.
pub(super) fn refuse(problem: &str) -> Exit {
    say(&rustix::stdio::stderr(), &format!("opgate: {problem}"));
    Exit::Usage
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

#[cfg(test)]
mod tests {
    use std::process::ExitCode;

    use super::*;

    #[test]
    fn a_command_of_the_applications_own_takes_no_name_of_opgates() {
        let own = |name, about| OwnCommand { name, about, run: Box::new(|_| ExitCode::SUCCESS) };
        let own = ["check", "pending", "help", "migrate", "migrate"].map(|name| own(name, "Own."));
        for described in [false, true] {
            let mut command = command(&own, described);
            command.build();
            let about = |name| command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            assert!(
                ["check", "pending", "help"].into_iter().all(|name| about(name).is_some_and(|about| about != "Own."))
            );
            assert_eq!(about("migrate").as_deref(), Some("Own."));
        }
    }
}
