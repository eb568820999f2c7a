//! Every command, once. Lookup, `list_commands`, `known_command`, `help` and the
//! table in `docs/commands.md` are made from it.

use super::error::{GtpError, quote};
use super::handlers::{
    admin, analysis, board, clock, end, files, gogui, handicap, network, params, pictures, play,
    rules, servers, setup,
};
use super::parse::Args;
use super::session::Session;
use super::wire::Stream;
use crate::player::Settings;
use crate::types::similar;

/// What a handler makes of its arguments: the text of the reply.
type Answer = fn(&mut Session, &Args<'_>) -> Result<String, GtpError>;

/// What a handler that talks while it runs makes of its arguments: the text that
/// follows the lines that it has written by then.
type Talk = fn(&mut Session, &Args<'_>, &mut Stream<'_>) -> Result<String, GtpError>;

#[derive(Clone, Copy, Debug)]
enum Handler {
    Answer(Answer),
    Talk(Talk),
}

/// A command.
#[derive(Debug)]
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// Its arguments, optional ones in brackets.
    pub arguments: &'static str,
    /// Fewest and most arguments.
    pub arity: (usize, usize),
    /// What it does, in one line.
    pub doc: &'static str,
    handler: Handler,
}

impl Command {
    /// Check the number of arguments and run the handler.
    ///
    /// # Errors
    /// A syntax error with the synopsis, or what the handler says.
    pub fn run(
        &self,
        session: &mut Session,
        args: &Args<'_>,
        stream: &mut Stream<'_>,
    ) -> Result<String, GtpError> {
        let (least, most) = self.arity;
        if !(least..=most).contains(&args.len()) {
            let usage = format!("{} {}", self.name, self.arguments);
            return Err(GtpError::syntax(format_args!(
                "usage: {}",
                usage.trim_end()
            )));
        }
        match self.handler {
            Handler::Answer(handler) => handler(session, args),
            Handler::Talk(handler) => handler(session, args, stream),
        }
    }
}

/// Any number of arguments.
const ANY: usize = usize::MAX;

/// `=>` marks a handler that talks while it runs.
macro_rules! commands {
    ($($name:literal $arguments:literal $arity:expr,
       $($answer:path)? $(=> $talk:path)?, $doc:literal;)*) => {
        &[$(Command {
            name: $name,
            arguments: $arguments,
            arity: $arity,
            doc: $doc,
            handler: $(Handler::Answer($answer))? $(Handler::Talk($talk))?,
        },)*]
    };
}

