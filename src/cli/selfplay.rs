//! `ponnuki selfplay`: games to train a network on.

use super::files::lock;
use super::numbers::{integer, share};
use super::terminal::{printed, progress_bar};
use crate::dataset::{Game, SelfPlay};
use crate::net::Network;
use crate::player::Settings;
use crate::rules::Ruleset;
use crate::sgf;
use crate::util::{locked, open_regular, read_line};
use clap::Args;
use flate2::read::MultiGzDecoder;
use indicatif::ProgressBar;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Options of `ponnuki selfplay`.
#[derive(Debug, Args)]
pub(super) struct Selfplay {
    /// File of the games; games already in it are not played again
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of games
    #[arg(long, value_name = "N", value_parser = integer(1..=100_000_000u32))]
    games: u32,
    /// Number of the first game; files with different numbers can be combined
    #[arg(long, value_name = "N", default_value = "0", value_parser = integer(0..=4_000_000_000u32))]
    from: u32,
    /// Network file of an opponent, which is White in even-numbered games and Black in the others
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Games that some games continue: an output of selfplay, or SGF (one per line, may be gzipped)
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Share of the games that continue a record
    #[arg(long, value_name = "SHARE", default_value = "0.35", value_parser = share())]
    recorded: f32,
    /// Evaluate positions with the network on the server at this address (training/serve.py)
    #[arg(long, value_name = "HOST:PORT")]
    server: Option<String>,
    /// Games played at once [default: one per thread, or 1024 with a server]
    #[arg(long, value_name = "N", value_parser = integer(1..=16384u32))]
    at_once: Option<u32>,
    /// Leave out every Nth record of --records, beginning with the first, for testing
    #[arg(long, value_name = "N", default_value = "10", value_parser = integer(2..=u64::MAX))]
    held_out: u64,
}

/// Batches in flight to a server: one is sent while another is computed.
const BATCHES: usize = 2;
/// Games played at once with a server.
const SERVED: usize = 1024;

/// Magic number of a file of games.
const MAGIC: &[u8; 8] = b"PONNUKIG";
/// Longest game, in bytes.
const LONGEST: usize = 1 << 20;

/// Longest record of an archive, in bytes; longer ones are skipped.
const LONGEST_RECORD: usize = 16 << 20;

/// Maximum number of records to continue. All are kept in memory, about 1 KB each.
const MOST_RECORDS: usize = 1_000_000;

/// Play the missing games, with the settings' visits per move, or by the raw policy if
/// visits are not set.
///
/// # Errors
/// A message that says what is wrong with an option or a file.
pub(super) fn run(
    args: &Selfplay,
    network: Network,
    settings: &Settings,
    out: &mut impl Write,
) -> Result<(), String> {
    let records = args.records_to_continue()?;
    let name = args.out.display();
    let server = args.server.as_deref();
    let mut networks = vec![Arc::new(served(network, server)?)];
    if let Some(path) = &args.against {
        let opponent = Network::open(path).map_err(|e| format!("{}: {e}", path.display()))?;
        networks.push(Arc::new(served(opponent, server)?));
    }
    let players = args.players(&networks, settings)?;
    let opened = open(&args.out, settings.seed);
    let (file, known) = opened.map_err(|e| format!("{name}: {e}"))?;
    let end = args.from.saturating_add(args.games);
    let bar = progress_bar(args.games.into());
    let here = known.iter().filter(|n| (args.from..end).contains(n));
    bar.set_position(here.count() as u64);
    let work = Work {
        args,
        networks: &networks,
        known: &known,
        records: &records,
        next: AtomicU32::new(args.from),
        end,
        file: Mutex::new((file, None)),
        played: AtomicU32::new(0),
        turns: AtomicU32::new(0),
        bar: &bar,
    };
    std::thread::scope(|scope| {
        for player in players {
            scope.spawn(|| work.run(player));
        }
    });
    bar.finish_and_clear();
    if let Some(e) = locked(&work.file).1.take() {
        return Err(e);
    }
    let seconds = bar.elapsed().as_secs_f64();
    let turns = f64::from(work.turns.load(Relaxed));
    printed(writeln!(
        out,
        "{} games in {name}; {turns} turns now, {:.0} a second",
        known.len() + work.played.load(Relaxed) as usize,
        turns / seconds.max(1e-3)
    ))
}

/// State shared by the players.
struct Work<'a> {
    args: &'a Selfplay,
    networks: &'a [Arc<Network>],
    /// Numbers of the games already in the file.
    known: &'a HashSet<u32>,
    records: &'a [Game],
    next: AtomicU32,
    end: u32,
    /// The file, and why no more games can be added to it.
    file: Mutex<(File, Option<String>)>,
    played: AtomicU32,
    turns: AtomicU32,
    bar: &'a ProgressBar,
}

