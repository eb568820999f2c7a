//! KataGo's configuration keys and their meaning here: in its `.cfg` files, in
//! `-override-config`, in `overrideSettings` of the analysis protocol, and in
//! `kata-set-param`.

use super::Settings;
use super::parameters::{ParameterError, switch};
use super::settings::processors;
use crate::net::{MOST_AT_ONCE, Network};
use crate::rules::Ruleset;
use serde_json::{Value, json};

/// Meaning of a key.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// The parameter with this name and the same value.
    Is(&'static str),
    /// Converted to other parameters: description, setter and getter.
    Sets(
        &'static str,
        fn(&mut Settings, &str) -> Result<(), ParameterError>,
        fn(&Settings) -> String,
    ),
    /// The rule of the ruleset with this key.
    Rule(&'static str),
    /// A switch: if false, this parameter has this value.
    Unless(&'static str, &'static str),
    /// Always this number, with the reason.
    Always(f64, &'static str),
    /// No effect, with the reason.
    Nothing(&'static str),
}

/// A key, or a pattern with stars, and its meaning.
#[derive(Clone, Copy, Debug)]
struct Key {
    name: &'static str,
    meaning: Meaning,
}

macro_rules! keys {
    ($($name:literal $kind:ident $($value:expr),+;)*) => {
        &[$(Key { name: $name, meaning: Meaning::$kind($($value),+) },)*]
    };
}

/// The KataGo version whose protocols are implemented, for clients that ask.
pub const KATAGO: &str = "1.16.4";

/// This program's version. A build that sets `PONNUKI_COMMIT` adds it: `1.0.0+0123abc`.
pub fn version() -> String {
    let commit = option_env!("PONNUKI_COMMIT").map(|commit| format!("+{commit}"));
    env!("CARGO_PKG_VERSION").to_owned() + &commit.unwrap_or_default()
}

const NO_GPU: &str = "no graphics card is used";
/// The user cannot set the batch size.
const NO_BATCH: &str = "waiting positions are batched automatically";
const NO_PART: &str = "the search has no such part";
/// Moves are not sampled.
const NO_SAMPLING: &str = "the best move is played; see `level` and `root_policy_temperature`";
/// Networks that imitate people are not used.
const NO_HUMAN: &str = "no second network is used";
const LOGS: &str = "`--log FILE` writes all GTP traffic";

/// All keys. [`find`] says which entry applies to a name.
const KEYS: &[Key] = keys! {
    "numSearchThreads" Sets "`threads`, no more than the machine has processors", threads,
        |s| s.threads.to_string();
    "numSearchThreadsPerAnalysisThread" Sets "`threads`, no more than the machine has processors",
        threads, |s| s.threads.to_string();
    "numAnalysisThreads" Is "analysis_threads";
    "maxVisits" Is "visits";
    "maxPlayouts" Is "playouts";
    "maxTime" Sets "`time`, a day at most", |s, text| {
        s.set("time", &number(text)?.clamp(0.001, 86_400.0).to_string())
    }, |s| s.get("time").unwrap_or_default();
    "ponderingEnabled" Is "ponder";
    "lagBuffer" Sets "`lag`, in milliseconds", |s, text| {
        s.set("lag", &(1000.0 * number(text)?).round().clamp(0.0, 60_000.0).to_string())
    }, |s| s.lag.as_secs_f64().to_string();
    "resignThreshold" Sets "`resign_below`: -0.9 is 5 %", |s, text| {
        s.set("resign_below", &(50.0 * (1.0 + number(text)?)).clamp(0.0, 100.0).to_string())
    }, |s| ((f64::from(2.0 * s.resign_below.unwrap_or(0.0) - 1.0) * 1e6).round() / 1e6).to_string();
    "allowResignation" Unless "resign_below", "off";
    "resignConsecTurns" Is "resign_moves";
    "reportAnalysisWinratesAs" Is "perspective";
    "analysisPVLen" Sets "`variation`, one more: the first move counts here", |s, text| {
        let most = number(text)?.clamp(0.0, 1000.0) as usize;
        s.variation = most + 1;
        Ok(())
    }, |s| (s.variation - 1).to_string();
    "warnUnusedFields" Is "warn_unused";
    "rules" Sets "`rules`, as KataGo plays them", |s, text| {
        let rules = Ruleset::parse_for_katago(text);
        s.rules = rules.map_err(|e| ParameterError::Value(e.to_string()))?;
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
    "rootPolicyTemperatureEarly" Nothing "`root_policy_temperature` holds for the whole game";
    "policyOptimism" Is "optimism";
    "rootPolicyOptimism" Is "root_optimism";
    "rootNumSymmetriesToSample" Is "root_symmetries";
    "useLcbForSelection" Unless "lcb_deviations", "0";
    "lcbStdevs" Is "lcb_deviations";
    "minVisitPropForLCB" Is "lcb_share";
    "wideRootNoise" Is "wide_root_noise";
    "ignorePreRootHistory" Sets "`history` 0, if true", |s, text| {
        s.set("history", if truth(text)? { "0" } else { "1" })
    }, |s| (s.params.history == 0).to_string();
    "rootNoiseEnabled" Sets "`root_noise` 0.25, if true", |s, text| {
        s.set("root_noise", if truth(text)? { "0.25" } else { "0" })
    }, |s| (s.params.root_noise > 0.0).to_string();
    "nnCacheSizePowerOfTwo" Nothing "`net_cache` is a number of megabytes";
    "searchRandSeed" Is "seed";
    "analysisWideRootNoise" Is "analysis_wide_root_noise";
    "analysisIgnorePreRootHistory" Nothing "`history` holds for games too";
    "homeDataDir" Nothing "nothing is kept between runs";
    "assumeMultipleStartingBlackMovesAreHandicap" Nothing "they always are";
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
    "nn*" Nothing NO_BATCH;
    "numNNServerThreadsPerModel" Nothing NO_BATCH;
    "numEigenThreadsPerModel" Nothing "`threads` evaluate and search";
    "*NNBuffer" Nothing NO_BATCH;
    "requireMaxBoardSize" Nothing NO_BATCH;
    "log*" Nothing LOGS;
    "startupPrintMessageToStderr" Nothing LOGS;
    "ogsChatToStderr" Is "ogs_chat";
    "maxTimePondering" Nothing "pondering ends with the opponent's move";
    "maxVisitsPondering" Nothing "pondering ends with the opponent's move";
    "maxPlayoutsPondering" Nothing "pondering ends with the opponent's move";
    "searchFactor*" Nothing "the clock decides";
    "resignMin*" Nothing "`resign_after` is a number of turns";
    "winLossUtilityFactor" Nothing NO_PART;
    "noResultUtilityForWhite" Nothing NO_PART;
    "drawEquivalentWinsForWhite" Nothing "a draw is half a win";
    "dynamicScoreCenter*" Nothing NO_PART;
    "cpuctUtilityStdevPrior*" Nothing NO_PART;
    "fpu*" Nothing NO_PART;
    "useUncertainty" Unless "uncertainty", "0";
    "uncertaintyCoeff" Is "uncertainty";
    "uncertaintyMaxWeight" Is "uncertainty_most";
    "uncertaintyExponent" Nothing NO_PART;
    "valueWeightExponent" Is "value_weights";
    "rootEndingBonusPoints" Nothing NO_PART;
    "rootPruneUselessMoves" Nothing NO_PART;
    "rootSymmetryPruning" Nothing NO_PART;
    "rootDirichletNoise*" Nothing "`root_noise` is the share of it";
    "rootDesiredPerChildVisitsCoeff" Nothing NO_PART;
    "subtreeValueBiasFactor" Is "bias_correction";
    "subtreeValueBiasWeightExponent" Is "bias_power";
    "subtreeValueBias*" Nothing NO_PART;
    "useGraphSearch" Sets "`graph`", |s, text| {
        s.set("graph", if truth(text)? { "1" } else { "0" })
    }, |s| (s.params.graph > 0).to_string();
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
    "preventCleanupPhase" Nothing "there is no such phase";
    "forDeterministicTesting" Nothing "`seed` and one thread repeat a search";
};

/// The result of setting a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The value was set.
    Done,
    /// KataGo's key has no effect here, with the reason.
    NoEffect(&'static str),
    /// There is no such key.
    Unknown,
}

impl Settings {
    /// Set a key of KataGo's configuration, or one of Ponnuki's parameters.
    ///
    /// # Errors
    /// [`ParameterError::Value`] if the value is invalid; nothing has changed then.
    pub fn set_katago(&mut self, key: &str, text: &str) -> Result<Taken, ParameterError> {
        let text = text.trim();
        // KataGo's meaning comes first: `own_name` may map the name differently.
        let set = match self.set_by_katago(key, text) {
            Some(set) => set,
            None => self.set(key, text),
        };
        match set {
            Ok(()) => Ok(Taken::Done),
            Err(ParameterError::NoEffect(_, why)) => Ok(Taken::NoEffect(why)),
            Err(ParameterError::Unknown { .. }) => Ok(Taken::Unknown),
            Err(e) => Err(e),
        }
    }

    /// Set a KataGo key by its meaning; `None` if it has no effect.
    pub(super) fn set_by_katago(
        &mut self,
        key: &str,
        text: &str,
    ) -> Option<Result<(), ParameterError>> {
        Some(match find(key)? {
            Meaning::Nothing(_) => return None,
            Meaning::Is(own) => self.set(own, text),
            Meaning::Sets(_, set, _) => {
                let mut changed = self.clone();
                set(&mut changed, text).map(|()| *self = changed)
            }
            Meaning::Rule(key) => {
                let set = self.rules.set(key, text);
                set.map_err(|e| ParameterError::Value(e.to_string()))
            }
            Meaning::Always(value, why) => number(text).and_then(|n| match n == value {
                true => Ok(()),
                false => Err(ParameterError::NoEffect(key.to_owned(), why)),
            }),
            Meaning::Unless(own, value) => truth(text).and_then(|yes| {
                let off = self.get(own)? == value;
                match (yes, off) {
                    (false, _) => self.set(own, value),
                    // The switch was off: restore the default.
                    (true, true) => self.set(own, &Settings::default().get(own)?),
                    (true, false) => Ok(()),
                }
            }),
        })
    }

    /// The current value of a KataGo key; `None` if it has no effect.
    pub(super) fn get_by_katago(&self, key: &str) -> Option<String> {
        match find(key)? {
            Meaning::Nothing(_) => None,
            Meaning::Is(own) => self.get(own).ok(),
            Meaning::Sets(_, _, get) => Some(get(self)),
            Meaning::Rule(key) => self.rules.get(key),
            Meaning::Unless(own, value) => Some((self.get(own).ok()? != value).to_string()),
            Meaning::Always(value, _) => Some(value.to_string()),
        }
    }
}

/// Describe the network in use for KataGo's protocols: a list, empty without one.
pub fn models(settings: &Settings, network: Option<&Network>) -> Value {
    let describe = |network: &Network| {
        json!({
            "name": settings.evaluator.to_string(),
            "internalName": network.name(),
            "version": network.version(),
            "maxBatchSize": MOST_AT_ONCE,
            "usesHumanSLProfile": false,
            "usingFP16": "false",
        })
    };
    network.map(describe).into_iter().collect()
}

/// Sort named settings into the order in which to apply them. A whole ruleset comes before
/// single rules. Switches come last; of several settings of a switch only the last is kept.
pub fn in_order<T>(settings: impl IntoIterator<Item = T>, key: impl Fn(&T) -> &str) -> Vec<T> {
    let is_a_ruleset = |s: &T| key(s) == "rules";
    let (rulesets, settings): (Vec<T>, Vec<T>) = settings.into_iter().partition(is_a_ruleset);
    let settings = rulesets.into_iter().chain(settings);
    let is_a_switch = |s: &T| matches!(find(key(s)), Some(Meaning::Unless(..)));
    let (switches, mut ordered): (Vec<T>, Vec<T>) = settings.partition(is_a_switch);
    let others = ordered.len();
    for switch in switches {
        let earlier = |s: &T| key(s) == key(&switch);
        if let Some(at) = ordered[others..].iter().position(earlier) {
            ordered.remove(others + at);
        }
        ordered.push(switch);
    }
    ordered
}

/// Ponnuki's name for a KataGo parameter.
pub(super) fn own_name(name: &str) -> Option<&'static str> {
    match (name, find(name)) {
        (_, Some(Meaning::Is(own))) => Some(own),
        // Set directly, these are not clamped.
        ("numSearchThreads", _) => Some("threads"),
        ("maxTime", _) => Some("time"),
        _ => None,
    }
}

/// The error for a KataGo parameter without effect; `None` if it has one, or if KataGo has no
/// such parameter.
pub(super) fn refusal(name: &str) -> Option<ParameterError> {
    match find(name)? {
        Meaning::Nothing(why) => Some(ParameterError::NoEffect(name.to_owned(), why)),
        _ => None,
    }
}

impl Meaning {
    fn in_words(&self) -> String {
        match self {
            Meaning::Is(own) => format!("`{own}`"),
            Meaning::Sets(what, ..) => (*what).to_owned(),
            Meaning::Rule(key) => format!("`{key}` of the rules"),
            Meaning::Unless(own, value) => format!("`{own}` {value}, if false"),
            Meaning::Always(value, why) => format!("nothing but {value}: {why}"),
            Meaning::Nothing(why) => format!("nothing: {why}"),
        }
    }
}

/// Find the meaning of a key. Complete names come first, then Ponnuki's own names (which have
/// no meaning here), then patterns.
fn find(name: &str) -> Option<Meaning> {
    let fits = |pattern: &str| match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(middle), _) if middle.ends_with('*') => name.contains(middle.trim_end_matches('*')),
        (Some(end), _) => name.ends_with(end),
        (None, Some(begin)) => name.starts_with(begin),
        (None, None) => false,
    };
    let exact = KEYS.iter().find(|k| k.name == name);
    let ours = || Settings::all_names().any(|own| own == name);
    let found = exact.or_else(|| KEYS.iter().find(|k| fits(k.name)).filter(|_| !ours()));
    found.map(|k| k.meaning)
}

/// The table of keys for `docs/katago.md`.
pub fn katago_markdown() -> String {
    let mut text = String::from("| KataGo's key | becomes |\n|---|---|\n");
    for Key { name, meaning } in KEYS {
        text.push_str(&format!("| `{name}` | {} |\n", meaning.in_words()));
    }
    text
}

fn number(text: &str) -> Result<f64, ParameterError> {
    let number = text.parse::<f64>().ok().filter(|x| x.is_finite());
    number.ok_or_else(|| ParameterError::Value(format!("expected a number, not '{text}'")))
}

fn truth(text: &str) -> Result<bool, ParameterError> {
    switch(text).map_err(ParameterError::Value)
}

/// Set the search threads, at most one per processor: KataGo's files are made for graphics
/// cards and ask for more, which would only slow down a search here.
fn threads(s: &mut Settings, text: &str) -> Result<(), ParameterError> {
    let wanted = number(text)?.clamp(1.0, processors() as f64) as usize;
    s.threads = wanted;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn keys_take_effect_under_our_names() {
        let mut s = Settings::default();
        for (key, value) in [
            ("maxVisits", "321"),
            ("maxTime", "1e20"),
            ("resignThreshold", "-0.90"),
            ("lagBuffer", "0.25"),
            ("numSearchThreads", "1"),
            ("rules", "japanese"),
            ("multiStoneSuicideLegal", "true"),
            ("reportAnalysisWinratesAs", "BLACK"),
            ("ignorePreRootHistory", "true"),
            ("cpuctExploration", "1.5"),
            ("useGraphSearch", "false"),
            ("useUncertainty", "false"),
            ("subtreeValueBiasFactor", "0.35"),
            ("valueWeightExponent", "0.5"),
            ("analysisPVLen", "7"),
        ] {
            assert_eq!(s.set_katago(key, value), Ok(Taken::Done), "{key}");
        }
        assert_eq!(s.visits, Some(321));
        assert_eq!(s.move_time, Some(Duration::from_secs(86_400)));
        assert!((s.resign_below.unwrap() - 0.05).abs() < 1e-6);
        assert_eq!(s.lag, Duration::from_millis(250));
        assert_eq!(s.threads, 1);
        assert_eq!(s.rules.komi.points(), 6.5);
        assert_eq!(s.rules.suicide, crate::rules::SuicideRule::SeveralStones);
        assert_eq!(s.perspective.to_string(), "BLACK");
        assert_eq!(s.params.history, 0);
        assert_eq!(s.params.cpuct, 1.5);
        assert_eq!((s.params.graph, s.params.uncertainty), (0, 0.0));
        assert_eq!(
            (s.params.bias_correction, s.params.value_weights),
            (0.35, 0.5)
        );
        assert_eq!(s.variation, 8);
    }

    #[test]
    fn own_names_are_known_as_well() {
        let defaults = Settings::default();
        for name in Settings::all_names() {
            let value = defaults.get(name).unwrap();
            let taken = Settings::default().set_katago(name, &value);
            assert!(!matches!(taken, Ok(Taken::NoEffect(_))), "{name}");
        }
    }

    #[test]
    fn switching_on_undoes_switching_off() {
        let mut s = Settings::default();
        for (key, own, off) in [
            ("allowResignation", "resign_below", "off"),
            ("useLcbForSelection", "lcb_deviations", "0"),
            ("useUncertainty", "uncertainty", "0"),
        ] {
            let before = s.get(own).unwrap();
            for (value, expected) in [("true", before.as_str()), ("false", off), ("true", &before)]
            {
                assert_eq!(s.set(key, value), Ok(()));
                assert_eq!(s.get(own).as_deref(), Ok(expected), "{key} {value}");
            }
        }
        assert!(s.set("allowResignation", "perhaps").is_err());
    }

    /// LizzieYzy reads both as numbers when it starts.
    #[test]
    fn constant_parameter_can_be_read_and_set_to_its_value() {
        let mut s = Settings::default();
        assert_eq!(s.get("playoutDoublingAdvantage").as_deref(), Ok("0"));
        assert_eq!(s.change("playoutDoublingAdvantage", "0.00"), Ok(()));
        let refused = s.change("playoutDoublingAdvantage", "1.5");
        assert!(matches!(refused, Err(ParameterError::NoEffect(..))));
        assert_eq!(s, Settings::default());
        assert_eq!(s.get("analysisWideRootNoise").as_deref(), Ok("0"));
        assert_eq!(s.change("analysisWideRootNoise", "0.04"), Ok(()));
        assert_eq!(s.get("analysisWideRootNoise").as_deref(), Ok("0.04"));
        assert_eq!(s.params.wide_root_noise, 0.0);
    }

    #[test]
    fn settable_names_can_be_read() {
        for Key { name, meaning } in KEYS {
            let mut s = Settings::default();
            let before = s.clone();
            if let Meaning::Nothing(_) = meaning {
                assert!(
                    s.get(name).is_err() && s.change(name, "1").is_err(),
                    "{name}"
                );
                continue;
            }
            let value = s.get(name).unwrap();
            // Ponnuki's own `rules` applies here; an unset size or seed has no value.
            if !value.is_empty() && *name != "rules" {
                let set = s.change(name, &value);
                let rules = set == Err(ParameterError::TooLate("komi"));
                assert!(set.is_ok() || rules, "{name} {value}: {set:?}");
                assert_eq!(s, before, "{name} {value}");
            }
        }
        let mut s = Settings::default();
        for (name, value) in [
            ("resignThreshold", "-0.9"),
            ("lagBuffer", "0.25"),
            ("ignorePreRootHistory", "true"),
            ("rootNoiseEnabled", "true"),
            ("useGraphSearch", "false"),
            ("analysisPVLen", "9"),
            ("allowResignation", "false"),
            ("useLcbForSelection", "false"),
        ] {
            assert_eq!(s.change(name, value), Ok(()));
            assert_eq!(s.get(name).as_deref(), Ok(value), "{name}");
        }
    }

    #[test]
    fn single_rules_cannot_be_changed_during_a_game() {
        let mut s = Settings::default();
        assert_eq!(s.set("resignThreshold", "-0.9"), Ok(()));
        assert_eq!(s.get("resign_below").as_deref(), Ok("5"));
        let too_late = Err(ParameterError::TooLate("rules"));
        assert_eq!(s.change("koRule", "POSITIONAL"), too_late);
        assert_eq!(s.rules, Settings::default().rules);
        assert_eq!(s.change("useGraphSearch", "false"), Ok(()));
        assert_eq!(s.params.graph, 0);
    }

    #[test]
    fn ignored_and_invalid_keys_change_nothing() {
        let mut s = Settings::default();
        let before = format!("{s:?}");
        let effect = |s: &mut Settings, key: &str| s.set_katago(key, "17").unwrap();
        for key in [
            "openclReTunePerBoardSize",
            "cudaDeviceToUseThread0",
            "nnMaxBatchSize",
        ] {
            assert!(matches!(effect(&mut s, key), Taken::NoEffect(_)), "{key}");
        }
        assert_eq!(effect(&mut s, "nonsense"), Taken::Unknown);
        assert!(s.set_katago("maxVisits", "many").is_err());
        assert!(s.set_katago("koRule", "HEXAGONAL").is_err());
        assert_eq!(format!("{s:?}"), before);
    }

    #[test]
    fn renamed_keys_name_existing_parameters() {
        let s = Settings::default();
        for key in KEYS {
            if let Meaning::Is(own) = key.meaning {
                assert!(s.get(own).is_ok(), "{own}");
            }
        }
    }
}
