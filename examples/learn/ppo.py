"""PPO in one file, for any environment of webmotor_drake: it learns, then shows it.

    pip install 'webmotor-drake[fast,gym]' torch matplotlib
    python examples/learn/ppo.py CartPole --steps 150000
    python examples/learn/ppo.py Rover --steps 160000 --envs 8

Many robots step at a time: in one plant where they touch nothing, in processes of their
own otherwise. It prints the mean return of the episodes that ended lately, and leaves a
curve (.csv) and the policy (.pt).
"""

import argparse
import csv
import time
from pathlib import Path

import gymnasium
import numpy as np
import torch
from torch import nn

import webmotor_drake.gym  # noqa: F401

GAMMA, LAMBDA, CLIP, EPOCHS, MINIBATCHES = 0.99, 0.95, 0.2, 8, 8


class Policy(nn.Module):
    """A Gaussian over actions and the value of a state, of scaled observations."""

    def __init__(self, observations: int, actions: int):
        super().__init__()

        def net(outputs: int, gain: float) -> nn.Sequential:
            layers = [nn.Linear(observations, 64), nn.Linear(64, 64)]
            layers.append(nn.Linear(64, outputs))
            for layer, g in zip(layers, (2**0.5, 2**0.5, gain), strict=True):
                nn.init.orthogonal_(layer.weight, g)
                nn.init.zeros_(layer.bias)
            first, second, last = layers
            return nn.Sequential(first, nn.Tanh(), second, nn.Tanh(), last)

        self.mean, self.value = net(actions, 0.01), net(1, 1.0)
        self.log_std = nn.Parameter(torch.full((actions,), -0.5))
        self.register_buffer("offset", torch.zeros(observations))
        self.register_buffer("spread", torch.ones(observations))
        self.register_buffer("seen", torch.tensor(1e-4))

    def scaled(self, observation: np.ndarray) -> torch.Tensor:
        """Returns observations with a mean of 0 and a spread of 1."""
        x = torch.as_tensor(observation, dtype=torch.float32)
        return ((x - self.offset) / self.spread.sqrt()).clamp(-10, 10)

    def notice(self, observation: np.ndarray) -> None:
        """Takes a batch into account for mean and spread."""
        x = torch.as_tensor(observation, dtype=torch.float32)
        total, off = self.seen + len(x), x.mean(0) - self.offset
        self.spread += (x.var(0, unbiased=False) - self.spread) * len(x) / total
        self.spread += off**2 * self.seen * len(x) / total**2
        self.offset += off * len(x) / total
        self.seen += len(x)

    def chances(self, x: torch.Tensor) -> torch.distributions.Normal:
        """Returns how likely each action is."""
        return torch.distributions.Normal(self.mean(x), self.log_std.exp())


class Rollout:
    """Steps the environments and keeps what happens."""

    def __init__(
        self, envs: gymnasium.vector.VectorEnv, policy: Policy, seed: int
    ):
        self.envs, self.policy = envs, policy
        self.observation, _ = envs.reset(seed=seed)
        self.returns, self.lengths = (
            np.zeros(envs.num_envs),
            np.zeros(envs.num_envs),
        )
        self.ended: list[tuple[float, float, bool]] = []

    @torch.no_grad()
    def collect(self, steps: int) -> dict[str, torch.Tensor]:
        """Returns observations, actions, log chances, advantages and returns."""
        kept = {name: [] for name in ("x", "action", "chance", "value")}
        rewards, nexts, overs = [], [], []
        for _ in range(steps):
            self.policy.notice(self.observation)
            x = self.policy.scaled(self.observation)
            chances = self.policy.chances(x)
            action = chances.sample()
            kept["x"].append(x)
            kept["action"].append(action)
            kept["chance"].append(chances.log_prob(action).sum(-1))
            kept["value"].append(self.policy.value(x)[:, 0])
            seen, reward, ended, late, info = self.envs.step(
                action.double().clamp(-1, 1).numpy()
            )
            self._count(reward, ended | late, info)
            after = np.array(seen)
            for i in np.flatnonzero(ended | late):  # they began anew
                after[i] = info["final_obs"][i]
            worth = self.policy.value(self.policy.scaled(after))[:, 0]
            nexts.append(worth * torch.as_tensor(~ended))
            rewards.append(torch.as_tensor(reward, dtype=torch.float32))
            overs.append(torch.as_tensor(ended | late))
            self.observation = seen
        data = {name: torch.stack(values) for name, values in kept.items()}
        advantage, later = torch.zeros_like(data["value"]), 0.0
        for k in reversed(range(steps)):
            error = rewards[k] + GAMMA * nexts[k] - data["value"][k]
            later = error + GAMMA * LAMBDA * later * ~overs[k]
            advantage[k] = later
        data["advantage"] = advantage
        data["worth"] = advantage + data.pop("value")
        return {name: values.flatten(0, 1) for name, values in data.items()}

    def _count(self, reward: np.ndarray, over: np.ndarray, info: dict) -> None:
        self.returns += reward
        self.lengths += 1
        success = info.get("final_info", {}).get("is_success")
        for i in np.flatnonzero(over):
            won = bool(success[i]) if success is not None else False
            self.ended.append((self.returns[i], self.lengths[i], won))
            self.returns[i] = self.lengths[i] = 0


