"""How a network learns: the policy from visits, the value from results and search values."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.optim import swa_utils

from engine.training.batches import Batch, BatchSources
from engine.training.learning import LearningProgress
from engine.training.model import Model

MOST_JUDGED = 8000
"""Held-out rows at most that measure progress, of all boards together."""
JUDGED_AT_ONCE = 1000
WARM_UP_STEPS = 200
"""Steps in which the learning rate rises."""


@dataclass(frozen=True)
class Fitting:
    """Hyperparameters: `rate` is the highest learning rate, `decay` the weight decay.

    `value_share` is the weight of the search's value in the target of the value; the result has the
    rest. `average` is the decay of the moving average of the weights, per step.
    """

    batch: int = 256
    rate: float = 3e-3
    decay: float = 1e-3
    value_share: float = 0.4
    owners_weight: float = 0.3
    average: float = 0.999


class Learner:
    """A model in training, and the moving average of its weights, which is the better network."""

    def __init__(self, model: Model, fitting: Fitting, steps: int) -> None:
        self.step = 0
        self.steps = steps
        self._model = model
        self._fitting = fitting
        # At most a tenth of a short training: a longer average would include the initial weights.
        average = min(fitting.average, 1 - 10 / max(steps, 20))
        self._average = swa_utils.AveragedModel(
            model, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(average)
        )
        self._optimizer = torch.optim.AdamW(
            model.parameters(), fitting.rate, weight_decay=fitting.decay
        )

    @property
    def result(self) -> Model:
        model: Model = self._average.module
        return model

    def learn(self, source: BatchSources) -> None:
        """Do one step of gradient descent."""
        rate = self._fitting.rate * schedule(self.step / self.steps, self.step)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        loss = total_loss(self._model, source.drawn(self._fitting.batch), self._fitting)
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self._optimizer.step()
        self._average.update_parameters(self._model)
        self.step += 1

    def state(self) -> dict[str, Any]:
        """Return all that `restore` needs to continue."""
        return {
            "step": self.step,
            "steps": self.steps,
            "model": self._model.state_dict(),
            "average": self._average.state_dict(),
            "optimizer": self._optimizer.state_dict(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        self._model.load_state_dict(state["model"])
        self._average.load_state_dict(state["average"])
        self._optimizer.load_state_dict(state["optimizer"])
        self.step = state["step"]


def schedule(share: float, step: int) -> float:
    """Return the factor of the learning rate: a linear warm-up, then a cosine decay to 0.02."""
    return min(1.0, (step + 1) / WARM_UP_STEPS) * (
        0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * share))
    )


def total_loss(model: Model, batch: Batch, fitting: Fitting) -> Tensor:
    """Return the loss of the value, of the policy, and of the owners of cells at the end."""
    policy, value, owners = model(batch.codes, batch.numbers, batch.place)
    wanted = fitting.value_share * batch.value + (1 - fitting.value_share) * batch.result
    loss = functional.binary_cross_entropy_with_logits(value, wanted)
    loss = loss + policy_loss(policy, batch)
    return loss + fitting.owners_weight * functional.cross_entropy(owners, batch.owners)


def policy_loss(policy: Tensor, batch: Batch) -> Tensor:
    """Return the mean cross entropy over the placements, of the rows that have a policy."""
    logs = functional.log_softmax(policy.flatten(1), 1)
    each = -(batch.policy * logs).sum(1) * batch.has_policy
    return each.sum() / batch.has_policy.sum().clamp(min=1)


@torch.no_grad()
def judged(learner: Learner, sources: BatchSources) -> LearningProgress:
    """Measure the learner's averaged model on held-out rows."""
    sums, size = np.zeros(5), 0
    for source in sources.each:
        rows = np.arange(min(len(source), MOST_JUDGED // len(sources.each)))
        if not len(rows):  # with fewer than sixteen games, none may be held out
            continue
        size += len(rows)
        for part in np.array_split(rows, max(1, len(rows) // JUDGED_AT_ONCE)):
            sums += _sums(learner.result, source.in_order(part))
    policy, agreement, brier, search_brier, looked = map(float, sums)
    policies, size = max(looked, 1), max(size, 1)
    return LearningProgress(
        learner.step,
        learner.steps,
        policy / policies,
        agreement / policies,
        brier / size,
        search_brier / size,
    )


def _sums(model: Model, batch: Batch) -> tuple[float, ...]:
    """Return sums over the rows of a batch.

    They are the policy loss, the first choices that agree with the search, the squared errors of
    the network's and of the search's value, and the rows with a policy.
    """
    logits, value, _ = model(batch.codes, batch.numbers, batch.place)
    policies = int(batch.has_policy.sum())
    same = logits.flatten(1).argmax(1) == batch.policy.argmax(1)
    return (
        float(policy_loss(logits, batch)) * policies,
        float((same & batch.has_policy).sum()),
        float(((torch.sigmoid(value) - batch.result) ** 2).sum()),
        float(((batch.value - batch.result) ** 2).sum()),
        float(policies),
    )