/// Every command, by concern.
pub const COMMANDS: &[Command] = commands! {
    "protocol_version" "" (0, 0), admin::protocol_version, "version of the protocol: 2";
    "name" "" (0, 0), admin::name, "name of the engine";
    "version" "" (0, 0), admin::version, "version of the engine";
    "known_command" "NAME" (1, 1), known_command, "is there a command of this name?";
    "list_commands" "" (0, 0), list_commands, "all commands, one a line";
    "help" "[NAME]" (0, 1), help, "what a command does, or all of them";
    "quit" "" (0, 0), admin::quit, "end the program";
    "cputime" "" (0, 0), admin::cputime, "processor time used so far, in seconds";
    "gomill-cpu_time" "" (0, 0), admin::cputime, "the same";
    "gomill-describe_engine" "" (0, 0), admin::describe, "name, version, network and threads of the engine";
    "boardsize" "N [ROWS]" (1, 2), board::boardsize, "empty board of N columns and rows, 2 to 25";
    "rectangular_boardsize" "COLUMNS ROWS" (2, 2), board::boardsize, "empty board, 2 to 25 either way";
    "clear_board" "" (0, 0), board::clear_board, "new game on the same board; komi, rules and time stay";
    "komi" "POINTS" (1, 1), board::komi, "set the komi, any number up to 10000 either way";
    "get_komi" "" (0, 0), board::get_komi, "komi in force";
    "showboard" "" (0, 0), board::showboard, "diagram of the position";
    "play" "COLOR VERTEX" (2, 2), play::play, "play a move, or pass, for either colour";
    "genmove" "COLOR" (1, 1), => play::genmove, "choose a move and play it, pass, or resign";
    "kgs-genmove_cleanup" "COLOR" (1, 1), play::genmove_cleanup, "genmove after a dispute: dead stones are captured before it passes";
    "reg_genmove" "COLOR" (1, 1), play::reg_genmove, "choose a move by a search within --playouts, --visits and --time, short and always the same without them; nothing changes";
    "undo" "" (0, 0), play::undo, "take back the last turn";
    "gg-undo" "[N]" (0, 1), play::gg_undo, "take back the last N turns";
    "all_legal" "COLOR" (1, 1), play::all_legal, "all legal points of a player";
    "ponnuki-all_illegal" "COLOR" (1, 1), setup::all_illegal, "empty points where a player may not play";
    "ponnuki-legality" "COLOR VERTEX" (2, 2), setup::legality, "is a move legal, and if not, by which article";
    "set_position" "COLOR VERTEX …" (0, ANY), setup::set_position, "these stones in place of the game";
    "gogui-setup" "COLOR VERTEX …" (0, ANY), setup::gogui_setup, "these stones beside those already set up";
    "gogui-setup_player" "COLOR" (1, 1), setup::gogui_setup_player, "who is to move";
    "gogui-play_sequence" "COLOR VERTEX …" (0, ANY), setup::gogui_play_sequence, "play all of these moves, or none if one is illegal";
    "gogui-interrupt" "" (0, 0), setup::gogui_interrupt, "the comment `# interrupt` is understood";
    "fixed_handicap" "N" (1, 1), handicap::fixed, "place N handicap stones on the traditional points";
    "place_free_handicap" "N" (1, 1), handicap::place_free, "place exactly N handicap stones";
    "set_free_handicap" "VERTEX VERTEX …" (0, ANY), handicap::set_free, "place these handicap stones";
    "time_settings" "MAIN PERIOD STONES" (3, 3), clock::time_settings, "time system, in seconds";
    "kgs-time_settings" "SYSTEM …" (1, 4), clock::kgs_time_settings, "none, absolute M, byoyomi M T PERIODS or canadian M T STONES";
    "kata-time_settings" "SYSTEM …" (1, 5), clock::kata_time_settings, "none, absolute, byoyomi or canadian as for kgs-time_settings, fischer M INCREMENT, or fischer-capped M INCREMENT LIMIT LONGEST";
    "kata-debug-print-tc" "" (0, 0), clock::kata_debug_print_tc, "the time system and what is left to each player, on a line each";
    "kata-list_time_settings" "" (0, 0), clock::kata_list_time_settings, "systems that kata-time_settings knows";
    "time_left" "COLOR SECONDS STONES" (3, 3), clock::time_left, "time left to a player; 0 stones: main time; periods with byo-yomi";
    "final_score" "" (0, 0), end::final_score, "result by the rules in force, dead stones taken off";
    "final_status_list" "STATUS" (1, 1), end::final_status_list, "chains that are dead, alive or in seki; or points: black_territory, white_territory, dame";
    "ponnuki-outcome" "[RESULT]" (0, 1), end::outcome, "how the game has ended; or that it has: W+R, W+T, W+F, 0, void, both-lose";
    "ponnuki-resume" "COLOR" (1, 1), end::resume, "take a game up again that passes have ended: COLOR asks for it; says who moves first by the rules";
    "ponnuki-explain" "VERTEX" (1, 1), gogui::explain, "why the chain there is alive, in seki or dead: proved, with the play that shows it, or estimated";
    "ponnuki-explain_line" "VERTEX" (1, 1), gogui::explain_line, "the play that proves the status of the chain there, as moves; empty if it is estimated";
    "ponnuki-chain_status" "" (0, 0), gogui::chain_status, "a colour for each chain: green alive, yellow in seki, red dead";
    "ponnuki-territory" "" (0, 0), gogui::territory, "a colour for each point: whose it is";
    "analyze" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => analysis::analyze, "kata-analyze with the keys of lz-analyze; not listed, as Sabaki would take it instead of kata-analyze";
    "genmove_analyze" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => analysis::genmove_analyze, "genmove with lines of analyze, then `play MOVE`; not listed";
    "lz-analyze" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => analysis::lz_analyze, "search until any input comes, with a line of analysis now and then";
    "lz-genmove_analyze" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => analysis::lz_genmove, "genmove with lines of lz-analyze, then `play MOVE`";
    "kata-analyze" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => analysis::kata_analyze, "lz-analyze in KataGo's format; keys: interval, minmoves, maxmoves, avoid, allow, rootInfo, ownership, ownershipStdev, movesOwnership, movesOwnershipStdev, pvVisits, pvEdgeVisits, noResultValue";
    "kata-genmove_analyze" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => analysis::kata_genmove, "genmove with lines of kata-analyze, then `play MOVE`";
    "kata-search" "COLOR" (1, 1), analysis::kata_search, "the move that genmove would make; nothing is played";
    "kata-search_cancellable" "COLOR" (1, 1), => analysis::kata_search_cancellable, "kata-search that any input cancels";
    "kata-search_analyze" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => analysis::kata_search_analyze, "kata-genmove_analyze without playing the move";
    "kata-search_analyze_cancellable" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => analysis::kata_search_analyze_cancellable, "kata-search_analyze that any input cancels";
    "cgos-genmove_analyze" "COLOR" (1, 1), => analysis::cgos_genmove, "genmove with a line of JSON for CGOS, then `play MOVE`";
    "kata-raw-nn" "[COLOR] SYMMETRY|all [OPTIMISM]" (1, 3), network::kata_raw_nn, "what the network says of the position, in a symmetry from 0 to 7, on an oblong board to 3, or in all of them";
    "stop" "" (0, 0), analysis::stop, "stop searching while the opponent thinks";
    "clear_cache" "" (0, 0), analysis::clear_cache, "forget what has been searched";
    "top_moves" "[COLOR]" (0, 1), analysis::top_moves, "the best moves of a short fixed search, with win rates in percent";
    "estimate_score" "" (0, 0), analysis::estimate_score, "who leads by how much after a short fixed search";
    "ponnuki-ownership" "" (0, 0), pictures::ownership, "final ownership after a short fixed search, 1 Black's, -1 White's";
    "ponnuki-prior" "" (0, 0), pictures::prior, "the prior of each move, relative to the highest";
    "ponnuki-visits" "" (0, 0), pictures::visits, "the visits of each move";
    "ponnuki-win_rates" "" (0, 0), pictures::win_rates, "the win rate of each move, in percent";
    "ponnuki-variation" "" (0, 0), pictures::variation, "the principal variation as moves";
    "ponnuki-param" "[NAME VALUE]" (0, 2), params::gogui, "parameters for GoGui's dialog, or set one";
    "gogui-analyze_commands" "" (0, 0), gogui::analyze_commands, "entries of GoGui's analysis menu";
    "kata-get-rules" "" (0, 0), rules::get, "rules in force, as JSON";
    "kata-set-rules" "NAME|JSON" (1, ANY), rules::set, "change the rules";
    "kata-set-rule" "KEY VALUE" (2, 2), rules::set_one, "change one rule";
    "kgs-rules" "NAME" (1, 1), rules::kgs, "japanese, chinese, aga or new_zealand";
    "gomill-explain_last_move" "" (0, 0), servers::explain_last_move, "win rate, lead and playouts of the engine's last move";
    "kgs-game_over" "" (0, 0), servers::kgs_game_over, "the game has ended or is adjourned; nothing is forgotten";
    "kgs-chat" "KIND NAME MESSAGE" (2, ANY), servers::kgs_chat, "answer a question in chat; only with --kgs-chat";
    "kata-list-params" "" (0, 0), params::list, "names of the parameters that can be changed";
    "kata-get-param" "NAME" (1, 1), params::get, "the value of a parameter";
    "kata-set-param" "NAME VALUE" (2, 2), params::set, "change a parameter";
    "kata-get-params" "" (0, 0), params::get_all, "all parameters, as JSON";
    "kata-get-models" "" (0, 0), network::kata_get_models, "the network in use, as JSON";
    "kata-set-params" "JSON" (1, ANY), params::set_all, "change several parameters";
    "loadsgf" "FILE [MOVE]" (1, ANY), files::loadsgf, "load a game record, up to before a move";
    "printsgf" "[FILE]" (0, ANY), files::printsgf, "the game as a record";
    "savesgf" "FILE" (1, ANY), files::savesgf, "write the game to a file";
};

