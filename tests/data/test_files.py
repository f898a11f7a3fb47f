import ast
import gzip
import re
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.data.files import binary_images

IMAGES = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
IDX = bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]) + IMAGES.tobytes()


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzipped"])
def test_idx_files_are_read_as_stored(tmp_path, pack):
    (tmp_path / "images").write_bytes(pack(IDX))
    np.testing.assert_array_equal(ae.data.load_idx(tmp_path / "images"), IMAGES)


def test_idx_files_of_wider_types_are_big_endian(tmp_path):
    numbers = np.array([1.5, -2.0], dtype=">f4")
    (tmp_path / "numbers").write_bytes(bytes([0, 0, 0x0D, 1, 0, 0, 0, 2]) + numbers.tobytes())
    np.testing.assert_array_equal(ae.data.load_idx(str(tmp_path / "numbers")), [1.5, -2.0])


@pytest.mark.parametrize("n_axes", [1, 2, 3, 4, 5])
@pytest.mark.parametrize(
    ("code", "dtype"), [(0x08, ">u1"), (0x09, ">i1"), (0x0B, ">i2"), (0x0C, ">i4"), (0x0D, ">f4"), (0x0E, ">f8")]
)
def test_idx_files_of_every_type_and_number_of_axes_are_read_as_stored(tmp_path, code, dtype, n_axes):
    """With the largest and the smallest number of the type, and no two axes of one length."""
    shape = (2, 3, 4, 5, 6)[:n_axes]
    limits = np.finfo(dtype) if "f" in dtype else np.iinfo(dtype)
    stored = (np.arange(np.prod(shape)) % 100).astype(dtype)
    stored[:2] = limits.max, limits.min
    header = bytes([0, 0, code, n_axes]) + np.array(shape, dtype=">u4").tobytes()
    (tmp_path / "file").write_bytes(header + stored.tobytes())
    found = ae.data.load_idx(tmp_path / "file")
    assert found.dtype == np.dtype(dtype).newbyteorder("=")
    np.testing.assert_array_equal(found, stored.reshape(shape))


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
    ],
)
def test_what_is_no_idx_file_is_refused(tmp_path, raw, message):
    (tmp_path / "file").write_bytes(raw)
    with pytest.raises(ValueError, match=message):
        ae.data.load_idx(tmp_path / "file")


def test_an_rbm_survives_its_file(tmp_path):
    rng = np.random.default_rng(0)
    rbm = ae.BinaryRBM(rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=3))
    ae.data.save_rbm(tmp_path / "rbm.model", rbm)
    again = ae.data.load_rbm(tmp_path / "rbm.model")
    assert repr(again) == "BinaryRBM(D=5, H=3)"
    for name in ("weights", "visible_bias", "hidden_bias"):
        np.testing.assert_array_equal(getattr(again, name), getattr(rbm, name))


def test_a_gaussian_rbm_survives_its_file(tmp_path):
    rng = np.random.default_rng(0)
    grbm = ae.GaussianRBM(rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=3), rng.uniform(0.5, 2, size=5))
    ae.data.save_rbm(tmp_path / "grbm.npz", grbm)
    again = ae.data.load_rbm(tmp_path / "grbm.npz")
    assert isinstance(again, ae.GaussianRBM)
    for name in ("weights", "visible_bias", "hidden_bias", "sigma"):
        np.testing.assert_array_equal(getattr(again, name), getattr(grbm, name))


def test_a_bad_sigma_in_a_file_is_refused(tmp_path):
    parts = {"weights": np.zeros((3, 2)), "visible_bias": np.zeros(3), "hidden_bias": np.zeros(2)}
    np.savez(tmp_path / "unfit.npz", **parts, sigma=np.ones(2))
    with pytest.raises(ValueError, match="sigma must have shape"):
        ae.data.load_rbm(tmp_path / "unfit.npz")


def test_files_that_hold_no_rbm_are_refused(tmp_path):
    np.savez(tmp_path / "half.npz", weights=np.zeros((3, 2)), b=np.zeros(3))
    with pytest.raises(ValueError, match="lacks visible_bias, hidden_bias and has weights, b"):
        ae.data.load_rbm(tmp_path / "half.npz")
    np.savez(tmp_path / "unfit.npz", weights=np.zeros((3, 2)), visible_bias=np.zeros(2), hidden_bias=np.zeros(2))
    with pytest.raises(ValueError, match="visible_bias must have shape"):
        ae.data.load_rbm(tmp_path / "unfit.npz")
    objects = np.array([{"a": 1}], dtype=object)
    np.savez(tmp_path / "pickled.npz", weights=objects, visible_bias=np.zeros(2), hidden_bias=np.zeros(2))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        ae.data.load_rbm(tmp_path / "pickled.npz")


def test_a_damaged_gzip_file_is_refused(tmp_path):
    (tmp_path / "images.gz").write_bytes(gzip.compress(IDX)[:-9])
    with pytest.raises(ValueError, match="damaged gzip"):
        ae.data.load_idx(tmp_path / "images.gz")


@pytest.mark.parametrize("raw", [b"", b"weights", b"\x93NUMPY"])
def test_what_is_no_npz_file_is_refused(tmp_path, raw):
    (tmp_path / "rbm.npz").write_bytes(raw)
    with pytest.raises(ValueError, match=r"rbm\.npz is no NPZ file"):
        ae.data.load_rbm(tmp_path / "rbm.npz")


