"""The server under test with the library of Tests/FaultTests, which makes its disk fail and its clock go wrong."""

import os
import sys
from pathlib import Path

from server import HERE, Server

sys.path.insert(0, str(HERE.parent / "FaultTests"))

from process import Control, compile_library


class FaultyServer(Server):
    """A server whose writes fail, and whose wall clock is ahead, when its control says so."""

    def __init__(self, binary: str, folder: Path, settings: list[str]):
        super().__init__(binary, folder, settings)
        self.library = compile_library(str(folder))
        self.control = Control(f"{folder}/control")

    def environment(self) -> dict[str, str]:
        return {**os.environ, "LD_PRELOAD": self.library, "FAULT_ROOT": self.data, "FAULT_CONTROL": self.control.path}
