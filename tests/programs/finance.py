"""Options, returns, indicators."""

import math

import numpy as np
from numpy import exp, log, maximum, sqrt


def normal_cdf(x):
    """Abramowitz and Stegun 26.2.17."""
    a1, a2, a3, a4, a5 = 0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    poly = k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5))))
    w = 1.0 - 1.0 / math.sqrt(2 * math.pi) * exp(-x * x / 2) * poly
    return np.where(x < 0, 1.0 - w, w)


def black_scholes(spot, strike, years, rate, volatility):
    d1 = (log(spot / strike) + (rate + volatility**2 / 2) * years) / (volatility * sqrt(years))
    d2 = d1 - volatility * sqrt(years)
    call = spot * normal_cdf(d1) - strike * exp(-rate * years) * normal_cdf(d2)
    put = strike * exp(-rate * years) * normal_cdf(-d2) - spot * normal_cdf(-d1)
    return call, put


def option_inputs(k):
    r = np.random.RandomState(k)
    n = (5, 1, 8)[k]
    return (
        r.uniform(50, 150, n),
        r.uniform(50, 150, n),
        r.uniform(0.1, 2, n),
        np.float64(0.03 + k / 100),
        r.uniform(0.1, 0.5, n),
    )


def black_scholes_scalar(quote):
    """The same for one quote through :mod:`math`, which has ``erf``-free code paths only."""
    s, k, t, r, v = quote
    d1 = (math.log(s / k) + (r + v * v / 2) * t) / (v * math.sqrt(t))
    d2 = d1 - v * math.sqrt(t)

    def phi(x):
        return 1 / (1 + math.exp(-0.07056 * math.pow(x, 3) - 1.5976 * x))

    return s * phi(d1) - k * math.exp(-r * t) * phi(d2), max(s - k, 0.0)


def quote_inputs(k):
    return (
        np.array([[100, 95, 1, 0.05, 0.2], [90, 110, 0.5, 0.01, 0.4], [80, 80, 2, 0, 0.1]])[k],
    )


def binomial_tree(spot, strike):
    """American put on a recombining tree."""
    n, t, r, sigma = 6, 1.0, 0.05, 0.3
    dt = t / n
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    p = (np.exp(r * dt) - d) / (u - d)
    discount = np.exp(-r * dt)
    prices = np.zeros(n + 1)
    for j in range(n + 1):
        prices[j] = spot * u**j * d ** (n - j)
    values = maximum(0, strike - prices)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            values[j] = discount * (p * values[j + 1] + (1 - p) * values[j])
            early = strike - spot * u**j * d ** (i - j)
            values[j] = max(values[j], early)
    return values[0]


def tree_inputs(k):
    return np.float64((100, 80, 120)[k]), np.float64(100)


def returns_statistics(prices):
    returns = np.diff(np.log(prices), axis=0)
    volatility = returns.std(axis=0, ddof=1) * np.sqrt(252)
    peak = np.maximum.accumulate(prices, axis=0)
    drawdown = (prices - peak) / peak
    centred = returns - returns.mean(axis=0)
    covariance = centred.T @ centred / (len(returns) - 1)
    weights = np.ones(prices.shape[1]) / prices.shape[1]
    return volatility, drawdown.min(axis=0), weights @ covariance @ weights


def prices_inputs(k):
    return (np.exp(np.random.RandomState(k).randn(9, 3).cumsum(0) * 0.1) * 100,)


def rsi_indicator(prices):
    deltas = np.diff(prices)
    window = 4
    seed = deltas[: window + 1]
    up = seed[seed >= 0].sum() / window
    down = -seed[seed < 0].sum() / window
    rsi = np.zeros_like(prices)
    rsi[:window] = 100.0 - 100.0 / (1.0 + up / down)
    for i in range(window, len(prices)):
        delta = deltas[i - 1]
        gain, loss = np.where(delta > 0, delta, 0.0), np.where(delta > 0, 0.0, -delta)
        up = (up * (window - 1) + gain) / window
        down = (down * (window - 1) + loss) / window
        rsi[i] = 100.0 - 100.0 / (1.0 + up / down)
    return rsi


def price_inputs(k):
    return (100 + np.random.RandomState(k).randn(10).cumsum(),)


def present_value(rate, flows):
    total = 0.0
    for year, flow in enumerate(flows, start=1):
        total += flow / (1 + rate) ** year
    duration = (
        np.sum(np.arange(1, len(flows) + 1) * flows / (1 + rate) ** np.arange(1, 5)) / total
    )
    return total, duration


def flows_inputs(k):
    return np.float64(0.02 + 0.01 * k), np.random.RandomState(k).uniform(5, 10, 4)


@np.vectorize
def tax(income):
    """Brackets, one element at a time."""
    return np.where(income < 1000.0, income * 0.1, 100.0 + (income - 1000.0) * 0.2)


def taxes(incomes):
    return tax(incomes)


def incomes_inputs(k):
    return (np.random.RandomState(k).uniform(100, 3000, 6),)
