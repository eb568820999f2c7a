/// The probability of applying each rule of the heavy policy, in units of 1/256. 0
/// switches the rule off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayoutParams {
    /// Capture the chain of the last move if it is in atari.
    pub capture: u16,
    /// Save a chain that the last move put into atari.
    pub escape: u16,
    /// Answer if the last move left a chain with two liberties.
    pub two_liberties: u16,
    /// Play the vital point of a small eye space next to the last move.
    pub nakade: u16,
    /// Play a 3x3 pattern next to the last two moves.
    pub pattern: u16,
    /// Reject a random move that puts its own chain into atari.
    pub self_atari: u16,
}