/// Commands that exist only where a setting asks for them: what is listed gets
/// sent, and some clients cannot cope with it.
const ON_REQUEST: &[(&str, Wanted)] = &[("kgs-chat", |s| s.kgs_chat)];

type Wanted = fn(&Settings) -> bool;

/// Commands that are answered but not listed: Sabaki takes them before those that can tell it
/// more.
const UNLISTED: [&str; 2] = ["analyze", "genmove_analyze"];

/// The commands there are with these settings.
fn available(settings: &Settings) -> impl Iterator<Item = &'static Command> {
    let hidden = |c: &Command| {
        let asked = ON_REQUEST.iter().find(|(name, _)| *name == c.name);
        asked.is_some_and(|(_, wanted)| !wanted(settings))
    };
    COMMANDS.iter().filter(move |c| !hidden(c))
}

/// The command of this name.
pub fn find(name: &str, settings: &Settings) -> Option<&'static Command> {
    available(settings).find(|c| c.name == name)
}

/// Similarity from which a mistyped name is taken for a command's, from 0 to 1.
const SIMILAR: f64 = 0.8;

/// The command that a mistyped name may mean.
pub fn meant(name: &str, settings: &Settings) -> Option<&'static str> {
    let names = available(settings).map(|c| c.name);
    let meant = similar(&name.to_ascii_lowercase(), names, SIMILAR);
    meant.first().copied()
}

