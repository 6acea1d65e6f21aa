"""Names that say nothing, and files that belong to nobody."""

from .rule import rule

EMPTY_WORDS = ("Util", "Utils", "Utilities", "Helper", "Helpers", "Manager", "Base")
# Folders of tests that are not named for a module.
TEST_FOLDERS = frozenset([
    "CommandLineTests", "LoadTests", "ServicesTestSupport", "StoreTestSupport", "TestMarks", "TestSupport", "IntegrationTests",
    "Fuzz", "FuzzTests", "Simulation", "SimulationTests", "InstructionTests", "SealingTests", "DeviceKills",
])


@rule("no type is called Utils, Helper, Manager or Base",
      bad=("Sources/Words/Wire/A.swift", "struct FrameHelper {}\n"),
      good=("Sources/Words/Wire/A.swift", "struct FrameHelperless { let manager = 1 }\n"))
def empty_type_names(file, house):
    for name, line in file.types:
        if name.endswith(EMPTY_WORDS):
            yield line, f"the name {name} says nothing of what it is for"


@rule("no file is called Utils, Helper, Manager or Base",
      bad=("Tests/Words/WireTests/FrameUtils.swift", "struct Frames {}\n"),
      good=("Tests/Words/WireTests/Frames.swift", "struct Frames {}\n"))
def empty_file_names(file, house):
    name = file.folders[-1].split(".")[0]
    if name.endswith(EMPTY_WORDS) or any(f"{word}+" in name for word in EMPTY_WORDS):
        yield 1, f"the name {name} says nothing of what it holds"


@rule("no file is empty",
      bad=("Sources/Words/Wire/A.swift", "// Only a comment.\nimport Model\n"),
      good=("Sources/Words/Wire/A.swift", "enum Frame {}\n"))
def empty_files(file, house):
    if len(file.tokens) <= 2 * len(file.imports):
        yield 1, "there is nothing in this file"


@rule("no placeholder is left",
      bad=("Sources/Words/Wire/Placeholder.swift", "enum Frame {}\n"),
      good=("Sources/Words/Wire/Frame.swift", "enum Frame {}\n"))
def placeholders(file, house):
    if "Placeholder" in file.folders[-1]:
        yield 1, "a placeholder: its room is built or it is not"


@rule("every file stands in a room of the house or in the tests of one",
      bad=("Sources/Misc/Frame.swift", "enum Frame {}\n"),
      good=("Tests/Words/WireTests/Frame.swift", "enum Frame {}\n"))
def owners(file, house):
    if file.room is not None:
        owned = file.room in house.arrows.by_name
    elif file.is_test:
        tests = TEST_FOLDERS | {f"{name}Tests" for name in house.arrows.by_name}
        owned = not tests.isdisjoint(file.folders[1:-1][:2])
    else:
        owned = file.path == "Package.swift"
    if not owned:
        yield 1, "no room owns this file"
