"""Spending on language models: requests, tokens and money."""

from dataclasses import dataclass

from league_sdk.json_value import Json


class OverBudget(Exception):
    """Raised by a strategy that may spend no more on a move."""


@dataclass(frozen=True, slots=True)
class Spent:
    """A sum over requests; tokens as far as the provider said."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0  # US dollars, as far as prices are known
    estimated: int = 0  # counted with their largest possible cost: the answer was missing, or had no usage
    unpriced: int = 0  # not in `cost`

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost + other.cost,
            self.estimated + other.estimated,
            self.unpriced + other.unpriced,
        )

    def __str__(self) -> str:
        requests = "1 request" if self.requests == 1 else f"{self.requests} requests"
        return f"{requests} to a model, {self.input_tokens} + {self.output_tokens} tokens, {self.price}"

    @property
    def price(self) -> str:
        if self.requests and self.requests == self.unpriced:
            return "price unknown"
        about = "at most " if self.estimated else ""
        beside = f" and {self.unpriced} without a price" if self.unpriced else ""
        return f"{about}{dollars(self.cost)}{beside}"

    def to_json(self) -> dict[str, Json]:
        return {
            "requests": self.requests,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost_usd": None if self.requests and self.requests == self.unpriced else round(self.cost, 8),
            "estimated_requests": self.estimated,
            "unpriced_requests": self.unpriced,
        }


def dollars(amount: float) -> str:
    """An amount of money for people, to a hundredth of a cent below a dollar."""
    return f"${amount:.2f}" if amount >= 1 else f"${amount:.4f}"