// What the table says of itself.

fn known_command(session: &mut Session, args: &Args<'_>) -> Result<String, GtpError> {
    let known = find(args.word(0)?, session.engine.settings());
    Ok(known.is_some().to_string())
}

fn list_commands(session: &mut Session, _: &Args<'_>) -> Result<String, GtpError> {
    let names: Vec<&str> = available(session.engine.settings())
        .map(|c| c.name)
        .filter(|name| !UNLISTED.contains(name))
        .collect();
    Ok(names.join("\n"))
}

fn help(session: &mut Session, args: &Args<'_>) -> Result<String, GtpError> {
    let settings = session.engine.settings();
    let line = |c: &Command| {
        let synopsis = format!("{} {}", c.name, c.arguments);
        format!("{}: {}", synopsis.trim_end(), c.doc)
    };
    match args.get(0) {
        Some(name) => find(name, settings)
            .map(line)
            .ok_or_else(|| GtpError::with("unknown command", quote(name))),
        None => Ok(available(settings).map(line).collect::<Vec<_>>().join("\n")),
    }
}

/// The table in `docs/commands.md`.
pub fn commands_markdown() -> String {
    let mut text = String::from("| command | what it does |\n|---|---|\n");
    for c in COMMANDS {
        let synopsis = format!("{} {}", c.name, c.arguments);
        let synopsis = synopsis.trim_end().replace('|', "\\|");
        text.push_str(&format!("| `{synopsis}` | {} |\n", c.doc));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_words() {
        for (i, c) in COMMANDS.iter().enumerate() {
            assert!(!c.name.contains(char::is_whitespace), "{}", c.name);
            assert!(
                COMMANDS.iter().skip(i + 1).all(|d| d.name != c.name),
                "{}",
                c.name
            );
            assert!(c.arity.0 <= c.arity.1 && !c.doc.is_empty());
        }
    }
}
