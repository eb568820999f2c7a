//! Table of all commands. Lookup, `list_commands`, `known_command`, `help` and
//! `docs/commands.md` derive from it.

use super::error::{GtpError, quote};
use super::handlers::analysis::{Format, Then};
use super::handlers::{
    Reply, admin, analysis, board, clock, end, files, gogui, handicap, network, params, pictures,
    play, rules, servers, setup, solve,
};
use super::parse::Args;
use super::session::Session;
use super::wire::Stream;
use crate::configuration::FrontEnd;
use crate::util::similar;

/// Handler that returns the text of the reply.
type Answer = fn(&mut Session, &Args<'_>) -> Reply;

/// Handler that streams lines while it runs, and returns the text that follows them.
type Streaming = fn(&mut Session, &Args<'_>, &mut Stream<'_>) -> Reply;

#[derive(Clone, Copy, Debug)]
enum Handler {
    Answer(Answer),
    Streaming(Streaming),
}

/// A command.
#[derive(Debug)]
pub struct Command {
    /// Name.
    pub name: &'static str,
    /// Synopsis of the arguments, optional ones in brackets.
    pub arguments: &'static str,
    /// Minimum and maximum number of arguments.
    pub arity: (usize, usize),
    /// Description, in one line.
    pub doc: &'static str,
    handler: Handler,
}

impl Command {
    /// Check the number of arguments and run the handler.
    ///
    /// # Errors
    /// A syntax error with the synopsis, or the handler's error.
    pub fn run(&self, session: &mut Session, args: &Args<'_>, stream: &mut Stream<'_>) -> Reply {
        let (least, most) = self.arity;
        if !(least..=most).contains(&args.len()) {
            return Err(GtpError::syntax(self.usage()));
        }
        let reply = match self.handler {
            Handler::Answer(handler) => handler(session, args),
            Handler::Streaming(handler) => handler(session, args, stream),
        };
        match reply {
            // Some arguments need others.
            Err(e) if e.lacks_argument() => Err(GtpError::syntax(self.usage())),
            reply => reply,
        }
    }

    /// The synopsis, as in an error message.
    fn usage(&self) -> String {
        let usage = format!("usage: {} {}", self.name, self.arguments);
        usage.trim_end().to_owned()
    }
}

/// Any number of arguments.
const ANY: usize = usize::MAX;

/// Builds the table. `=>` marks a streaming handler.
macro_rules! commands {
    ($($name:literal $arguments:literal $arity:expr,
       $($answer:expr)? $(=> $streaming:expr)?, $doc:literal;)*) => {
        &[$(Command {
            name: $name,
            arguments: $arguments,
            arity: $arity,
            doc: $doc,
            handler: $(Handler::Answer($answer))? $(Handler::Streaming($streaming))?,
        },)*]
    };
}

/// Every command, by topic.
pub const COMMANDS: &[Command] = commands! {
    "protocol_version" "" (0, 0), admin::protocol_version, "print the protocol version: 2";
    "name" "" (0, 0), admin::name, "print the engine's name";
    "version" "" (0, 0), admin::version, "print the engine's version";
    "known_command" "NAME" (1, 1), known_command, "check whether a command exists";
    "list_commands" "" (0, 0), list_commands, "list all commands, one per line";
    "help" "[NAME]" (0, 1), help, "describe a command, or all commands";
    "quit" "" (0, 0), admin::quit, "end the program";
    "cputime" "" (0, 0), admin::cputime, "print the processor time used so far, in seconds";
    "gomill-cpu_time" "" (0, 0), admin::cputime, "same as cputime";
    "gomill-describe_engine" "" (0, 0), admin::describe, "print the engine's name, version, networks, threads and limits";
    "boardsize" "N [ROWS]" (1, 2), board::boardsize, "start with an empty board of N columns and rows, 2 to 25";
    "rectangular_boardsize" "COLUMNS ROWS" (2, 2), board::boardsize, "start with an empty board of this size, each side 2 to 25";
    "clear_board" "" (0, 0), board::clear_board, "start a new game with the same board size and time, and the komi and rules that were set";
    "komi" "POINTS" (1, 1), board::komi, "set the komi, from -10000 to 10000";
    "get_komi" "" (0, 0), board::get_komi, "print the komi";
    "showboard" "" (0, 0), board::showboard, "print a diagram of the position";
    "play" "COLOR VERTEX" (2, 2), play::play, "play a move, or pass, for either colour";
    "genmove" "COLOR" (1, 1), => play::genmove, "choose a move and play it, pass, or resign";
    "kgs-genmove_cleanup" "COLOR" (1, 1), play::genmove_cleanup, "genmove after a dispute: capture dead stones instead of passing";
    "reg_genmove" "COLOR" (1, 1), play::reg_genmove, "choose a move without playing it, within --playouts, --visits and --time, or by a short fixed search if none of them is set; without --time the same game and --seed always give the same move";
    "undo" "" (0, 0), play::undo, "take back the last turn";
    "gg-undo" "[N]" (0, 1), play::undo, "take back the last N turns";
    "all_legal" "COLOR" (1, 1), play::all_legal, "list all legal points of a player";
    "ponnuki-all_illegal" "COLOR" (1, 1), setup::all_illegal, "list the empty points where a player may not play";
    "ponnuki-legality" "COLOR VERTEX" (2, 2), setup::legality, "check whether a move is legal; if not, cite the article";
    "set_position" "COLOR VERTEX …" (0, ANY), setup::set_position, "replace the game by a position with these stones";
    "gogui-setup" "COLOR VERTEX …" (0, ANY), setup::gogui_setup, "add these stones to those already set up";
    "gogui-setup_player" "COLOR" (1, 1), setup::gogui_setup_player, "set the player to move";
    "gogui-play_sequence" "COLOR VERTEX …" (0, ANY), setup::gogui_play_sequence, "play all of these moves, or none if one is illegal";
    "gogui-interrupt" "" (0, 0), setup::gogui_interrupt, "confirm that the comment `# interrupt` is supported";
    "fixed_handicap" "N" (1, 1), handicap::fixed, "place N handicap stones on the traditional points";
    "place_free_handicap" "N" (1, 1), handicap::place_free, "place exactly N handicap stones";
    "set_free_handicap" "VERTEX VERTEX …" (0, ANY), handicap::set_free, "place these handicap stones";
    "time_settings" "MAIN PERIOD STONES" (3, 3), clock::time_settings, "set the time system, in seconds";
    "kgs-time_settings" "SYSTEM …" (1, 4), clock::kgs_time_settings, "set the time system: none, absolute M, byoyomi M T PERIODS or canadian M T STONES";
    "kata-time_settings" "SYSTEM …" (1, 5), clock::kata_time_settings, "set the time system: none, absolute, byoyomi or canadian as in kgs-time_settings, fischer M INCREMENT, or fischer-capped M INCREMENT LIMIT LONGEST";
    "kata-debug-print-tc" "" (0, 0), clock::kata_debug_print_tc, "print the time system and the time left, a line for each player";
    "kata-list_time_settings" "" (0, 0), clock::kata_list_time_settings, "list the systems of kata-time_settings";
    "time_left" "COLOR SECONDS STONES" (3, 3), clock::time_left, "set a player's time left; STONES is 0 in main time, and the number of periods left in byo-yomi";
    "final_score" "" (0, 0), end::final_score, "print the result under the current rules, with dead stones removed";
    "final_status_list" "STATUS" (1, 1), end::final_status_list, "list the chains that are dead, alive or seki, or the points that are black_territory, white_territory or dame";
    "ponnuki-outcome" "[RESULT]" (0, 1), end::outcome, "print how the game ended, or declare it: W+R, W+T, W+F, 0, void, both-lose";
    "ponnuki-resume" "COLOR" (1, 1), end::resume, "resume a game that passes have ended, at COLOR's request; print who moves first under the rules";
    "ponnuki-explain" "VERTEX" (1, 1), gogui::explain, "explain why a chain is alive, in seki or dead: proved, with the line of play, or estimated";
    "ponnuki-explain_line" "VERTEX" (1, 1), gogui::explain_line, "print the moves that prove a chain's status; nothing if it is estimated";
    "ponnuki-solve" "COLOR [VERTEX …]" (1, ANY), solve::solve, "solve the group of these chains, or the enclosed group, with COLOR to move first: the best move, the result and the line; limited by --time (default 5 s) and --visits";
    "ponnuki-critical_points" "" (0, 0), gogui::critical_points, "mark the groups that live or die by the next move (triangles), and the points that save them (circles), kill them (squares) or do both (crosses), within --time after the judgement; nothing while a clock runs";
    "ponnuki-chain_status" "" (0, 0), gogui::chain_status, "print a colour for each chain: green alive, yellow in seki, red dead";
    "ponnuki-territory" "" (0, 0), gogui::territory, "print the owner of each point as a colour";
    "analyze" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => |s, a, out| analysis::watch(s, a, out, Format::Plain), "kata-analyze with the keys of lz-analyze; unlisted, because Sabaki would prefer it to kata-analyze";
    "genmove_analyze" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => |s, a, out| analysis::choose(s, a, out, Format::Plain, Then::Play), "genmove with lines of analyze, then `play MOVE`; unlisted";
    "lz-analyze" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => |s, a, out| analysis::watch(s, a, out, Format::Lz), "search until any input arrives, with a line of analysis at intervals";
    "lz-genmove_analyze" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => |s, a, out| analysis::choose(s, a, out, Format::Lz, Then::Play), "genmove with lines of lz-analyze, then `play MOVE`";
    "kata-analyze" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => |s, a, out| analysis::watch(s, a, out, Format::Kata), "lz-analyze in KataGo's format; keys: interval, minmoves, maxmoves, avoid, allow, rootInfo, ownership, ownershipStdev, movesOwnership, movesOwnershipStdev, pvVisits, pvEdgeVisits, noResultValue";
    "kata-genmove_analyze" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => |s, a, out| analysis::choose(s, a, out, Format::Kata, Then::Play), "genmove with lines of kata-analyze, then `play MOVE`";
    "kata-search" "COLOR" (1, 1), analysis::kata_search, "print the move that genmove would play, without playing it";
    "kata-search_cancellable" "COLOR" (1, 1), => analysis::kata_search_cancellable, "kata-search, cancelled by any input";
    "kata-search_analyze" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => |s, a, out| analysis::choose(s, a, out, Format::Kata, Then::Print), "kata-genmove_analyze without playing the move";
    "kata-search_analyze_cancellable" "[COLOR] [CENTISECONDS] [KEY VALUE …]" (0, ANY), => |s, a, out| analysis::choose(s, a, out, Format::Kata, Then::Cancellable), "kata-search_analyze, cancelled by any input";
    "cgos-genmove_analyze" "COLOR" (1, 1), => analysis::cgos_genmove, "genmove with a line of JSON for CGOS, then `play MOVE`";
    "kata-raw-nn" "[COLOR] SYMMETRY|all [OPTIMISM]" (1, 3), network::kata_raw_nn, "print the network's raw output for the position, in one symmetry (0 to 7, or 0 to 3 if the board is not square) or in all";
    "stop" "" (0, 0), analysis::stop, "stop pondering";
    "clear_cache" "" (0, 0), analysis::clear_cache, "clear all results of searches";
    "top_moves" "[COLOR]" (0, 1), analysis::top_moves, "list the best moves of a short fixed search, with win rates in percent";
    "estimate_score" "" (0, 0), analysis::estimate_score, "estimate the score by a short fixed search, or count a game that is over";
    "ponnuki-ownership" "" (0, 0), pictures::ownership, "estimate final ownership by a short fixed search, or count a game that is over: from 1 (Black) to -1 (White)";
    "ponnuki-prior" "" (0, 0), pictures::prior, "print each move's prior by a short fixed search, relative to the highest";
    "ponnuki-visits" "" (0, 0), pictures::visits, "print each move's visits by a short fixed search";
    "ponnuki-variation" "" (0, 0), pictures::variation, "print the principal variation of a short fixed search as moves";
    "ponnuki-param" "[GROUP] [NAME VALUE]" (0, 3), params::gogui, "list the parameters for GoGui's dialogs, all or those of a group, or set one";
    "gogui-analyze_commands" "" (0, 0), gogui::analyze_commands, "list the entries of GoGui's analysis menu";
    "kata-get-rules" "" (0, 0), rules::get, "print the current rules, as JSON";
    "kata-set-rules" "NAME|JSON" (1, ANY), rules::set, "change the rules";
    "kata-set-rule" "KEY VALUE" (2, 2), rules::set_one, "change one rule";
    "kgs-rules" "NAME" (1, 1), rules::kgs, "set the rules to japanese, chinese, aga or new_zealand";
    "gomill-explain_last_move" "" (0, 0), servers::explain_last_move, "print win rate, lead and playouts of the engine's last move";
    "kgs-game_over" "" (0, 0), analysis::stop, "stop pondering when the game has ended or is adjourned; keep the game";
    "kgs-chat" "KIND NAME MESSAGE" (2, ANY), servers::kgs_chat, "answer a question in chat; only with --kgs-chat";
    "kata-list-params" "" (0, 0), params::list, "list the parameters that can change during play";
    "kata-get-param" "NAME" (1, 1), params::get, "print the value of a parameter";
    "kata-set-param" "NAME VALUE" (2, 2), params::set, "change a parameter";
    "kata-get-params" "" (0, 0), params::get_all, "print the parameters that can change during play, as JSON";
    "kata-get-models" "" (0, 0), network::kata_get_models, "list the networks in use, as JSON";
    "kata-set-params" "JSON" (1, ANY), params::set_all, "change several parameters";
    "loadsgf" "FILE [MOVE]" (1, ANY), files::loadsgf, "load a game record; with MOVE, stop before the move of this number";
    "printsgf" "[FILE]" (0, ANY), files::printsgf, "print the game as a record, or write it to a file";
    "savesgf" "FILE" (1, ANY), files::savesgf, "write the game to a file";
};

/// Commands that exist only if a setting enables them: clients send what is listed,
/// and some cannot handle it.
const OPTIONAL: &[(&str, Condition)] = &[("kgs-chat", |s| s.kgs_chat)];

type Condition = fn(&FrontEnd) -> bool;

/// Commands that work but are not listed: Sabaki would prefer them to more informative ones.
const UNLISTED: [&str; 2] = ["analyze", "genmove_analyze"];

/// The commands available with these settings.
fn available(front_end: &FrontEnd) -> impl Iterator<Item = &'static Command> {
    let hidden = |c: &Command| {
        let optional = OPTIONAL.iter().find(|(name, _)| *name == c.name);
        optional.is_some_and(|(_, is_enabled)| !is_enabled(front_end))
    };
    COMMANDS.iter().filter(move |c| !hidden(c))
}

