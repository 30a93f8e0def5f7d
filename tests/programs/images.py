"""Colour spaces, resizing, detection pre- and post-processing."""

import functools

import numpy as np


def rgb_to_hsv(rgb):
    maxc = rgb.max(-1)
    minc = rgb.min(-1)
    out = np.zeros(rgb.shape)
    out[:, :, 2] = maxc
    mask = maxc != minc
    delta = (maxc - minc)[mask]
    s = np.zeros_like(maxc)
    s[mask] = delta / maxc[mask]
    out[:, :, 1] = s
    rc, gc, bc = np.zeros_like(rgb[..., 0]), np.zeros_like(maxc), np.zeros_like(maxc)
    rc[mask] = (maxc - rgb[:, :, 0])[mask] / delta
    gc[mask] = (maxc - rgb[:, :, 1])[mask] / delta
    bc[mask] = (maxc - rgb[:, :, 2])[mask] / delta
    conditions = [rgb[..., 0] == maxc, rgb[..., 1] == maxc]
    h = np.select(conditions, [bc - gc, 2.0 + rc - bc], default=4.0 + gc - rc)
    out[:, :, 0] = (h / 6.0) % 1.0
    return out


def hsv_to_rgb(hsv):
    h, s, v = hsv[..., 0], hsv[..., 1], hsv[..., 2]
    i = (h * 6.0).astype("uint8")
    f = (h * 6.0) - i
    p, q, t = v * (1.0 - s), v * (1.0 - s * f), v * (1.0 - s * (1.0 - f))
    i = i % 6
    r = np.choose(i, [v, q, p, p, t, v])
    g = np.choose(i, [t, v, v, q, p, p])
    b = np.choose(i, [p, p, t, v, v, q])
    return np.stack([r, g, b], axis=-1)


def hue_shift(rgb):
    hsv = rgb_to_hsv(rgb)
    hsv[..., 0] = (hsv[..., 0] + 0.25) % 1.0
    return hsv, hsv_to_rgb(hsv)


def colour_inputs(k):
    image = np.random.RandomState(k).rand(4, 5, 3)
    image[0, 0] = 0.5
    return (image,)


XYZ = np.array(
    [
        [0.412453, 0.357580, 0.180423],
        [0.212671, 0.715160, 0.072169],
        [0.019334, 0.119193, 0.950227],
    ]
)
WHITE = np.array([0.95047, 1.0, 1.08883])


def rgb_to_lab(rgb):
    arr = np.asanyarray(rgb).astype(float)
    mask = arr > 0.04045
    arr[mask] = np.power((arr[mask] + 0.055) / 1.055, 2.4)
    arr[~mask] /= 12.92
    xyz = arr @ XYZ.T.astype(arr.dtype)
    xyz = xyz / WHITE
    mask = xyz > 0.008856
    xyz[mask] = np.cbrt(xyz[mask])
    xyz[~mask] = 7.787 * xyz[~mask] + 16.0 / 116.0
    x, y, z = xyz[..., 0], xyz[..., 1], xyz[..., 2]
    lightness = (116.0 * y) - 16.0
    return np.concatenate(
        [c[..., np.newaxis] for c in [lightness, 500.0 * (x - y), 200.0 * (y - z)]], axis=-1
    )


