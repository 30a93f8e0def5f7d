"""Rotations, quaternions, boxes, geodesy and distances."""

import math
from collections import namedtuple
from math import radians

import numpy as np
from numpy import arctan2, array, cos, hypot, sin, sqrt, where

_EPS = np.finfo(float).eps * 4.0


def qmult(q1, q2):
    w1, x1, y1, z1 = q1
    w2, x2, y2, z2 = q2
    w = w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2
    x = w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2
    y = w1 * y2 + y1 * w2 + z1 * x2 - x1 * z2
    z = w1 * z2 + z1 * w2 + x1 * y2 - y1 * x2
    return array([w, x, y, z])


def qconjugate(q):
    return array(q) * array([1.0, -1, -1, -1])


def rotate_vector(v, q):
    varr = np.zeros((4,))
    varr[1:] = v
    return qmult(q, qmult(varr, qconjugate(q)))[1:]


def quat2mat(q):
    w, x, y, z = q
    n = w * w + x * x + y * y + z * z
    s = 2.0 / n
    xs, ys, zs = x * s, y * s, z * s
    wx, wy, wz = w * xs, w * ys, w * zs
    xx, xy, xz = x * xs, x * ys, x * zs
    yy, yz, zz = y * ys, y * zs, z * zs
    return np.array(
        [
            [1.0 - (yy + zz), xy - wz, xz + wy],
            [xy + wz, 1.0 - (xx + zz), yz - wx],
            [xz - wy, yz + wx, 1.0 - (xx + yy)],
        ]
    )


def quaternion_algebra(q, v):
    q = q / np.linalg.norm(q)
    return qmult(q, q), rotate_vector(v, q), quat2mat(q) @ v


def quaternion_inputs(k):
    r = np.random.RandomState(k)
    return r.randn(4), r.randn(3)


def slerp(p0, p1, t):
    """Interpolation between rotations; nearly equal ones linearly."""
    dot = np.sum(p0 * p1)
    p1 = where(dot < 0, -p1, p1)
    dot = np.clip(np.abs(dot), -1.0, 1.0)
    theta = np.arccos(dot) * t[:, None]
    ortho = p1 - p0 * dot
    ortho = ortho / np.maximum(np.linalg.norm(ortho), 1e-9)
    return p0 * cos(theta) + ortho * sin(theta)


def slerp_inputs(k):
    r = np.random.RandomState(k)
    p = r.randn(2, 4)
    p /= np.linalg.norm(p, axis=1, keepdims=True)
    return p[0], p[1], np.linspace(0, 1, (5, 3, 8)[k])


def rot_x(a):
    return np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])


def rot_y(a):
    return np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])


def rot_z(a):
    c, s = math.cos(a), math.sin(a)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def euler_rotation(angles, points):
    yaw, pitch, roll = angles
    rotation = rot_z(yaw) @ rot_y(pitch) @ rot_x(roll)
    transform = np.eye(4)
    transform[:3, :3] = rotation
    transform[:3, 3] = [1, 2, 3]
    homogeneous = np.c_[points, np.ones(len(points))]
    sy = hypot(rotation[0, 0], rotation[1, 0])
    back = arctan2(rotation[1, 0], rotation[0, 0]), arctan2(-rotation[2, 0], sy)
    return (homogeneous @ transform.T)[:, :3], np.r_[back[0], back[1]]


def euler_inputs(k):
    r = np.random.RandomState(k)
    return r.uniform(-1, 1, 3), r.randn(5, 3)


class Ellipsoid(namedtuple("Ellipsoid", "semimajor semiminor")):
    @classmethod
    def wgs84(cls):
        return cls(6378137.0, 6356752.31424518)


def sanitize(lat, ell, deg):
    if ell is None:
        ell = Ellipsoid.wgs84()
    if deg:
        lat = np.radians(lat)
    return lat, ell


def geodetic2ecef(lat, lon, alt, ell=None, deg=True):
    lat, ell = sanitize(lat, ell, deg)
    if deg:
        lon = np.radians(lon)
    with np.errstate(invalid="ignore"):
        n = ell.semimajor**2 / sqrt(
            ell.semimajor**2 * cos(lat) ** 2 + ell.semiminor**2 * sin(lat) ** 2
        )
    x = (n + alt) * cos(lat) * cos(lon)
    y = (n + alt) * cos(lat) * sin(lon)
    z = (n * (ell.semiminor / ell.semimajor) ** 2 + alt) * sin(lat)
    return x, y, z


def geodesy_inputs(k):
    r = np.random.RandomState(k)
    n = (3, 1, 6)[k]
    return r.uniform(-90, 90, n), r.uniform(-180, 180, n), r.uniform(0, 9000, n)


def haversine(lat1, lon1, lat2, lon2, earth_radius=6371.0):
    lat1, lon1, lat2, lon2 = map(np.deg2rad, [lat1, lon1, lat2, lon2])
    dlat, dlon = lat2 - lat1, lon2 - lon1
    a = np.sin(dlat / 2.0) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin(dlon / 2.0) ** 2
    return earth_radius * 2 * np.arcsin(np.sqrt(a))


def haversine_scalar(place):
    """One pair of places through :mod:`math`, as scalar code is written."""
    here_lat, here_lon = radians(52.5), radians(13.4)
    lat, lon = radians(place[0]), radians(place[1])
    a = math.sin((lat - here_lat) / 2) ** 2
    a += math.cos(lat) * math.cos(here_lat) * math.sin((lon - here_lon) / 2) ** 2
    return 2 * 6371.0 * math.atan2(math.sqrt(a), math.sqrt(1 - a))


def place_inputs(k):
    return (np.array([[48.1, 11.6], [-33.9, 151.2], [52.5, 13.4]])[k],)


def haversine_inputs(k):
    r = np.random.RandomState(k)
    n = (4, 2, 5)[k]
    return tuple(r.uniform(-80, 80, n).astype(np.float32) for _ in range(4))


def pairwise_distances(a, b):
    squared = (a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T
    distances = np.sqrt(np.maximum(squared, 0))
    return distances, distances.argmin(1), np.linalg.norm(a[:, None] - b[None], axis=-1).max()


def pairwise_inputs(k):
    r = np.random.RandomState(k)
    n, m = ((4, 3), (1, 6), (5, 5))[k]
    return r.randn(n, 2), r.randn(m, 2)


def box_iou(a, b):
    top_left = np.maximum(a[:, None, :2], b[:, :2])
    bottom_right = np.minimum(a[:, None, 2:], b[:, 2:])
    inter = np.prod(np.clip(bottom_right - top_left, 0, None), axis=2)
    area_a = np.prod(a[:, 2:] - a[:, :2], axis=1)
    area_b = np.prod(b[:, 2:] - b[:, :2], axis=1)
    return inter / (area_a[:, None] + area_b - inter + 1e-9)


def boxes_inputs(k):
    r = np.random.RandomState(k)
    made = []
    for n in ((3, 4), (1, 2), (6, 5))[k]:
        corner = r.rand(n, 2) * 10
        made.append(np.concatenate([corner, corner + 1 + r.rand(n, 2) * 5], 1).astype("f4"))
    return tuple(made)


def polygon_area(points):
    x, y = points.T
    shoelace = np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))
    total = 0.0
    for (x0, y0), (x1, y1) in zip(points, np.roll(points, -1, axis=0), strict=True):
        total += x0 * y1 - x1 * y0
    return 0.5 * np.abs(shoelace), abs(total) / 2


def polygon_inputs(k):
    return (np.random.RandomState(k).randn(6, 2),)
