import ast
import gzip
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.data.files import binary_images

IMAGES = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)


def idx(shape, code=8):
    return bytes([0, 0, code, len(shape)]) + np.array(shape, dtype=">u4").tobytes()


IDX = idx((2, 3, 4)) + IMAGES.tobytes()


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzipped"])
@pytest.mark.parametrize("n_axes", [1, 3, 5])
@pytest.mark.parametrize(
    ("code", "dtype"), [(0x08, ">u1"), (0x09, ">i1"), (0x0B, ">i2"), (0x0C, ">i4"), (0x0D, ">f4"), (0x0E, ">f8")]
)
def test_idx_files_of_every_type_are_read_as_stored(tmp_path, code, dtype, n_axes, pack):
    """With the largest and the smallest number of the type, and no two axes of one length."""
    shape = (2, 3, 4, 5, 6)[:n_axes]
    limits = np.finfo(dtype) if "f" in dtype else np.iinfo(dtype)
    stored = (np.arange(np.prod(shape)) % 100).astype(dtype)
    stored[:2] = limits.max, limits.min
    (tmp_path / "file").write_bytes(pack(idx(shape, code) + stored.tobytes()))
    found = ae.data.load_idx(str(tmp_path / "file"))
    assert found.dtype == np.dtype(dtype).newbyteorder("=")
    np.testing.assert_array_equal(found, stored.reshape(shape))


def test_an_idx_file_may_be_empty_and_has_at_most_as_many_axes_as_an_array(tmp_path):
    (tmp_path / "none").write_bytes(idx((0, 5)))
    assert ae.data.load_idx(tmp_path / "none").shape == (0, 5)
    (tmp_path / "32").write_bytes(idx([1] * 32) + b"x")
    assert ae.data.load_idx(tmp_path / "32").shape == (1,) * 32


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (IDX[:-1], r"should hold 40 bytes for shape \(2, 3, 4\), got 39"),
        (IDX + b"x", "got 41"),
        (IDX[:9], "ends within its header"),
        (IDX[:15], "ends within its header"),
        (b"\x89PNG....", "no IDX file: it starts with 89 50 4e 47"),
        (b"\0\0\x08\0\x05", "no IDX file: it starts with 00 00 08 00"),
        (b"", "starts with nothing"),
        (b"\0\0\x08", "no IDX file: it starts with 00 00 08"),
        (idx([1] * 33) + b"x", "no IDX file"),
        (gzip.compress(IDX, mtime=0)[:-9], "damaged gzip"),
        *((idx(shape), r"should hold \d{19,} bytes") for shape in [(2**31, 2**31, 4), (2**16,) * 4]),  # they wrap
    ],
)
def test_what_is_no_idx_file_is_refused(tmp_path, raw, message):
    (tmp_path / "file").write_bytes(raw)
    with pytest.raises(ValueError, match=message):
        ae.data.load_idx(tmp_path / "file")


CIFAR_IMAGES = np.random.default_rng(0).integers(0, 256, size=(5, 32, 32, 3), dtype=np.uint8)


def cifar_bytes(images):
    """Records of a label and the red, the green, the blue pixels, as cs.toronto.edu/~kriz/cifar.html describes them."""
    return b"".join(bytes([3]) + b"".join(image[:, :, color].tobytes() for color in range(3)) for image in images)


def test_cifar_images_are_read_from_one_file_or_from_a_folder_in_order(tmp_path):
    (tmp_path / "data_batch_2.bin").write_bytes(cifar_bytes(CIFAR_IMAGES[3:]))
    (tmp_path / "data_batch_1.bin").write_bytes(cifar_bytes(CIFAR_IMAGES[:3]))
    (tmp_path / "readme.html").write_text("not a batch")
    np.testing.assert_array_equal(ae.data.load_cifar10(tmp_path), CIFAR_IMAGES)
    images = ae.data.load_cifar10(str(tmp_path / "data_batch_1.bin"))
    assert images.dtype == np.uint8
    np.testing.assert_array_equal(images, CIFAR_IMAGES[:3])
    assert ae.data.color_patches(10, images=images, rng=np.random.default_rng(0)).shape == (10, 108)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", r"batch must hold records of 3073 bytes, got 0 bytes; get the binary version"),
        (bytes(3072), "got 3072 bytes"),
        (b"\x80\x04" + bytes(50), "batch is a pickle, which can run code as it is read; get the binary version"),
    ],
)
def test_what_is_no_binary_batch_is_refused(tmp_path, raw, message):
    (tmp_path / "batch").write_bytes(raw)
    with pytest.raises(ValueError, match=message):
        ae.data.load_cifar10(tmp_path / "batch")
    with pytest.raises(ValueError, match="holds no"):
        ae.data.load_cifar10(tmp_path)


RNG = np.random.default_rng(0)
PARTS = {"weights": RNG.normal(size=(5, 3)), "visible_bias": RNG.normal(size=5), "hidden_bias": RNG.normal(size=3)}