def improve(
    policy: Policy,
    optimizer: torch.optim.Optimizer,
    data: dict[str, torch.Tensor],
) -> None:
    """Improves the policy by what happened."""
    number = len(data["x"])
    for _ in range(EPOCHS):
        for batch in torch.randperm(number).chunk(MINIBATCHES):
            part = {name: values[batch] for name, values in data.items()}
            chances = policy.chances(part["x"])
            chance = chances.log_prob(part["action"]).sum(-1)
            ratio = (chance - part["chance"]).exp()
            gain = part["advantage"]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            kept = ratio.clamp(1 - CLIP, 1 + CLIP)
            loss = -torch.min(ratio * gain, kept * gain).mean()
            loss += (
                0.5
                * (policy.value(part["x"])[:, 0] - part["worth"]).pow(2).mean()
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()


@torch.no_grad()
def judged(
    task: str, policy: Policy, episodes: int = 50
) -> tuple[float, float]:
    """Returns the mean return, and the share of successes, without any chance."""
    env, found = gymnasium.make(f"webmotor_drake/{task}-v0"), []
    for episode in range(episodes):
        seen, _ = env.reset(seed=1000 + episode)
        total, over, info = 0.0, False, {}
        while not over:
            action = policy.mean(policy.scaled(seen)).double().clamp(-1, 1)
            seen, reward, ended, late, info = env.step(action.numpy())
            total, over = total + reward, ended or late
        found.append((total, bool(info.get("is_success", False))))
    env.close()
    return tuple(np.mean(found, axis=0))


def main() -> None:
    """Learns, and says how well."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("task", help="CartPole, Reacher, Quadruped or Rover")
    parser.add_argument(
        "--steps", type=int, default=150_000, help="of all robots"
    )
    parser.add_argument("--envs", type=int, default=16, help="robots at a time")
    parser.add_argument(
        "--rollout", type=int, default=128, help="steps of each"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/learn"))
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    envs = gymnasium.make_vec(
        f"webmotor_drake/{args.task}-v0",
        num_envs=args.envs,
        autoreset_mode="SameStep",
    )
    policy = Policy(
        envs.single_observation_space.shape[0],
        envs.single_action_space.shape[0],
    )
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3, eps=1e-5)
    rollout = Rollout(envs, policy, args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    started, done = time.monotonic(), 0
    with (args.out / f"{args.task}_{args.seed}.csv").open(
        "w", newline=""
    ) as file:
        table = csv.writer(file)
        table.writerow(["steps", "seconds", "return", "length", "success"])
        while done < args.steps:
            for group in optimizer.param_groups:
                group["lr"] = 1e-3 * max(1 - done / args.steps, 0.05)
            improve(policy, optimizer, rollout.collect(args.rollout))
            done += args.rollout * args.envs
            seconds = time.monotonic() - started
            if rollout.ended:
                lately = np.mean(rollout.ended[-100:], axis=0)
                table.writerow([done, round(seconds, 1), *lately.round(4)])
                file.flush()
                print(
                    f"{done:8d} steps {seconds:6.0f} s  return {lately[0]:8.3f}"
                    f"  length {lately[1]:6.1f}  success {lately[2]:5.0%}",
                    flush=True,
                )
    envs.close()
    torch.save(policy.state_dict(), args.out / f"{args.task}_{args.seed}.pt")
    total, success = judged(args.task, policy)
    print(
        f"50 new episodes by the mean action: {total:.3f}, success {success:.0%}"
    )


if __name__ == "__main__":
    main()
