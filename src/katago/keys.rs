//! KataGo's configuration keys and their meaning here: in its `.cfg` files, in
//! `-override-config`, in `overrideSettings` of the analysis protocol, and in
//! `kata-set-param`.

use crate::configuration::{Configuration, ParameterError, switch};
use crate::player::processors;
use crate::rules::Ruleset;
use crate::search::MAX_VARIATION;

/// Meaning of a key.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// The parameter with this name and the same value.
    Is(&'static str),
    /// Converted to other parameters: description, setter and getter.
    Sets(
        &'static str,
        fn(&mut Configuration, &str) -> Result<(), ParameterError>,
        fn(&Configuration) -> String,
    ),
    /// The rule of the ruleset with this key.
    Rule(&'static str),
    /// A switch: if false, this parameter has this value.
    Switch(&'static str, &'static str),
    /// Only this number is accepted, with the reason.
    Always(f64, &'static str),
    /// No effect, with the reason.
    Nothing(&'static str),
}

/// A key, or a pattern with stars, and its meaning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub name: &'static str,
    pub meaning: Meaning,
}

macro_rules! keys {
    ($($name:literal $kind:ident $($value:expr),+;)*) => {
        &[$(Key { name: $name, meaning: Meaning::$kind($($value),+) },)*]
    };
}

const NO_GPU: &str = "no graphics card is used";
/// The user cannot set the batch size.
const NO_BATCH: &str = "waiting positions are batched automatically";
const NO_PART: &str = "the search has no such parameter";
/// Moves are not sampled.
const NO_SAMPLING: &str = "the best move is played; see `level` and `root_policy_temperature`";
/// Networks that imitate people are not used.
const NO_HUMAN: &str = "no second network is used";
const LOGS: &str = "`--log FILE` writes all GTP traffic";

/// All keys. [`find`] says which entry applies to a name.
pub(super) const KEYS: &[Key] = keys! {
    "numSearchThreads" Sets "`threads`, at most one per processor", threads,
        |s| s.engine.threads.to_string();
    "numSearchThreadsPerAnalysisThread" Sets "`threads`, at most one per processor",
        threads, |s| s.engine.threads.to_string();
    "numAnalysisThreads" Is "analysis_threads";
    "maxVisits" Is "visits";
    "maxPlayouts" Is "playouts";
    "maxTime" Sets "`time`, at most a day", |s, text| {
        let seconds = number(text)?.min(86_400.0);
        s.set("time", &if seconds < 0.0 { seconds } else { seconds.max(0.001) }.to_string())
    }, |s| s.get("time").unwrap_or_default();
    "ponderingEnabled" Is "ponder";
    "lagBuffer" Sets "`lag`, in milliseconds", |s, text| {
        s.set("lag", &(1000.0 * number(text)?).round().min(60_000.0).to_string())
    }, |s| s.engine.lag.as_secs_f64().to_string();
    "resignThreshold" Sets "`resign_below`: -0.9 is 5 %", |s, text| {
        s.set("resign_below", &(50.0 * (1.0 + number(text)?)).clamp(0.0, 100.0).to_string())
    }, |s| ((f64::from(2.0 * s.engine.resign_below.unwrap_or(0.0) - 1.0) * 1e6).round() / 1e6).to_string();
    "allowResignation" Switch "resign_below", "off";
    "resignConsecTurns" Is "resign_moves";
    "reportAnalysisWinratesAs" Is "perspective";
    "analysisPVLen" Sets "the value plus 1 is `variation`, which counts the first move; at most 29", |s, text| {
        let most = number(text)?.clamp(0.0, (MAX_VARIATION - 1) as f64) as usize;
        s.front_end.variation = most + 1;
        Ok(())
    }, |s| (s.front_end.variation - 1).to_string();
    "warnUnusedFields" Is "warn_unused";
    "rules" Sets "`rules`, as KataGo plays them", |s, text| {
        let rules = Ruleset::parse_for_katago(text);
        s.engine.rules = rules.map_err(|e| ParameterError::Value(e.to_string()))?;
        Ok(())
    }, |s| s.get("rules").unwrap_or_default();
    "koRule" Rule "ko";
    "koRules" Rule "ko";
    "scoringRule" Rule "scoring";
    "scoringRules" Rule "scoring";
    "taxRule" Rule "tax";
    "taxRules" Rule "tax";
    "multiStoneSuicideLegal" Rule "suicide";
    "hasButton" Rule "hasButton";
    "whiteHandicapBonus" Rule "whiteHandicapBonus";
    "friendlyPassOk" Rule "friendlyPassOk";
    "komi" Is "komi";
    "defaultBoardSize" Is "size";
    "cpuctExploration" Is "cpuct";
    "cpuctExplorationLog" Is "cpuct_log";
    "cpuctExplorationBase" Is "cpuct_base";
    "cpuctUtilityStdevScale" Is "cpuct_stdev";
    "fpuReductionMax" Is "fpu_reduction";
    "rootFpuReductionMax" Is "root_fpu_reduction";
    "staticScoreUtilityFactor" Is "score_static";
    "dynamicScoreUtilityFactor" Is "score_dynamic";
    "nnPolicyTemperature" Is "policy_temperature";
    "rootPolicyTemperature" Is "root_policy_temperature";
    "rootPolicyTemperatureEarly" Nothing "`root_policy_temperature` applies to the whole game";
    "policyOptimism" Is "optimism";
    "rootPolicyOptimism" Is "root_optimism";
    "rootNumSymmetriesToSample" Is "root_symmetries";
    "useLcbForSelection" Switch "lcb_deviations", "0";
    "lcbStdevs" Is "lcb_deviations";
    "minVisitPropForLCB" Is "lcb_share";
    "wideRootNoise" Is "wide_root_noise";
    "ignorePreRootHistory" Sets "`history` 0, if true", |s, text| {
        s.set("history", if truth(text)? { "0" } else { "1" })
    }, |s| (s.engine.params.puct.history == 0).to_string();
    "rootNoiseEnabled" Sets "`root_noise` 0.25, if true", |s, text| {
        s.set("root_noise", if truth(text)? { "0.25" } else { "0" })
    }, |s| (s.engine.params.puct.root_noise > 0.0).to_string();
    "nnCacheSizePowerOfTwo" Nothing "`net_cache` is a number of megabytes";
    "searchRandSeed" Is "seed";
    "analysisWideRootNoise" Is "analysis_wide_root_noise";
    "analysisIgnorePreRootHistory" Nothing "`history` has no separate value for analysis";
    "homeDataDir" Nothing "no files are kept between runs";
    "assumeMultipleStartingBlackMovesAreHandicap" Nothing "Black's first moves always count as handicap";
    "playoutDoublingAdvantage" Always 0.0, NO_PART;
    "playoutDoublingAdvantage*" Nothing NO_PART;
    "dynamicPlayoutDoublingAdvantage*" Nothing NO_PART;
    "chosenMove*" Nothing NO_SAMPLING;
    "humanSL*" Nothing NO_HUMAN;
    "maxTimeHuman*" Nothing NO_HUMAN;
    "cuda*" Nothing NO_GPU;
    "opencl*" Nothing NO_GPU;
    "trt*" Nothing NO_GPU;
    "metal*" Nothing NO_GPU;
    "gpu*" Nothing NO_GPU;
    "*DeviceToUse*" Nothing NO_GPU;
    "nnRandomize" Nothing "`symmetry` decides";
    "nn*" Nothing NO_BATCH;
    "numNNServerThreadsPerModel" Nothing NO_BATCH;
    "numEigenThreadsPerModel" Nothing "search threads also evaluate";
    "*NNBuffer" Nothing NO_BATCH;
    "requireMaxBoardSize" Nothing "the board size can change at any time";
    "log*" Nothing LOGS;
    "startupPrintMessageToStderr" Nothing LOGS;
    "ogsChatToStderr" Is "ogs_chat";
    "maxTimePondering" Nothing "pondering ends with the opponent's move";
    "maxVisitsPondering" Nothing "pondering ends with the opponent's move";
    "maxPlayoutsPondering" Nothing "pondering ends with the opponent's move";
    "searchFactor*" Nothing "the time manager decides";
    "resignMin*" Nothing "`resign_after` replaces it";
    "winLossUtilityFactor" Nothing NO_PART;
    "noResultUtilityForWhite" Nothing NO_PART;
    "drawEquivalentWinsForWhite" Nothing "a draw is half a win";
    "dynamicScoreCenter*" Nothing NO_PART;
    "cpuctUtilityStdevPrior*" Nothing NO_PART;
    "fpu*" Nothing NO_PART;
    "useUncertainty" Switch "uncertainty", "0";
    "uncertaintyCoeff" Is "uncertainty";
    "uncertaintyMaxWeight" Is "uncertainty_most";
    "uncertaintyExponent" Nothing NO_PART;
    "valueWeightExponent" Is "value_weights";
    "rootEndingBonusPoints" Nothing NO_PART;
    "rootPruneUselessMoves" Nothing NO_PART;
    "rootSymmetryPruning" Nothing NO_PART;
    "rootDirichletNoise*" Nothing "`root_noise` sets the noise";
    "rootDesiredPerChildVisitsCoeff" Nothing NO_PART;
    "subtreeValueBiasFactor" Is "bias_correction";
    "subtreeValueBiasWeightExponent" Is "bias_power";
    "subtreeValueBias*" Nothing NO_PART;
    "useGraphSearch" Sets "`graph`", |s, text| {
        s.set("graph", if truth(text)? { "1" } else { "0" })
    }, |s| (s.engine.params.puct.graph > 0).to_string();
    "graphSearch*" Nothing NO_PART;
    "nodeTableShardsPowerOfTwo" Nothing NO_PART;
    "numVirtualLossesPerThread" Nothing NO_PART;
    "useNoisePruning" Nothing NO_PART;
    "noisePrun*" Nothing NO_PART;
    "antiMirror" Nothing NO_PART;
    "avoid*" Nothing NO_PART;
    "useEvalCache" Nothing NO_PART;
    "evalCache*" Nothing NO_PART;
    "enablePassingHacks" Nothing "passes are checked before they are played";
    "enableMorePassingHacks" Nothing "passes are checked before they are played";
    "conservativePass" Nothing "passes are checked before they are played";
    "preventCleanupPhase" Nothing "there is no cleanup phase";
    "forDeterministicTesting" Nothing "a search repeats with `seed` and one thread";
};

impl Meaning {
    fn in_words(&self) -> String {
        match self {
            Meaning::Is(own) => format!("`{own}`"),
            Meaning::Sets(what, ..) => (*what).to_owned(),
            Meaning::Rule(key) => format!("`{key}` of the rules"),
            Meaning::Switch(own, value) => format!("`{own}` {value}, if false"),
            Meaning::Always(value, why) => format!("only {value}: {why}"),
            Meaning::Nothing(why) => format!("nothing: {why}"),
        }
    }
}

/// Find the meaning of a key. Complete names come first, then Ponnuki's own names (which have
/// no meaning here), then patterns.
pub(super) fn find(name: &str) -> Option<Meaning> {
    let fits = |pattern: &str| match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(middle), _) if middle.ends_with('*') => name.contains(middle.trim_end_matches('*')),
        (Some(end), _) => name.ends_with(end),
        (None, Some(begin)) => name.starts_with(begin),
        (None, None) => false,
    };
    let exact = KEYS.iter().find(|k| k.name == name);
    let ours = || Configuration::all_names().any(|own| own == name);
    let found = exact.or_else(|| KEYS.iter().find(|k| fits(k.name)).filter(|_| !ours()));
    found.map(|k| k.meaning)
}

/// The table of keys for `docs/katago.md`.
pub fn markdown() -> String {
    let mut text = String::from("| KataGo's key | becomes |\n|---|---|\n");
    for Key { name, meaning } in KEYS {
        text.push_str(&format!("| `{name}` | {} |\n", meaning.in_words()));
    }
    text
}

pub(super) fn number(text: &str) -> Result<f64, ParameterError> {
    let number = text.parse::<f64>().ok().filter(|x| x.is_finite());
    number.ok_or_else(|| ParameterError::Value(format!("expected a number, not '{text}'")))
}

pub(super) fn truth(text: &str) -> Result<bool, ParameterError> {
    switch(text).map_err(ParameterError::Value)
}

/// Set the search threads, at most one per processor. KataGo's files are made for graphics cards
/// and ask for more, which would slow down the search here.
fn threads(s: &mut Configuration, text: &str) -> Result<(), ParameterError> {
    let wanted = number(text)?.clamp(1.0, processors() as f64) as usize;
    s.engine.threads = wanted;
    Ok(())
}