@pytest.mark.parametrize("rbm", [ae.BinaryRBM(**PARTS), ae.GaussianRBM(**PARTS, sigma=RNG.uniform(0.5, 2, size=5))])
def test_an_rbm_survives_its_file(tmp_path, rbm):
    ae.data.save_rbm(tmp_path / "rbm.model", rbm)
    again = ae.data.load_rbm(tmp_path / "rbm.model")
    assert type(again) is type(rbm)
    for name in ("weights", "visible_bias", "hidden_bias", "sigma"):
        np.testing.assert_array_equal(getattr(again, name, 0), getattr(rbm, name, 0))


def test_a_file_is_not_touched_for_something_that_is_no_rbm(tmp_path):
    ae.data.save_rbm(tmp_path / "rbm.npz", ae.uniform_rbm(3, 2))
    with pytest.raises(TypeError, match="rbm must be a BinaryRBM or a GaussianRBM, got Gaussian"):
        ae.data.save_rbm(tmp_path / "rbm.npz", ae.Gaussian([0.0], [[1.0]]))
    assert ae.data.load_rbm(tmp_path / "rbm.npz").dim == 3


@pytest.mark.parametrize("raw", [b"", b"weights", b"\x93NUMPY"])
def test_what_is_no_npz_file_is_refused(tmp_path, raw):
    (tmp_path / "rbm.npz").write_bytes(raw)
    with pytest.raises(ValueError, match=r"rbm\.npz is no NPZ file"):
        ae.data.load_rbm(tmp_path / "rbm.npz")


def npz(path, weights):
    """An archive of raw files, whatever they hold."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in {"weights": weights, "visible_bias": b"", "hidden_bias": b""}.items():
            archive.writestr(f"{name}.npy", raw)


def npy(shape, descr="'<f8'"):
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


def savez(path, **changes):
    np.savez(path, **({"weights": np.zeros((3, 2)), "visible_bias": np.zeros(3), "hidden_bias": np.zeros(2)} | changes))


def damaged(path):
    ae.data.save_rbm(path, ae.BinaryRBM(np.random.default_rng(0).normal(size=(50, 9)), np.zeros(50), np.zeros(9)))
    raw = bytearray(path.read_bytes())
    raw[300:340] = bytes(40)
    path.write_bytes(raw)


FORGED = {
    "a trillion rows": (lambda path: npz(path, npy((10**12, 10))), ""),
    "a negative shape": (lambda path: npz(path, npy((-3, 10))), ""),
    "code in the header": (lambda path: npz(path, npy("__import__('os')")), ""),
    "a type of its own": (lambda path: npz(path, npy((1, 1), "'|O'")), ""),
    "half a header": (lambda path: npz(path, npy((1, 1))[:20]), ""),
    "no numpy file": (lambda path: npz(path, b"hello"), ""),
    "damage": (damaged, ""),
    "words": (lambda path: savez(path, weights=np.full((3, 2), "a")), "weights must be an array of real numbers"),
    "NaN": (lambda path: savez(path, weights=np.full((3, 2), np.nan)), "weights must be finite"),
    "objects": (lambda path: savez(path, weights=np.array([{"a": 1}], dtype=object)), "allow_pickle=False"),
    "unfit": (lambda path: savez(path, visible_bias=np.zeros(2)), "visible_bias must have shape"),
    "unfit sigma": (lambda path: savez(path, sigma=np.ones(2)), "sigma must have shape"),
    "transposed": (lambda path: savez(path, weights=np.zeros((2, 3))), r"pass weights\.T"),
    "half": (
        lambda path: np.savez(path, weights=np.zeros((3, 2)), b=np.zeros(3)),
        "lacks visible_bias, hidden_bias and has weights, b",
    ),
}


@pytest.mark.parametrize(("forge", "reason"), FORGED.values(), ids=FORGED)
def test_a_damaged_or_forged_archive_is_named(tmp_path, forge, reason):
    forge(tmp_path / "mine.npz")
    with pytest.raises(ValueError, match=rf"^mine\.npz holds no RBM that could be read: .*{reason or '.'}"):
        ae.data.load_rbm(tmp_path / "mine.npz")


@pytest.mark.parametrize(
    "images",
    [np.zeros((0, 4)), np.full((2, 2), "x"), np.zeros(4), np.array([[0.0, np.nan]]), np.zeros((2, 2), dtype=complex)],
    ids=["none", "text", "one axis", "NaN", "complex"],
)
def test_what_holds_no_images_is_refused_by_name(tmp_path, images):
    np.save(tmp_path / "images.npy", images)
    shape = re.escape(str(images.shape))
    with pytest.raises(ValueError, match=rf"images.npy must hold images .* got {images.dtype} {shape}"):
        binary_images(tmp_path / "images.npy")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((0, 1), ""),
        ((-1, 1), ", made binary at 0"),
        ((0, 9), ", made binary at 4.5"),
        ([0] * 199 + [255], ", made binary at 127.5: 0.5000% of the pixels are on"),
    ],
)
def test_only_what_is_not_binary_is_made_so(tmp_path, values, said):
    images = np.resize(values, (100, 4))
    np.save(tmp_path / "images.npy", images)
    found, sentence = binary_images(tmp_path / "images.npy")
    assert sentence == f"images.npy: 100 images of 4 pixels{said}"
    np.testing.assert_array_equal(found, images == max(values))


def test_no_file_may_bring_code_along():
    for source in Path(ae.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "np.load":
                assert "allow_pickle=False" in map(ast.unparse, node.keywords), source.name