/// Find a command by name.
pub fn find(name: &str, front_end: &FrontEnd) -> Option<&'static Command> {
    available(front_end).find(|c| c.name == name)
}

/// Suggest a command for a mistyped name.
pub fn suggest(name: &str, front_end: &FrontEnd) -> Option<&'static str> {
    let names = available(front_end).map(|c| c.name);
    let similar = similar(&name.to_ascii_lowercase(), names);
    similar.first().copied()
}

// Handlers of the commands about the table itself.

fn known_command(session: &mut Session, args: &Args<'_>) -> Reply {
    let known = find(args.word(0)?, &session.front_end);
    Ok(known.is_some().to_string())
}

fn list_commands(session: &mut Session, _: &Args<'_>) -> Reply {
    let names: Vec<&str> = available(&session.front_end)
        .map(|c| c.name)
        .filter(|name| !UNLISTED.contains(name))
        .collect();
    Ok(names.join("\n"))
}

fn help(session: &mut Session, args: &Args<'_>) -> Reply {
    let front_end = &session.front_end;
    let line = |c: &Command| {
        let synopsis = format!("{} {}", c.name, c.arguments);
        format!("{}: {}", synopsis.trim_end(), c.doc)
    };
    match args.get(0) {
        Some(name) => find(name, front_end)
            .map(line)
            .ok_or_else(|| GtpError::with("unknown command", quote(name))),
        None => Ok(available(front_end)
            .map(line)
            .collect::<Vec<_>>()
            .join("\n")),
    }
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