impl Work<'_> {
    /// Play games until all are played, or one cannot be added to the file.
    fn run(&self, mut player: SelfPlay) {
        loop {
            let number = self.next.fetch_add(1, Relaxed);
            if number >= self.end {
                return;
            }
            if self.known.contains(&number) {
                continue;
            }
            if locked(&self.file).1.is_some() {
                return;
            }
            let game = player.play(number, self.records);
            self.turns.fetch_add(game.turns.len() as u32, Relaxed);
            let (file, failed) = &mut *locked(&self.file);
            // Games after an incomplete one could not be read.
            if failed.is_some() {
                return;
            }
            match self.add(file, &game) {
                Ok(()) => self.played.fetch_add(1, Relaxed),
                Err(e) => {
                    *failed = Some(e);
                    return;
                }
            };
            self.bar.inc(1);
        }
    }

    /// Add a game to the file, unless a server failed while it was played.
    fn add(&self, file: &mut File, game: &Game) -> Result<(), String> {
        let failure = self.networks.iter().find_map(|n| n.server_failure());
        if let Some(e) = failure {
            return Err(format!("--server {e}"));
        }
        let name = self.args.out.display();
        append(file, game).map_err(|e| format!("cannot write {name}: {e}"))
    }
}

impl Selfplay {
    /// A player for each game played at once, with the network and its opponent, if any.
    fn players(
        &self,
        networks: &[Arc<Network>],
        settings: &Settings,
    ) -> Result<Vec<SelfPlay>, String> {
        let &Settings { seed, threads, .. } = settings;
        let visits = settings.limits.visits.unwrap_or(1);
        let at_once = match (self.at_once, &self.server) {
            (Some(n), _) => n as usize,
            (None, Some(_)) => SERVED,
            (None, None) => threads,
        };
        let [network, opponent @ ..] = networks else {
            return Ok(Vec::new());
        };
        let player = |_| {
            let player = SelfPlay::new(network.clone(), visits, seed).map_err(|e| e.to_string())?;
            let player = player.on(settings.size)?.continuing_records(self.recorded);
            match opponent.first() {
                Some(opponent) => player
                    .against(opponent.clone(), visits)
                    .map_err(|e| e.to_string()),
                None => Ok(player),
            }
        };
        (0..at_once).map(player).collect()
    }

    /// The games of `--records`, without those held out.
    fn records_to_continue(&self) -> Result<Vec<Game>, String> {
        let Some(path) = &self.records else {
            return Ok(Vec::new());
        };
        let every = self.held_out;
        let (records, _) = read(path, move |n| n % every != 0)?;
        let records = records.take(MOST_RECORDS + 1);
        let records = records.collect::<Result<Vec<Game>, String>>()?;
        match records.len() > MOST_RECORDS {
            true => Err(format!("--records: more than {MOST_RECORDS} games")),
            false => Ok(records),
        }
    }
}

/// Let the server at this address, if any, evaluate the network.
pub(super) fn served(network: Network, server: Option<&str>) -> Result<Network, String> {
    match server {
        Some(address) => network
            .served_by(address, BATCHES)
            .map_err(|e| format!("--server {address}: {e}")),
        None => Ok(network),
    }
}

fn append(file: &mut File, game: &Game) -> std::io::Result<()> {
    let bytes = game.encode();
    // One write, so that at worst the last game is cut off.
    let mut block = Vec::with_capacity(4 + bytes.len());
    block.extend((bytes.len() as u32).to_le_bytes());
    block.extend(bytes);
    file.write_all(&block)
}

/// Open a file of games to append to. An incomplete game at its end is dropped.
/// Returns the numbers of the games in it.
fn open(path: &Path, seed: u64) -> Result<(File, HashSet<u32>), String> {
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)
        .map_err(|e| e.to_string())?;
    if !file.metadata().is_ok_and(|m| m.is_file()) {
        return Err("not a regular file".to_owned());
    }
    lock(&file)?;
    let mut known = HashSet::new();
    if file.metadata().is_ok_and(|m| m.len() == 0) {
        let head = [*MAGIC, seed.to_le_bytes()].concat();
        file.write_all(&head).map_err(|e| e.to_string())?;
        return Ok((file, known));
    }
    let (of, mut games) = Games::new(BufReader::new(&file))?;
    if of != seed {
        return Err(format!("holds games of seed {of}, not {seed}"));
    }
    for game in games.by_ref() {
        known.insert(game?.number);
    }
    let shorten = file.set_len(games.whole);
    shorten.map_err(|e| e.to_string())?;
    file.seek(SeekFrom::End(0)).map_err(|e| e.to_string())?;
    Ok((file, known))
}

/// Iterator over the games in a file, without an incomplete one at its end.
struct Games<R> {
    input: R,
    /// Where the last whole game ends.
    whole: u64,
}

