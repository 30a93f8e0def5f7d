"""Filters, transforms and features of signals."""

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

PI = np.pi


def iir_filter(x):
    """Direct form II transposed, sample by sample."""
    b = np.array([0.2, 0.3, 0.1])
    a = np.array([1.0, -0.4, 0.2])
    z = np.zeros(len(b) - 1)
    y = np.empty_like(x)
    for n in range(len(x)):
        y[n] = b[0] * x[n] + z[0]
        for i in range(len(z) - 1):
            z[i] = b[i + 1] * x[n] + z[i + 1] - a[i + 1] * y[n]
        z[-1] = b[-1] * x[n] - a[-1] * y[n]
    return y, z


def signal_inputs(k):
    return (np.random.RandomState(k).randn(12),)


def bit_reversed(n):
    bits = n.bit_length() - 1
    return [int(format(i, f"0{bits}b")[::-1], 2) for i in range(n)]


def fft_pairs(re, im):
    """Radix-2 FFT in place on real and imaginary parts."""
    n = re.shape[0]
    order = bit_reversed(n)
    re, im = re[order], im[order]
    size = 2
    while size <= n:
        half = size // 2
        for start in range(0, n, size):
            for j in range(half):
                c, s = math.cos(-2 * math.pi * j / size), math.sin(-2 * math.pi * j / size)
                a, b = start + j, start + j + half
                tr = re[b] * c - im[b] * s
                ti = re[b] * s + im[b] * c
                re[b], im[b] = re[a] - tr, im[a] - ti
                re[a] += tr
                im[a] += ti
        size *= 2
    return re, im, np.hypot(re, im)


def complex_inputs(k):
    r = np.random.RandomState(k)
    return r.randn(8), r.randn(8)


def dct_matrix(n):
    k = np.arange(n)
    basis = np.cos(PI * (2 * k[None, :] + 1) * k[:, None] / (2 * n)) * np.sqrt(2.0 / n)
    basis[0] /= np.sqrt(2.0)
    return basis


def block_dct(image):
    """8 x 8 block DCT with quantisation."""
    import numpy as xp

    d = dct_matrix(8).astype(image.dtype)
    rows, cols = image.shape
    blocks = image.reshape(rows // 8, 8, cols // 8, 8).swapaxes(1, 2)
    table = 1 + xp.add.outer(xp.arange(8), xp.arange(8))
    coefficients = xp.round(d @ blocks @ d.T / table)
    restored = d.T @ (coefficients * table) @ d
    return coefficients.astype(xp.int16), restored.swapaxes(1, 2).reshape(rows, cols)


def gray_inputs(k):
    return (np.random.RandomState(k).rand(16, 24).astype(np.float32) * 255,)


def hz_to_mel(f):
    return 2595.0 * np.log10(1.0 + f / 700.0)


def mel_to_hz(m):
    return 700.0 * (10.0 ** (m / 2595.0) - 1.0)


def mel_filterbank(n_filters, n_fft, rate):
    points = mel_to_hz(np.linspace(hz_to_mel(0.0), hz_to_mel(rate / 2), n_filters + 2))
    bins = np.floor((n_fft + 1) * points / rate).astype(int)
    bank = np.zeros((n_filters, n_fft // 2 + 1))
    for m in range(1, n_filters + 1):
        left, centre, right = int(bins[m - 1]), int(bins[m]), int(bins[m + 1])
        for k in range(left, centre):
            bank[m - 1, k] = (k - left) / max(centre - left, 1)
        for k in range(centre, right):
            bank[m - 1, k] = (right - k) / max(right - centre, 1)
    return bank


def mel_features(wave):
    """Frames, window, DFT by matrices, mel bank, log, mean removal."""
    n_fft, hop = 32, 8
    frames = sliding_window_view(wave, n_fft)[::hop] * np.hanning(n_fft)
    grid = 2 * np.pi * np.outer(np.arange(n_fft), np.arange(n_fft // 2 + 1)) / n_fft
    power = (frames @ np.cos(grid)) ** 2 + (frames @ np.sin(grid)) ** 2
    mel = power @ mel_filterbank(6, n_fft, 8000).T
    features = 10 * np.log10(np.maximum(mel, 1e-10))
    features -= features.mean(axis=0) + 1e-8
    return features


def wave_inputs(k):
    return (np.random.RandomState(k).randn((96, 128, 40)[k]),)


def windowed_features(x):
    """Rolling mean, spread, range and zero crossings."""
    windows = np.lib.stride_tricks.sliding_window_view(x, 5, axis=0)
    centred = windows - windows.mean(axis=-1, keepdims=True)
    crossings = np.diff(np.signbit(windows), axis=-1).sum(axis=-1)
    return np.column_stack(
        [windows.mean(-1), centred.std(-1), np.ptp(windows, axis=-1), crossings]
    )


def convolve_signals(x, h):
    full = np.zeros(len(x) + len(h) - 1, x.dtype)
    for i, tap in enumerate(h):
        full[i : i + len(x)] += tap * x
    start = (len(h) - 1) // 2
    return full, full[start : start + len(x)], np.convolve(x, h, mode="valid")


def convolve_inputs(k):
    r = np.random.RandomState(k)
    return r.randn(10).astype(np.float32), r.randn(4).astype(np.float32)


def exponential_moving_average(prices):
    alpha = 2 / (3 + 1)
    ema = np.zeros(len(prices))
    ema[0] = prices[0]
    for i, price in enumerate(prices[1:], 1):
        ema[i] = alpha * price + (1 - alpha) * ema[i - 1]
    return ema


def pre_emphasis(x):
    emphasised = np.append(x[0], x[1:] - 0.97 * x[:-1])
    frame, step = 6, 3
    count = 1 + math.ceil((len(x) - frame) / step)
    padded = np.concatenate([emphasised, np.zeros(frame)])
    index = np.tile(np.arange(frame), (count, 1)) + step * np.arange(count)[:, None]
    frames = padded[index.astype(np.int32, copy=False)]
    return frames * np.hamming(frame), np.sum(frames**2, axis=1)


def autocorrelation(x):
    centred = x - x.mean()
    lags = [np.dot(centred[: len(x) - lag], centred[lag:]) for lag in range(4)]
    lags = np.array(lags)
    return lags / lags[0]


def haar_wavelet(x):
    detail = []
    while len(x) > 1:
        even, odd = x[::2], x[1::2]
        detail.append((even - odd) / math.sqrt(2))
        x = (even + odd) / math.sqrt(2)
    return np.concatenate([x, *reversed(detail)])


def power_of_two_inputs(k):
    return (np.random.RandomState(k).randn(16),)
