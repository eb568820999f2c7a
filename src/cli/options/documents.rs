//! What is written about the options: the manual page, completions, and parts of `docs`.

use super::Arguments;
use super::definition::{FILES, command, options_of};
use crate::configuration::{Configuration, PARAMETERS};
use crate::search::SearchParams;
use clap::{Arg, CommandFactory, Id};
use std::io::{self, Write};

/// The command line with each option only at the commands that use it, for generators that do not
/// know hidden options.
fn without_globals() -> clap::Command {
    let whole = command();
    let global = whole.get_arguments().filter(|a| a.is_global_set());
    let global: Vec<Arg> = global.map(|a| a.clone().global(false)).collect();
    let whole = Arguments::command().mut_args(|a| a.global(false));
    let its_own: Vec<Id> = whole.get_arguments().map(|a| a.get_id().clone()).collect();
    let missing = global.iter().filter(|a| !its_own.contains(a.get_id()));
    whole.args(missing.cloned()).mut_subcommands(|command| {
        let used = options_of(command.get_name()).map(|(_, used)| used);
        let uses = |a: &&Arg| {
            a.get_long()
                .is_some_and(|long| used.as_ref().is_none_or(|used| used.contains(&long)))
        };
        command.args(global.iter().filter(uses).cloned())
    })
}

/// Write the manual page, with a section for each command.
///
/// # Errors
/// If it cannot be written.
pub(in crate::cli) fn man(out: &mut impl Write) -> io::Result<()> {
    let mut whole = without_globals();
    whole.build();
    let page = clap_mangen::Man::new(whole.clone()).section("6");
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    for command in whole.get_subcommands().filter(|c| !c.is_hide_set()) {
        let name = command.get_name();
        let about = command.get_about().map(ToString::to_string);
        writeln!(out, ".SH \"PONNUKI {}\"", name.to_uppercase())?;
        writeln!(out, "{}", about.unwrap_or_default())?;
        let mut options = Vec::new();
        clap_mangen::Man::new(command.clone()).render_options_section(&mut options)?;
        // Drop the heading, which is that of the page's own options.
        let options = String::from_utf8_lossy(&options).replacen(".SH OPTIONS\n", "", 1);
        out.write_all(options.as_bytes())?;
    }
    page.render_version_section(out)
}

/// Write the completions for a shell.
///
/// # Errors
/// If they cannot be written.
pub(in crate::cli) fn completions(
    shell: clap_complete::Shell,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut without_globals(), "ponnuki", &mut text);
    out.write_all(&text)
}

/// The options of `docs/options.md` as a table under each heading.
pub fn options_markdown() -> String {
    let command = command();
    let shown = |a: &&Arg| {
        a.get_long()
            .is_some_and(|l| !matches!(l, "help" | "version"))
    };
    let mut text = String::new();
    let mut headings: Vec<&str> = PARAMETERS.iter().map(|p| p.group).collect();
    headings.push(FILES);
    headings.dedup();
    for heading in headings {
        text.push_str(&format!(
            "\n### {heading}\n\n| option | meaning | default |\n|---|---|---|\n"
        ));
        let under = |a: &&Arg| a.get_help_heading().unwrap_or(FILES) == heading;
        for arg in command.get_arguments().filter(shown).filter(under) {
            text.push_str(&row(arg));
        }
    }
    text.push('\n');
    text
}

/// The table row of an option.
fn row(arg: &Arg) -> String {
    let long = arg.get_long().unwrap_or_default();
    let takes_value = arg.get_action().takes_values() && !arg.is_require_equals_set();
    let value = match arg.get_value_names().and_then(|n| n.first()) {
        Some(name) if takes_value => format!(" {name}"),
        _ => String::new(),
    };
    let defaults = arg.get_default_values().iter().filter(|_| takes_value);
    let defaults: Vec<_> = defaults.map(|v| v.to_string_lossy()).collect();
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    format!("| `--{long}{value}` | {help} | {} |\n", defaults.join(" "))
}

/// The sample configuration of `docs/ponnuki.toml`: each setting commented out, with its help and its
/// default, or an example if the default varies.
pub fn sample_configuration() -> String {
    let mut text = String::from(
        "# Settings of Ponnuki: ponnuki --config ponnuki.toml\n\
         #\n\
         # To change one, remove the # before its name. Command-line options override this file.\n",
    );
    let defaults = Configuration::default();
    let mut add = |name: &str, doc: &str, value: &str| {
        let bare = value.parse::<f64>().is_ok() || matches!(value, "true" | "false");
        let value = if bare {
            value.to_owned()
        } else {
            format!("{value:?}")
        };
        text.push_str(&format!("\n{}#{name} = {value}\n", comment(doc)));
    };
    for p in PARAMETERS {
        let default = p.get(&defaults);
        let value = match p.name {
            "komi" => "6.5",
            "size" => "13",
            "threads" | "analysis_threads" => "2",
            "seed" => "1",
            _ => &default,
        };
        add(&p.name.replace('_', "-"), p.doc, value);
    }
    for p in SearchParams::list() {
        add(p.name, p.doc, &defaults.get(p.name).unwrap_or_default());
    }
    text
}

/// Format a sentence as a TOML comment.
fn comment(sentence: &str) -> String {
    let mut lines = vec![String::from("#")];
    for word in sentence.trim_end_matches('.').split(' ') {
        if lines
            .last()
            .is_some_and(|line| line.len() + word.len() > 90)
        {
            lines.push(String::from("#"));
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n") + ".\n"
}