impl<R: Read> Games<R> {
    /// Read the header. Returns the seed and the games.
    fn new(mut input: R) -> Result<(u64, Games<R>), String> {
        let mut head = [0; 16];
        let read = input.read_exact(&mut head);
        let (magic, seed) = head.split_at(MAGIC.len());
        let seed = seed.try_into().map(u64::from_le_bytes);
        let whole = head.len() as u64;
        match (read, seed) {
            (Ok(()), Ok(seed)) if magic == MAGIC => Ok((seed, Games { input, whole })),
            (Err(e), _) if e.kind() != ErrorKind::UnexpectedEof => Err(e.to_string()),
            _ => Err("is not a file of games".to_owned()),
        }
    }

    fn game(&mut self) -> io::Result<Result<Game, String>> {
        let mut len = [0; 4];
        self.input.read_exact(&mut len)?;
        let len = u32::from_le_bytes(len) as usize;
        if len > LONGEST {
            return Ok(Err(format!("claims a game of {len} bytes")));
        }
        let mut game = vec![0; len];
        self.input.read_exact(&mut game)?;
        self.whole += 4 + len as u64;
        Ok(Game::decode(&game).map_err(|e| e.to_string()))
    }
}

impl<R: Read> Iterator for Games<R> {
    type Item = Result<Game, String>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.game() {
            Ok(game) => Some(game),
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => None,
            Err(e) => Some(Err(e.to_string())),
        }
    }
}

/// Iterator over games in order of number.
pub(super) type Sequence = Box<dyn Iterator<Item = Result<Game, String>> + Send>;

/// Read the games of a file in order of number. All games of a file of `ponnuki selfplay`
/// are taken, and every `held_out`th record of an archive, beginning with the first. Also
/// returns whether more games may be added.
///
/// # Errors
/// A message that says what is wrong with the file.
pub(super) fn read_games(path: &Path, held_out: u64) -> Result<(Sequence, bool), String> {
    read(path, move |n| n % held_out == 0)
}

/// Read all games of a file of `ponnuki selfplay`, or the wanted records of an archive, in
/// order of number. Also returns whether more games may be added.
fn read(
    path: &Path,
    wanted: impl Fn(u64) -> bool + Send + 'static,
) -> Result<(Sequence, bool), String> {
    let name = path.display().to_string();
    let cannot = |e: io::Error| format!("cannot read {name}: {e}");
    let mut head = Vec::new();
    let mut file = open_regular(path).map_err(cannot)?;
    let mut begins = (&file).take(MAGIC.len() as u64);
    begins.read_to_end(&mut head).map_err(cannot)?;
    file.rewind().map_err(cannot)?;
    if head != MAGIC {
        let packed = path.extension().is_some_and(|e| e == "gz");
        return Ok((records(name, file, packed, wanted), false));
    }
    // The file is ordered by the time at which the games ended.
    let wrong = |e: String| format!("{name}: {e}");
    let (_, mut games) = Games::new(BufReader::new(&file)).map_err(wrong)?;
    let mut places = Vec::new();
    loop {
        let place = games.whole;
        match games.next() {
            Some(game) => places.push((game.map_err(wrong)?.number, place)),
            None => break,
        }
    }
    places.sort_unstable();
    let games = places.into_iter().map(move |(_, place)| {
        file.seek(SeekFrom::Start(place))
            .map_err(|e| e.to_string())?;
        let mut games = Games {
            input: BufReader::new(&file),
            whole: place,
        };
        let gone = || format!("{name} has changed");
        games
            .next()
            .ok_or_else(gone)?
            .map_err(|e| format!("{name}: {e}"))
    });
    Ok((Box::new(games), true))
}

/// Read the records of an archive whose line numbers (from 0) are `wanted` and whose colours
/// alternate. Yields an error if there are none.
fn records(
    name: String,
    file: File,
    packed: bool,
    wanted: impl Fn(u64) -> bool + Send + 'static,
) -> Sequence {
    let mut lines: Box<dyn BufRead + Send> = match packed {
        true => Box::new(BufReader::new(MultiGzDecoder::new(file))),
        false => Box::new(BufReader::new(file)),
    };
    let (mut number, mut line, mut ended) = (0, Vec::new(), false);
    let mut numbers = 0..;
    Box::new(std::iter::from_fn(move || {
        while !ended {
            match read_line(&mut lines, LONGEST_RECORD, &mut line) {
                Ok(true) => {}
                Ok(false) => {
                    ended = true;
                    let none = || format!("{name}: no game record that can be used");
                    return (number == 0).then(|| Err(none()));
                }
                Err(e) => {
                    ended = true;
                    return Some(Err(format!("cannot read {name}: {e}")));
                }
            }
            if !numbers.next().is_some_and(&wanted) || line.len() > LONGEST_RECORD {
                continue;
            }
            let record = sgf::read(&line, &Ruleset::default(), None).ok();
            if let Some(game) = record.and_then(|r| Game::from_record(number, &r.position)) {
                number += 1;
                return Some(Ok(game));
            }
        }
        None
    }))
}
