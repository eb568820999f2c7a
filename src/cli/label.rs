//! `ponnuki label`: labels positions of games by a teacher network.

use super::files::{create_folder, unwritable};
use super::numbers::{integer, share};
use super::selfplay::{self, Sequence};
use super::terminal::{printed, progress_bar};
use crate::dataset::{Game, Labeller, Shard};
use crate::net::Network;
use crate::util::locked;
use clap::Args;
use indicatif::ProgressBar;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Options of `ponnuki label`.
#[derive(Debug, Args)]
pub(super) struct Label {
    /// Games of `ponnuki selfplay`, or game records (SGF, one per line, optionally gzipped)
    #[arg(long, value_name = "FILE")]
    games: PathBuf,
    /// Label every Nth game record, beginning with the first: those that selfplay leaves out
    #[arg(long, value_name = "N", default_value = "10", value_parser = integer(1..=u64::MAX))]
    held_out: u64,
    /// Folder of the shards; existing shards are kept, and refused if they hold other games or another teacher's labels
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Share of the positions to label; of game records only 0.3 times this share; positions after passes are always labelled
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = share())]
    keep: f32,
    /// Share of the positions whose komi is changed to nearly even, by the teacher's evaluation of the previous position
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = share())]
    even: f32,
    /// Games per shard
    #[arg(long, value_name = "N", default_value = "64", value_parser = integer(1..=65536u32))]
    chunk: u32,
    /// Label by searches with the teacher of this many visits, instead of by its network alone
    #[arg(long, value_name = "N", value_parser = integer(2..=1_000_000u64))]
    search: Option<u64>,
    /// Evaluate positions with the teacher on the server at this address (training/serve.py)
    #[arg(long, value_name = "HOST:PORT")]
    server: Option<String>,
    /// Evaluate in single precision, without rounding to bfloat16 or 16-bit integers as most
    /// instruction sets do
    #[arg(long)]
    single_precision: bool,
}

/// Make the missing shards. Without a teacher they hold features but no labels.
///
/// # Errors
/// A message that says what is wrong with an option or a file.
pub(super) fn run(
    args: &Label,
    teacher: Option<Network>,
    seed: u64,
    threads: usize,
    out: &mut impl Write,
) -> Result<(), String> {
    let teacher = args.teacher(teacher)?;
    let (games, may_grow) = selfplay::read_games(&args.games, args.held_out)?;
    let folder = args.out.display();
    create_folder(&args.out)?;
    let labellers = args.labellers(teacher.as_ref(), seed, threads)?;
    let bar = match games.size_hint().1 {
        Some(games) => progress_bar(games as u64 / u64::from(args.chunk)),
        None => progress_bar(0),
    };
    let chunks = Mutex::new(Chunks {
        games: games.peekable(),
        games_per_shard: args.chunk,
        may_grow,
        complete: 0,
        waiting: 0,
    });
    let work = Work {
        args,
        teacher: teacher.as_deref(),
        chunks,
        labelled: AtomicU64::new(0),
        failure: Mutex::new(None),
        bar: &bar,
    };
    std::thread::scope(|scope| {
        for labeller in labellers {
            scope.spawn(|| work.run(labeller));
        }
    });
    bar.finish_and_clear();
    if let Some(e) = locked(&work.failure).take() {
        return Err(e);
    }
    let chunks = locked(&work.chunks);
    let n = work.labelled.load(Relaxed);
    let rate = n as f64 / bar.elapsed().as_secs_f64().max(1e-3);
    printed(writeln!(
        out,
        "{} shards in {folder}; {n} positions now, {rate:.0} a second; {} games wait for a full shard",
        chunks.complete, chunks.waiting
    ))
}

/// State shared by the threads.
struct Work<'a> {
    args: &'a Label,
    teacher: Option<&'a Network>,
    /// Only the games of the shards in progress are in memory.
    chunks: Mutex<Chunks>,
    /// Number of positions.
    labelled: AtomicU64,
    failure: Mutex<Option<String>>,
    bar: &'a ProgressBar,
}