def test_a_file_is_not_touched_for_something_that_is_no_rbm(tmp_path):
    ae.data.save_rbm(tmp_path / "rbm.npz", ae.uniform_rbm(3, 2))
    with pytest.raises(TypeError, match="rbm must be a BinaryRBM or a GaussianRBM, got Gaussian"):
        ae.data.save_rbm(tmp_path / "rbm.npz", ae.Gaussian([0.0], [[1.0]]))
    assert ae.data.load_rbm(tmp_path / "rbm.npz").dim == 3


def test_a_gzipped_file_is_unpacked_no_further_than_its_header_says(tmp_path):
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(IDX + bytes(20_000_000), compresslevel=1))
    (tmp_path / "promise.gz").write_bytes(gzip.compress(bytes([0, 0, 0x0E, 2, 255, 255, 255, 255, 255, 255, 255, 255])))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"bomb\.gz should hold 40 bytes for shape \(2, 3, 4\), got 41 or more"):
            ae.data.load_idx(tmp_path / "bomb.gz")
        with pytest.raises(ValueError, match=r"promise\.gz should hold \d{21} bytes for shape .*, got 12"):
            ae.data.load_idx(tmp_path / "promise.gz")
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shape", [(2**31, 2**31, 4), (2**32 - 1,) * 3, (2**16,) * 4])
def test_a_shape_whose_product_wraps_is_no_shape_of_nothing(tmp_path, shape):
    header = bytes([0, 0, 8, len(shape)]) + np.array(shape, dtype=">u4").tobytes()
    (tmp_path / "wraps").write_bytes(header)
    with pytest.raises(ValueError, match=r"wraps should hold \d{19,} bytes"):
        ae.data.load_idx(tmp_path / "wraps")


def test_an_idx_file_of_nothing_is_nothing(tmp_path):
    (tmp_path / "none").write_bytes(bytes([0, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0, 5]))
    assert ae.data.load_idx(tmp_path / "none").shape == (0, 5)


def npz(path, **parts):
    """An archive of raw files, whatever they hold."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in parts.items():
            archive.writestr(f"{name}.npy", raw)


def npy(shape, descr="'<f8'"):
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


def damaged(path):
    ae.data.save_rbm(path, ae.BinaryRBM(np.random.default_rng(0).normal(size=(50, 9)), np.zeros(50), np.zeros(9)))
    raw = bytearray(path.read_bytes())
    raw[300:340] = bytes(40)
    path.write_bytes(raw)


FORGED = {
    "a trillion rows": lambda path: npz(path, weights=npy((10**12, 10)), visible_bias=b"", hidden_bias=b""),
    "a negative shape": lambda path: npz(path, weights=npy((-3, 10)), visible_bias=b"", hidden_bias=b""),
    "code in the header": lambda path: npz(path, weights=npy("__import__('os')"), visible_bias=b"", hidden_bias=b""),
    "a type of its own": lambda path: npz(path, weights=npy((1, 1), "'|O'"), visible_bias=b"", hidden_bias=b""),
    "half a header": lambda path: npz(path, weights=npy((1, 1))[:20], visible_bias=b"", hidden_bias=b""),
    "no numpy file": lambda path: npz(path, weights=b"hello", visible_bias=b"", hidden_bias=b""),
    "words": lambda path: np.savez(path, weights=np.full((1, 1), "a"), visible_bias=[0.0], hidden_bias=[0.0]),
    "NaN": lambda path: np.savez(path, weights=[[np.nan]], visible_bias=[0.0], hidden_bias=[0.0]),
    "damage": damaged,
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_damaged_or_forged_archive_is_named(tmp_path, forge):
    forge(tmp_path / "mine.npz")
    with pytest.raises(ValueError, match=r"^mine\.npz holds no RBM that could be read: \S"):
        ae.data.load_rbm(tmp_path / "mine.npz")


def test_a_missing_folder_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"rbm\.npz cannot be written: there is no folder .*nowhere"):
        ae.data.save_rbm(tmp_path / "nowhere" / "rbm.npz", ae.uniform_rbm(3, 2))


def test_an_idx_file_has_at_most_as_many_axes_as_an_array(tmp_path):
    for n_axes in (32, 33):
        (tmp_path / str(n_axes)).write_bytes(bytes([0, 0, 8, n_axes]) + bytes([0, 0, 0, 1]) * n_axes + b"x")
    assert ae.data.load_idx(tmp_path / "32").shape == (1,) * 32
    with pytest.raises(ValueError, match="no IDX file"):
        ae.data.load_idx(tmp_path / "33")


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


def test_no_file_may_bring_code_along():
    for source in Path(ae.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "np.load":
                assert "allow_pickle=False" in map(ast.unparse, node.keywords), source.name


def test_data_that_are_nearly_all_off_say_so(tmp_path):
    np.save(tmp_path / "spot.npy", np.where(np.arange(900).reshape(100, 9) == 4, 255, np.arange(9) * 5))
    assert binary_images(tmp_path / "spot.npy")[1].endswith(", made binary at 127.5: 0.1111% of the pixels are on")


@pytest.mark.parametrize("values, half", [((0, 1), None), ((-1, 1), 0), ((0, 9), 4.5)])
def test_only_what_is_not_binary_is_made_so(tmp_path, values, half):
    images = np.resize(values, (3, 4))
    np.save(tmp_path / "images.npy", images)
    found, said = binary_images(tmp_path / "images.npy")
    assert said == "images.npy: 3 images of 4 pixels" + (f", made binary at {half}" if half is not None else "")
    np.testing.assert_array_equal(found, images == max(values))
