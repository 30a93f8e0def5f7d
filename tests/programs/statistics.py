"""Estimators with given parameters, normalisation, clustering."""

from dataclasses import dataclass

import numpy as np
from numpy import asarray, zeros


@dataclass(frozen=True)
class StandardScaler:
    mean_: np.ndarray
    scale_: np.ndarray

    @classmethod
    def fit(cls, x):
        scale = x.std(axis=0)
        scale[scale == 0.0] = 1.0
        return cls(x.mean(axis=0), scale)

    def transform(self, x):
        x = asarray(x, dtype=np.float64)
        x = x - self.mean_
        x /= self.scale_
        return x


_TRAIN = np.random.RandomState(1).randn(30, 4)
SCALER = StandardScaler.fit(_TRAIN)


def standard_scaler(x):
    return SCALER.transform(x)


def features_inputs(k):
    return (np.random.RandomState(k + 10).randn((5, 1, 9)[k], 4),)


class PCA:
    def __init__(self, components, mean):
        self.components_, self.mean_ = components, mean

    def transform(self, x):
        return np.dot(x - self.mean_, self.components_.T)

    def inverse_transform(self, z):
        return z @ self.components_ + self.mean_


REDUCE = PCA(np.linalg.svd(_TRAIN - _TRAIN.mean(0))[2][:2], _TRAIN.mean(0))


def pca_projection(x):
    z = REDUCE.transform(x)
    error = ((REDUCE.inverse_transform(z) - x) ** 2).mean(axis=1)
    return z, np.sqrt(error)


def ridge_normal_equations(x, y):
    gram = x.T @ x + 0.1 * np.identity(x.shape[1])
    target = x.T @ y
    weights = np.zeros(x.shape[1])
    residual = target - gram @ weights
    direction = residual.copy()
    for _ in range(x.shape[1]):  # conjugate gradients
        step = residual @ residual / (direction @ gram @ direction)
        weights += step * direction
        fresh = residual - step * gram @ direction
        direction = fresh + (fresh @ fresh) / (residual @ residual) * direction
        residual = fresh
    residual = y - x @ weights
    return weights, 1 - (residual**2).sum() / ((y - y.mean()) ** 2).sum()


def regression_inputs(k):
    r = np.random.RandomState(k)
    n = (8, 5, 12)[k]
    return r.randn(n, 3), r.randn(n)


def linear_predict(x):
    coef = np.array([[0.5, -1.0, 2.0, 0.1], [1.5, 0.3, -0.2, 0.7]])
    intercept = [0.1, -0.1]
    decision = x.dot(coef.T) + intercept
    probability = 1 / (1 + np.exp(-decision))
    return decision, probability, (decision > 0).astype(int)


def kmeans_step(points, centers):
    """Assignment, then new centres with a loop over clusters."""
    distances = np.linalg.norm(points[:, np.newaxis] - centers, axis=2)
    labels = np.argmin(distances, axis=1)
    new_centers = zeros(centers.shape)
    for j in range(centers.shape[0]):
        members = (labels == j)[:, None]
        new_centers[j] = (points * members).sum(axis=0) / np.maximum(members.sum(), 1)
    inertia = (np.min(distances, axis=1) ** 2).sum()
    return labels, new_centers, inertia


def kmeans_inputs(k):
    r = np.random.RandomState(k)
    return r.randn((9, 4, 12)[k], 2), r.randn(3, 2)


def kmeans_by_mask(points, centers):
    """Means of masked rows: the number of members depends on the data."""
    labels = ((points[:, None] - centers) ** 2).sum(-1).argmin(1)
    return np.array([points[labels == j].mean(axis=0) for j in range(2)]), labels


def two_clusters_inputs(k):
    r = np.random.RandomState(k)
    return r.randn(10, 2), np.array([[-0.5, 0.0], [0.5, 0.0]])


def naive_bayes(x):
    """Gaussian log-likelihoods in a comprehension over classes."""
    means = [np.array([0.0, 1.0, -1.0, 0.5]), np.array([1.0, -1.0, 0.3, 0.0])]
    variances = [np.array([1.0, 0.5, 2.0, 1.0]), np.array([0.7, 1.0, 1.0, 1.5])]
    scores = [
        -0.5 * np.sum(np.log(2.0 * np.pi * v)) - 0.5 * np.sum((x - m) ** 2 / v, 1)
        for m, v in zip(means, variances, strict=True)
    ]
    joint = np.array(scores).T
    top = joint.max(axis=1, keepdims=True)
    log_total = top[:, 0] + np.log(np.exp(joint - top).sum(axis=1))
    return joint - log_total[:, None], joint.argmax(1)


class DecisionTree:
    """Arrays of a fitted tree, walked for all rows at once."""

    left = np.array([1, 3, 5, -1, -1, -1, -1])
    right = np.array([2, 4, 6, -1, -1, -1, -1])
    feature = np.array([0, 1, 2, 0, 0, 0, 0])
    threshold = np.array([0.0, 0.5, -0.5, 0, 0, 0, 0])
    value = np.array([0, 0, 0, 1.0, 2.0, 3.0, 4.0])

    def predict(self, x):
        node = np.zeros(x.shape[0], dtype=np.int64)
        rows = np.arange(x.shape[0])
        for _ in range(2):
            goes_left = x[rows, self.feature[node]] <= self.threshold[node]
            node = np.where(goes_left, self.left[node], self.right[node])
        return self.value[node], node


def decision_tree(x):
    return DecisionTree().predict(x)


def robust_scale(x):
    median = np.median(x, axis=0)
    low, high = np.percentile(x, [25, 75], axis=0)
    z = (x - median) / (high - low)
    return np.clip(z, -3, 3), np.mean(np.abs(z) > 1)


def robust_inputs(k):
    return (np.random.RandomState(k).randn(11, 4),)


def histogram_entropy(labels):
    counts = np.bincount(labels, minlength=5)
    p = counts / counts.sum()
    terms = np.where(p > 0, -p * np.log2(np.where(p > 0, p, 1)), 0.0)
    return counts, terms.sum()


def small_labels_inputs(k):
    return (np.random.RandomState(k).randint(0, 5, (12, 7, 20)[k]),)


def welford(samples):
    """Running mean and variance with scalars that are rebound."""
    mean, m2 = 0.0, 0.0
    for count, value in enumerate(samples, start=1):
        delta = value - mean
        mean += delta / count
        m2 += delta * (value - mean)
    return mean, m2 / (len(samples) - 1)


def samples_inputs(k):
    return (np.random.RandomState(k).randn(7),)


def correlation_matrix(x):
    z = (x - x.mean(0)) / x.std(0)
    matrix = z.T @ z / x.shape[0]
    return matrix, matrix[np.triu_indices(4, k=1)]