impl Work<'_> {
    /// Make shards until all are made, or one cannot be made.
    fn run(&self, mut labeller: Labeller) {
        while locked(&self.failure).is_none()
            && let Some(chunk) = locked(&self.chunks).next()
        {
            match chunk.and_then(|chunk| self.shard(&chunk, &mut labeller)) {
                Ok(n) => {
                    let n = self.labelled.fetch_add(n, Relaxed) + n;
                    let rate = n as f64 / self.bar.elapsed().as_secs_f64();
                    let message = format!("{n} positions, {rate:.0} a second");
                    self.bar.set_message(message);
                    self.bar.inc(1);
                }
                Err(e) => {
                    locked(&self.failure).get_or_insert(e);
                }
            }
        }
    }

    /// Make the shard of these games unless it exists. Returns the number of positions added.
    fn shard(&self, chunk: &[Game], labeller: &mut Labeller) -> Result<u64, String> {
        let (args, teacher) = (self.args, self.teacher);
        let Some(first) = chunk.first() else {
            return Ok(0);
        };
        let name = format!("{:06}.shard", first.number / args.chunk);
        let path = args.out.join(name);
        let label_source = teacher.map(|t| match args.search {
            Some(visits) => format!("{} with {visits} visits", t.name()),
            None => t.name().to_owned(),
        });
        let mut shard = Shard::new(chunk, label_source);
        if path.exists() {
            let place = path.display();
            let there = File::open(&path).and_then(|mut file| shard.is_written_in(&mut file));
            return match there {
                Ok(true) => Ok(0),
                Ok(false) => Err(format!(
                    "{place} holds other games, or another teacher's labels; give another --out"
                )),
                Err(e) => Err(format!("cannot read {place}: {e}")),
            };
        }
        for game in chunk {
            let games = args.games.display();
            labeller
                .add(game, &mut shard)
                .map_err(|e| format!("{games}: game {}: {e}", game.number))?;
            if let Some(e) = teacher.and_then(Network::server_failure) {
                return Err(format!("--server {e}"));
            }
        }
        write(&path, &shard).map_err(|e| unwritable(&path, &e))?;
        Ok(shard.len() as u64)
    }
}

impl Label {
    /// The teacher, set up by the options.
    ///
    /// # Errors
    /// A message that names an option that needs a teacher, or a server that does not answer.
    fn teacher(&self, teacher: Option<Network>) -> Result<Option<Arc<Network>>, String> {
        let Some(teacher) = teacher else {
            let options = [
                (self.even > 0.0, "--even"),
                (self.single_precision, "--single-precision"),
                (self.search.is_some(), "--search"),
                (self.server.is_some(), "--server"),
            ];
            return match options.iter().find(|(given, _)| *given) {
                Some((_, option)) => Err(format!("{option} needs a teacher: give one with --net")),
                None => Ok(None),
            };
        };
        let teacher = match self.single_precision {
            true => teacher.laid_out_for(teacher.instruction_set().single()),
            false => teacher,
        };
        let teacher = selfplay::served(teacher, self.server.as_deref())?;
        Ok(Some(Arc::new(teacher)))
    }

    fn labellers(
        &self,
        teacher: Option<&Arc<Network>>,
        seed: u64,
        threads: usize,
    ) -> Result<Vec<Labeller>, String> {
        let labeller = |_| {
            let labeller = Labeller::new(teacher.cloned(), self.keep, seed).even(self.even);
            match self.search {
                Some(visits) => labeller.by_search(visits).map_err(|e| e.to_string()),
                None => Ok(labeller),
            }
        };
        (0..threads).map(labeller).collect()
    }
}

/// Iterator over the games, grouped by shard.
struct Chunks {
    games: Peekable<Sequence>,
    /// Games per shard.
    games_per_shard: u32,
    /// May the file still grow? If so, incomplete shards are skipped.
    may_grow: bool,
    /// Complete shards so far.
    complete: usize,
    /// Games so far in incomplete shards.
    waiting: usize,
}

impl Iterator for Chunks {
    type Item = Result<Vec<Game>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut chunk: Vec<Game> = Vec::new();
            let games_per_shard = self.games_per_shard;
            let shard = |game: &Game| game.number / games_per_shard;
            loop {
                let first = chunk.first().map(shard);
                let belongs = |next: &Result<Game, String>| match (first, next) {
                    (None, _) => true,
                    (Some(first), Ok(game)) => shard(game) == first,
                    (Some(_), Err(_)) => false,
                };
                match self.games.next_if(belongs) {
                    Some(Ok(game)) => chunk.push(game),
                    Some(Err(e)) => return Some(Err(e)),
                    None => break,
                }
            }
            match chunk.len() {
                0 => return None,
                n if self.may_grow && n < games_per_shard as usize => self.waiting += n,
                _ => {
                    self.complete += 1;
                    return Some(Ok(chunk));
                }
            }
        }
    }
}

/// Write a shard atomically, by renaming a temporary file.
fn write(path: &Path, shard: &Shard) -> std::io::Result<()> {
    let temporary = path.with_extension("part");
    let mut file = BufWriter::new(File::create(&temporary)?);
    shard.write(&mut file)?;
    file.into_inner().map_err(|e| e.into_error())?.sync_all()?;
    std::fs::rename(&temporary, path)
}
