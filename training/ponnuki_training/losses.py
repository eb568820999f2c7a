"""The losses: differences from a teacher's labels."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from .batches import may_end_without_result

# Weights of the losses. KataGo learns value, ownership and lead from random results of games;
# here they are a teacher's expectations. The value's gradient varies much between batches: a
# weight of 8 drowns the policy's gradient, with 2 the policy learns faster than the value.
POLICY = 4.0
SOFT_POLICY = 4.0
SOFT_TEMPERATURE = 4.0
VALUE = 4.0
OWNERSHIP = 6.0
LEAD = 0.02
SCORE_MEAN = 0.003
SCORE_DEVIATION = 0.002
TIME_LEFT = 0.0002
VALUE_ERROR = 2.0
SCORE_ERROR = 0.002

# Factors of the score outputs (version 11 of the format).
MEAN_FACTOR = 20.0
DEVIATION_FACTOR = 20.0
LEAD_FACTOR = 20.0
TIME_FACTOR = 40.0
VALUE_ERROR_FACTOR = 0.25
SCORE_ERROR_FACTOR = 30.0


def cross_entropy(logits: Tensor, target: Tensor) -> Tensor:
    """Mean over the batch of −Σ target · ln softmax(logits)."""
    return -(target * F.log_softmax(logits, dim=1)).sum(1).mean()


def result_logits(logits: Tensor, globals_: Tensor) -> Tensor:
    """Mask the third of the logits [batch, 3] for games that always have a result, as the
    engine does."""
    never = torch.zeros_like(logits, dtype=torch.bool)
    never[:, 2] = ~may_end_without_result(globals_)
    return logits.masked_fill(never, -1e4)


def losses(outputs: tuple[Tensor, ...], batch: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weighted losses by name; training minimises their sum."""
    logits, result, score, ownership = outputs
    target = batch["policy"].clamp(min=0.0)
    target = target / target.sum(1, keepdim=True)
    soft = target.pow(1.0 / SOFT_TEMPERATURE)
    soft = soft / soft.sum(1, keepdim=True)
    t = batch["score"]
    # Labels count games without result as 0; the outputs are for games with a result.
    counted = (1.0 - batch["result"][:, 2:]).clamp(min=0.05)
    mean, lead = t[:, 0:1] / counted, t[:, 2:3] / counted
    deviation = t[:, 1:2]
    predicted = {
        "mean": score[:, 0:1] * MEAN_FACTOR,
        "deviation": F.softplus(score[:, 1:2]) * DEVIATION_FACTOR,
        "lead": score[:, 2:3] * LEAD_FACTOR,
        "time": F.softplus(score[:, 3:4]) * TIME_FACTOR,
        "value_error": (F.softplus(score[:, 4:5]) * VALUE_ERROR_FACTOR + 1e-6).sqrt(),
        "score_error": (F.softplus(score[:, 5:6]) * SCORE_ERROR_FACTOR + 1e-6).sqrt(),
    }

    def huber(x: Tensor, y: Tensor, delta: float) -> Tensor:
        known = (y > -1.0) | (y < -1.0)
        loss = F.huber_loss(x, y, delta=delta, reduction="none")
        return torch.where(known, loss, torch.zeros_like(loss)).mean()

    owned = (batch["ownership"] + 1.0) / 2.0
    return {
        "policy": POLICY * cross_entropy(logits[:, 0], target),
        "soft_policy": SOFT_POLICY * cross_entropy(logits[:, 1], soft),
        "value": VALUE * cross_entropy(result_logits(result, batch["globals"]), batch["result"]),
        "ownership": OWNERSHIP * F.binary_cross_entropy_with_logits(2.0 * ownership, owned),
        "lead": LEAD * huber(predicted["lead"], lead, 8.0),
        "mean": SCORE_MEAN * huber(predicted["mean"], mean, 12.0),
        "deviation": SCORE_DEVIATION * huber(predicted["deviation"], deviation, 10.0),
        "time": TIME_LEFT * huber(predicted["time"], t[:, 3:4], 50.0),
        "value_error": VALUE_ERROR * huber(predicted["value_error"], t[:, 4:5], 1.0),
        "score_error": SCORE_ERROR * huber(predicted["score_error"], t[:, 5:6], 10.0),
    }
