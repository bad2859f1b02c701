"""URIs of drives and of shares, which Linux has not, on pure paths."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from sidecar.checkout import paths
from sidecar.runtime.errors import OutsideWorkspace
from sidecar.system.file_uris import path_of_uri

WINDOWS_PATHS = [
    PureWindowsPath(r"C:\work\demo"),
    PureWindowsPath(r"c:\Program Files\a#b\100%.py"),
    PureWindowsPath(r"\\server\share\work\demo"),
    PureWindowsPath(r"\\wsl.localhost\Ubuntu\home\me"),
    PureWindowsPath("D:\\Größe\\文件.py"),
]


@pytest.mark.fast
@pytest.mark.parametrize("path", WINDOWS_PATHS, ids=str)
def test_a_windows_path_comes_back_from_its_uri(path: PureWindowsPath) -> None:
    uri = path.as_uri()
    assert PureWindowsPath(path_of_uri(uri, windows=True)) == path
    assert PureWindowsPath(paths.path_from_uri(uri, windows=True)) == path
    assert PureWindowsPath(str(paths.folder_of(uri))) == path


@pytest.mark.fast
@pytest.mark.parametrize(
    "uri", ["file:///c%3A/work/demo", "file:///C:/work/demo", "file://localhost/C:/work/demo", "file:/C:/work/demo"]
)
def test_every_spelling_of_a_drive_is_one_path(uri: str) -> None:
    for path in (path_of_uri(uri, windows=True), paths.path_from_uri(uri, windows=True)):
        assert PureWindowsPath(path) == PureWindowsPath(r"C:\work\demo")


@pytest.mark.fast
def test_a_uri_without_a_drive_is_a_posix_path() -> None:
    uri = PurePosixPath("/work/C:/a b").as_uri()
    assert path_of_uri(uri, windows=False) == paths.path_from_uri(uri, windows=False) == "/work/C:/a b"
    assert path_of_uri("file:///C:/work", windows=False) == "/C:/work"


@pytest.mark.fast
def test_a_share_is_another_machine_where_there_are_no_shares() -> None:
    with pytest.raises(OutsideWorkspace, match="another machine"):
        paths.path_from_uri("file://server/share/a.py", windows=False)
    assert path_of_uri("file://server/share/a.py", windows=False) == "/share/a.py"
    assert paths.folder_of("file://server/share") == Path("//server/share")