def nearest_resize(img, height, width):
    h, w = img.shape[:2]
    rows = (np.arange(height) * h // height).astype(int)
    cols = (np.arange(width) * w // width).astype(int)
    return img[rows[:, None], cols]


def letterbox(img):
    """Resize into a square with grey borders, then to CHW floats, as detectors want it."""
    size = (16, 16)
    padded = np.ones((size[0], size[1], 3), dtype=np.uint8) * 114
    r = min(size[0] / img.shape[0], size[1] / img.shape[1])
    resized = nearest_resize(img, int(img.shape[0] * r), int(img.shape[1] * r))
    padded[: int(img.shape[0] * r), : int(img.shape[1] * r)] = resized
    chw = padded.transpose((2, 0, 1))[::-1]
    return np.ascontiguousarray(chw, dtype=np.float32), r


def photo_inputs(k):
    return (np.random.RandomState(k).randint(0, 256, (10, 20, 3), dtype=np.uint8),)


def decode_boxes(outputs):
    """Grid cells and strides to boxes, in place on the raw output."""
    img_size, strides = (32, 32), [8, 16]
    grids, expanded_strides = [], []
    hsizes = [img_size[0] // stride for stride in strides]
    wsizes = [img_size[1] // stride for stride in strides]
    for hsize, wsize, stride in zip(hsizes, wsizes, strides, strict=True):
        xv, yv = np.meshgrid(np.arange(wsize), np.arange(hsize))
        grid = np.stack((xv, yv), 2).reshape(1, -1, 2)
        grids.append(grid)
        shape = grid.shape[:2]
        expanded_strides.append(np.full((*shape, 1), stride))
    grids = np.concatenate(grids, 1)
    expanded_strides = np.concatenate(expanded_strides, 1)
    outputs[..., :2] = (outputs[..., :2] + grids) * expanded_strides
    outputs[..., 2:4] = np.exp(outputs[..., 2:4]) * expanded_strides
    boxes = outputs[..., :4]
    xyxy = np.ones_like(boxes)
    xyxy[..., 0] = boxes[..., 0] - boxes[..., 2] / 2.0
    xyxy[..., 1] = boxes[..., 1] - boxes[..., 3] / 2.0
    xyxy[..., 2] = boxes[..., 0] + boxes[..., 2] / 2.0
    xyxy[..., 3] = boxes[..., 1] + boxes[..., 3] / 2.0
    scores = outputs[..., 4:5] * outputs[..., 5:]
    return xyxy, scores.max(-1), scores.argmax(-1)


def head_inputs(k):
    return (np.random.RandomState(k).randn((2, 1, 3)[k], 20, 8).astype(np.float32),)


def bilinear_resize(img):
    """Twice the size by index arithmetic; height and width vary."""
    h, w = img.shape
    oh, ow = h * 2, w * 2
    y = (np.arange(oh) + 0.5) / 2 - 0.5
    x = (np.arange(ow) + 0.5) / 2 - 0.5
    y0 = np.clip(np.floor(y).astype(int), 0, h - 1)
    x0 = np.clip(np.floor(x).astype(int), 0, w - 1)
    y1, x1 = np.minimum(y0 + 1, h - 1), np.minimum(x0 + 1, w - 1)
    wy, wx = np.clip(y - y0, 0, 1)[:, None], np.clip(x - x0, 0, 1)
    top = img[y0][:, x0] * (1 - wx) + img[y0][:, x1] * wx
    bottom = img[np.ix_(y1, x0)] * (1 - wx) + img[np.ix_(y1, x1)] * wx
    return top * (1 - wy) + bottom * wy


def plain_image_inputs(k):
    return (np.random.RandomState(k).rand(*((4, 5), (3, 1), (6, 2))[k]),)


def gray_histogram(img):
    """Histogram by bincount, cumulative, and equalisation through a lookup table."""
    counts = np.bincount(img.ravel(), minlength=16)
    cdf = counts.cumsum()
    lut = np.floor(15.0 * (cdf - cdf.min()) / (cdf[-1] - cdf.min())).astype(np.uint8)
    return counts, lut[img]


def sixteen_gray_inputs(k):
    return (np.random.RandomState(k).randint(0, 16, (6, 7), dtype=np.uint8),)


def clipped(function):
    @functools.wraps(function)
    def wrapper(image, *args):
        result = function(image.astype(np.float64), *args)
        return np.clip(np.rint(result), 0, 255).astype(image.dtype)

    return wrapper


@clipped
def sharpen(image, amount=1.5):
    kernel = np.ones((3, 3)) / 9
    padded = np.pad(image, 1, mode="edge")
    blurred = np.zeros_like(image)
    for (i, j), weight in np.ndenumerate(kernel):
        blurred += weight * padded[i : i + image.shape[0], j : j + image.shape[1]]
    return image + amount * (image - blurred)


def sharpen_inputs(k):
    return (np.random.RandomState(k).randint(0, 256, (5, 6), dtype=np.uint8),)


def sobel_edges(image):
    """Edges by an ndindex loop over windows."""
    gx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    out = np.zeros((image.shape[0] - 2, image.shape[1] - 2))
    for i, j in np.ndindex(out.shape):
        window = image[i : i + 3, j : j + 3].astype(int)
        out[i, j] = np.hypot((window * gx).sum(), (window * gx.T).sum())
    return out, out > out.mean()


def morphology(mask):
    """Dilation and erosion with any and all over shifted copies."""
    padded = np.pad(mask, 1)
    h, w = mask.shape
    shifted = [padded[i : i + h, j : j + w] for i in range(3) for j in range(3)]
    return (
        np.any(shifted, axis=0),
        np.all(np.stack(shifted), axis=0),
        np.logical_or.reduce(shifted),
    )


def mask_inputs(k):
    return (np.random.RandomState(k).rand(5, 6) > 0.6,)


def floyd_steinberg(img):
    """Error diffusion, pixel by pixel."""
    work = img.astype(np.float32)
    rows, cols = work.shape
    for y in range(rows):
        for x in range(cols):
            old = work[y, x]
            new = np.where(old > 127, np.float32(255), np.float32(0))
            work[y, x] = new
            error = old - new
            if x + 1 < cols:
                work[y, x + 1] += error * 7 / 16
            if y + 1 < rows and x > 0:
                work[y + 1, x - 1] += error * 3 / 16
            if y + 1 < rows:
                work[y + 1, x] += error * 5 / 16
            if y + 1 < rows and x + 1 < cols:
                work[y + 1, x + 1] += error * 1 / 16
    return work.astype(np.uint8)


def dither_inputs(k):
    return (np.random.RandomState(k).randint(0, 256, (4, 4), dtype=np.uint8),)
