//! Reader for transformer layers.

use super::*;

impl Reader {
    /// Read the norm before a transformer layer.
    pub(super) fn rms_norm(&mut self, channels: usize) -> Read<RmsNorm> {
        self.tokens.name("a norm")?;
        self.exactly("its channels", channels)?;
        let epsilon = self.tokens.positive("its epsilon")?;
        Ok(RmsNorm {
            epsilon,
            scale: self.tokens.floats(channels, "the scales")?,
            bias: Vec::new(),
            spatial: false,
            activation: Activation::Identity,
        })
    }

    /// Read the norm at the end of a transformer's trunk.
    pub(super) fn tip_rms_norm(&mut self, channels: usize) -> Read<RmsNorm> {
        self.tokens.name("a norm")?;
        self.exactly("its channels", channels)?;
        let epsilon = self.tokens.positive("its epsilon")?;
        let spatial = self.tokens.whole("whether it is spatial", 0, 1)? == 1;
        let groups: usize = self.tokens.number("the size of its groups")?;
        if groups != 0 {
            return Err(self.tokens.error("norms with groups are not supported"));
        }
        Ok(RmsNorm {
            epsilon,
            scale: self.tokens.floats(channels, "the scales")?,
            bias: self.tokens.floats(channels, "the biases")?,
            spatial,
            activation: self.activation()?,
        })
    }

    pub(super) fn attention(&mut self, channels: usize) -> Read<Block> {
        let heads = self.tokens.whole("the number of heads", 1, CHANNELS)?;
        let key_heads = self.tokens.whole("the number of key heads", 1, heads)?;
        let query_size = self.tokens.whole("the size of queries", 1, CHANNELS)?;
        let value_size = self.tokens.whole("the size of values", 1, CHANNELS)?;
        let rotates = self.tokens.whole("whether it rotates", 0, 1)? == 1;
        let learned = self.tokens.whole("whether rotation is learned", 0, 1)? == 1;
        if heads % key_heads != 0 {
            return Err(self.tokens.error(format!(
                "{heads} heads cannot share {key_heads} key heads evenly"
            )));
        }
        if rotates && query_size % 2 != 0 {
            return Err(self.tokens.error(format!(
                "queries of odd size {query_size} cannot be rotated"
            )));
        }
        let norm = self.rms_norm(channels)?;
        let query = self.product(channels, Some(heads * query_size))?;
        let key = self.product(channels, Some(key_heads * query_size))?;
        let value = self.product(channels, Some(key_heads * value_size))?;
        let out = self.product(heads * value_size, Some(channels))?;
        let rotation = match (rotates, learned) {
            (false, _) => Rotation::None,
            (true, false) => {
                self.tokens.name("the base of the rotation")?;
                Rotation::Base(self.tokens.positive("the base of the rotation")?)
            }
            (true, true) => {
                self.tokens.name("the frequencies of the rotation")?;
                let (h, pairs) = (key_heads, query_size / 2);
                self.exactly("their heads", h)?;
                self.exactly("their pairs", pairs)?;
                self.exactly("their directions", 2)?;
                Rotation::Learned(self.tokens.floats(h * pairs * 2, "the frequencies")?)
            }
        };
        Ok(Block::Attention(Box::new(Attention {
            norm,
            heads,
            key_heads,
            query_size,
            value_size,
            query,
            key,
            value,
            out,
            rotation,
        })))
    }

    pub(super) fn feed_forward(&mut self, channels: usize) -> Read<Block> {
        self.exactly("its channels", channels)?;
        let inner = self.tokens.whole("its inner channels", 1, CHANNELS)?;
        self.tokens.whole("whether it is gated (SwiGLU)", 1, 1)?;
        let norm = self.rms_norm(channels)?;
        let up = self.product(channels, Some(inner))?;
        let gate = self.product(channels, Some(inner))?;
        let down = self.product(inner, Some(channels))?;
        Ok(Block::FeedForward {
            norm,
            up,
            gate,
            down,
        })
    }
}
