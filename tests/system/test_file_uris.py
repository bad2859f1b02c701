"""Which path a `file://` URI names, and that a host is another machine."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from sidecar.checkout import paths
from sidecar.runtime.errors import OutsideWorkspace
from sidecar.system.file_uris import path_of_uri


@pytest.mark.fast
def test_a_path_comes_back_from_its_uri() -> None:
    uri = PurePosixPath("/work/C:/a b").as_uri()
    assert path_of_uri(uri) == paths.path_from_uri(uri) == "/work/C:/a b"
    assert path_of_uri("file:///C:/work") == "/C:/work"
    assert paths.folder_of("file://localhost/work") == Path("/work")


@pytest.mark.fast
def test_a_share_is_another_machine() -> None:
    with pytest.raises(OutsideWorkspace, match="another machine"):
        paths.path_from_uri("file://server/share/a.py")
    assert path_of_uri("file://server/share/a.py") == "/share/a.py"
    assert paths.folder_of("file://server/share") == Path("//server/share")
