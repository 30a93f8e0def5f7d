"""Stencils, particles, automata, and small linear systems solved in place."""

import numpy as np


def n_body_step(pos, vel, mass):
    """Leapfrog integration of gravitating bodies."""
    softening, dt = 0.1, 0.01

    def acceleration(pos):
        x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
        dx, dy, dz = x.T - x, y.T - y, z.T - z
        inv_r3 = dx**2 + dy**2 + dz**2 + softening**2
        inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
        ax, ay, az = (d * inv_r3 @ mass for d in (dx, dy, dz))
        return np.hstack((ax, ay, az))

    acc = acceleration(pos)
    for _ in range(2):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = acceleration(pos)
        vel += acc * dt / 2.0
    kinetic = 0.5 * np.sum(np.sum(mass * vel**2))
    return pos, vel, kinetic


def bodies_inputs(k):
    r = np.random.RandomState(k)
    n = (4, 2, 6)[k]
    return r.randn(n, 3), r.randn(n, 3), r.rand(n, 1) + 0.5


def jacobi_1d(a, b):
    for _ in range(3):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return a, b


def jacobi_inputs(k):
    r = np.random.RandomState(k)
    n = (9, 5, 12)[k]
    return r.rand(n), r.rand(n)


def heat_equation(u):
    """Explicit scheme with two buffers that change places."""
    current, following = u.copy(), np.empty_like(u)
    for _ in range(4):
        following[:] = current
        following[1:-1, 1:-1] = current[1:-1, 1:-1] + 0.1 * (
            current[2:, 1:-1]
            + current[:-2, 1:-1]
            + current[1:-1, 2:]
            + current[1:-1, :-2]
            - 4 * current[1:-1, 1:-1]
        )
        following[0, :] = following[1, :]
        following[:, -1] = 0
        current, following = following, current
    return current


def plate_inputs(k):
    return (np.random.RandomState(k).rand(6, 7).astype(np.float32),)


def gauss_seidel(grid):
    """In place, so later points see earlier ones of the same sweep."""
    for _ in range(2):
        for i in range(1, grid.shape[0] - 1):
            for j in range(1, grid.shape[1] - 1):
                grid[i, j] = (
                    grid[i - 1, j] + grid[i + 1, j] + grid[i, j - 1] + grid[i, j + 1]
                ) / 4.0
    return grid


def small_plate_inputs(k):
    return (np.random.RandomState(k).rand(5, 5),)


def cholesky_in_place(m):
    a = m.copy()
    n = a.shape[0]
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, n):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])
    return np.tril(a)


def definite_inputs(k):
    m = np.random.RandomState(k).randn(5, 5)
    return (m @ m.T + 5 * np.eye(5),)


def lu_solve(a, b):
    """LU in place, then forward and backward substitution."""
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    y = np.zeros(n)
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    x = np.zeros_like(y)
    for i in reversed(range(n)):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return a, x


def system_inputs(k):
    r = np.random.RandomState(k)
    return r.randn(4, 4) + 4 * np.eye(4), r.randn(4)


def pivoted_elimination(a, b):
    """Partial pivoting without branches: rows are exchanged by computed index."""
    m = np.hstack([a, b.reshape(-1, 1)])
    n = len(b)
    for col in range(n):
        pivot = np.argmax(np.abs(m[col:, col])) + col
        m[[col, pivot]] = m[[pivot, col]]
        m[col + 1 :] -= np.outer(m[col + 1 :, col] / m[col, col], m[col])
    x = np.zeros(n)
    for row in range(n - 1, -1, -1):
        x[row] = (m[row, -1] - np.dot(m[row, row + 1 : n], x[row + 1 :])) / m[row, row]
    return x


def hard_system_inputs(k):
    r = np.random.RandomState(k)
    a = r.randn(4, 4)
    a[0, 0] = 0.0
    return a, r.randn(4)


def game_of_life(board):
    for _ in range(2):
        neighbours = sum(
            np.roll(np.roll(board, i, 0), j, 1)
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
            if (i != 0 or j != 0)
        )
        board = (neighbours == 3) | (board & (neighbours == 2))
        board = board.astype(int)
    return board


def board_inputs(k):
    return (np.random.RandomState(k).randint(0, 2, (6, 8)),)


def life_with_borders(board):
    """The same in slices, with births and deaths written by mask."""
    n = np.zeros_like(board[1:-1, 1:-1])
    n += board[:-2, :-2] + board[:-2, 1:-1] + board[:-2, 2:]
    n += board[1:-1, :-2] + board[1:-1, 2:]
    n += board[2:, :-2] + board[2:, 1:-1] + board[2:, 2:]
    inner = board[1:-1, 1:-1]
    birth = (n == 3) & (inner == 0)
    survive = ((n == 2) | (n == 3)) & (inner == 1)
    board[...] = 0
    board[1:-1, 1:-1][birth | survive] = 1
    return board


def mandelbrot(cx, cy):
    """Escape times with masks, on real pairs."""
    zx, zy = np.zeros_like(cx), np.zeros_like(cy)
    count = np.zeros(cx.shape, dtype=np.int32)
    alive = np.ones(cx.shape, dtype=bool)
    for step in range(6):
        zx[alive], zy[alive] = (
            zx[alive] ** 2 - zy[alive] ** 2 + cx[alive],
            2 * zx[alive] * zy[alive] + cy[alive],
        )
        alive &= zx**2 + zy**2 <= 4.0
        count[alive] = step + 1
    return count, alive.sum()


def plane_inputs(k):
    r = np.random.RandomState(k)
    return r.uniform(-2, 1, (4, 5)), r.uniform(-1.5, 1.5, (4, 5))


def kalman_filter(measurements):
    dt = 0.5
    f = np.array([[1, dt], [0, 1]])
    h = np.array([[1.0, 0.0]])
    q = 0.01 * np.eye(2)
    r = np.array([[0.3]])
    x, p = np.zeros((2, 1)), np.eye(2)
    track = []
    for z in measurements:
        x = f @ x
        p = f @ p @ f.T + q
        innovation = z - h @ x
        s = h @ p @ h.T + r
        gain = p @ h.T / s
        x = x + gain @ innovation
        p = (np.eye(2) - gain @ h) @ p
        track.append(x[:, 0])
    return np.array(track), p


def measurements_inputs(k):
    return (np.random.RandomState(k).randn(6),)


def runge_kutta(state):
    """Lorenz system, a nested function for the derivative."""
    sigma, rho, beta = 10.0, 28.0, 8.0 / 3.0

    def derivative(s):
        x, y, z = s
        return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

    path = np.empty((4, 3))
    path[0] = state
    h = 0.01
    for i in range(3):
        s = path[i]
        k1 = derivative(s)
        k2 = derivative(s + h / 2 * k1)
        k3 = derivative(s + h / 2 * k2)
        k4 = derivative(s + h * k3)
        path[i + 1] = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return path


def state_inputs(k):
    return (np.random.RandomState(k).randn(3) * 5,)
