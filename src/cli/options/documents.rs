//! What is written about the options: the manual page and completions.

use super::Arguments;
use super::definition::{command, options_of};
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
