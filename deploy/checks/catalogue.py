"""The programs of a check, with what they prove and what they need.

A step proves its `modules` and those that they see: a change in one of them chooses it, and so does a change of its own
files. `processors` is how many it keeps busy; a step with `alone` measures time and has the machine to itself.
What takes longer, and what only proves a second time, is in `deploy/nightly`; `Tests/README.md` says what proves it here.
"""

import dataclasses

PUSHES = ("PushThread", "Push")
# Folders of programs that may prove nothing on some machines, and take --allow-skips.
SKIPPING = {"Tests/ClusterTrials/", "Tests/CopyTrials/", "Tests/FaultTests/", "Tests/LeagueTests/", "Tests/PushTrials/", "Tests/StormTests/",
            "Tests/TLSLoad/"}


@dataclasses.dataclass(frozen=True)
class Step:
    """A program whose last line is "N passed, M failed"."""

    name: str
    words: str
    modules: tuple
    processors: float = 0.5
    alone: bool = False
    # Programs of the package that it starts, beside `watchwise`.
    needs: tuple = ()
    # Files and folders beside its own whose change chooses it.
    files: tuple = ()
    limit: int = 900

    def command(self, places, may_skip=False):
        """The command; {bin} is the folder of the programs, {scratch} a folder that goes when the check ends."""
        return self.words.format(**places).split() + ["--allow-skips"] * (may_skip and self.folder in SKIPPING)

    @property
    def folder(self):
        """Where its own files are."""
        return self.words.split()[0].rsplit("/", 1)[0] + "/"


@dataclasses.dataclass(frozen=True)
class Inputs:
    """All that decides the result of a step, beside the machine and `choosing.DECIDING`; `words` name it in a line."""

    words: str
    # Programs of the package, by their bytes.
    programs: tuple = ()
    # Modules, with those that they see, and files and folders: by their bytes, without pages.
    modules: tuple = ()
    files: tuple = ()


# Steps that give the same result whenever they get the same: instructions that are counted, runs from a seed on a kernel in
# memory, frames against the letter of an RFC, and programs that the server is no part of. What a run has proved here with the same is
# not run again (`proved.py`). No step that shows the behaviour of a server in time stands here.
DECIDED = {
    "tests-simulation": Inputs("the same program and seeds", programs=("watchwise-simulate",),
                               files=("Tests/SimulationTests/", "Tests/Support/TestMarks/", "Tests/Support/TestSupport/")),
    "counts": Inputs("the same program and thresholds", programs=("watchwise-bench",),
                     files=("Tests/InstructionTests/", "deploy/triggers/")),
    # The program names its commit, so its bytes change with each one: here the sources count.
    "autobahn": Inputs("the same sources of frames, compression and sessions", modules=("Wire", "Compression", "EventLoop"),
                       files=("Sources/Doors/Gateway/", "Tests/AutobahnTests/", "Tests/Trials/")),
    "providers": Inputs("the same fakes and clients", files=("Tests/PushProviders/", "Tests/Trials/")),
}

STEPS = [
    Step("browser", "Tests/BrowserTests/run {bin}/watchwise --screenshots {screenshots}",
         ("Demo", "WebLibrary", "Gateway"), 0.5,
         files=("Sources/Programs/Demo/Pages/", "Sources/Device/WebLibrary/Files/", "deploy/apps/", "deploy/triggers/")),
    Step("sdk", "Tests/SDKTests/run --binary {bin}/watchwise --rounds 5", ("WebLibrary", "Gateway"), 0.5,
         files=("Tests/SessionVectors/", "Sources/Device/WebLibrary/Files/")),
    Step("hostile", "Tests/HostileTests/run --quick {bin}/watchwise", ("Gateway",), 0.3),
    Step("cluster", "Tests/ClusterTrials/run --bin {bin}", ("Cluster", "StoreThread"), 0.7,
         files=("deploy/cluster", "Sources/Programs/Server/", "Sources/Doors/Gateway/Loops/")),
    Step("contract", "Tests/ContractTests/run --quick --binary {bin}/watchwise", ("Gateway", "StoreThread"), 0.7),
    Step("autobahn", "Tests/AutobahnTests/run {bin}/watchwise --quick --report {autobahn}",
         ("Wire", "Compression", "EventLoop"), 1, files=("Sources/Doors/Gateway/Sessions/",)),
    Step("faults", "Tests/FaultTests/run --quick --bin {bin}", ("StoreThread", "Telemetry"), 0.4),
    Step("invariants", "Tests/InvariantTests/run --bin {bin}", ("TriggerExecution", "StoreThread"), 0.3),
    Step("crash", "Tests/CrashTests/run --rounds 12 --bin {bin}", ("StoreThread",), 0.6, needs=("watchwise-load",),
         files=("Tests/Data/",)),
    Step("copy", "Tests/CopyTrials/run --quick --bin {bin}", ("StoreThread",), 0.4, files=("deploy/litestream.yml",)),
    Step("search", "Tests/SearchTrials/run --quick --bin {bin}", ("StoreThread",), 0.5, needs=("watchwise-load",)),
    Step("erasure", "Tests/ErasureTrials/run --quick --bin {bin}", ("StoreThread",), 0.4),
    Step("rooms", "Tests/RoomTrials/run --quick --bin {bin}", ("StoreThread",), 0.6),
    Step("device", "Tests/DeviceKills/run --quick --bin {bin}", ("WatchWise", "Session"), 0.7,
         needs=("watchwise-device",)),
    Step("pushkill", "Tests/PushTrials/run crash --rounds 4 --devices 1500 --bin {bin}", PUSHES, 0.6),
    Step("pushes", "Tests/PushTrials/run decisions --people 100 --bin {bin}", PUSHES, 0.5),
    Step("pushanswer", "Tests/PushTrials/run answers --bin {bin}", PUSHES, 0.4),
    Step("pushrefusal", "Tests/PushTrials/run refusal --bin {bin}", PUSHES, 0.2),
    Step("pushswift", "Tests/PushTrials/run swift --bin {bin}", (*PUSHES, "WatchWisePush"), 0.4,
         needs=("watchwise-device",)),
    Step("ntfy", "Tests/PushTrials/run ntfy --bin {bin}", PUSHES, 0.4),
    Step("providers", "Tests/PushProviders/run", (), 0.4),
    Step("sealing", "Tests/SealingTests/run --bin {bin}", ("Crypto", "Authentication"), 0.4, needs=("watchwise-seal",)),
    Step("swiftpackage", "Tests/SwiftPackage/run", (), 0.3,
         files=("deploy/swift-package", "deploy/swift/", "Sources/Device/Client/",
                "Sources/Device/Session/", "Sources/Device/WatchWise/", "Sources/Device/WatchWisePush/",
                "Sources/Ground/", "Sources/Words/")),
    Step("figures", "Tests/FigureTests/run --bin {bin}", ("Admin", "Telemetry"), 0.4,
         files=("deploy/prometheus/", "deploy/grafana/")),
    Step("tokens", "Tests/TokenTests/run --bin {bin}", ("Authentication",), 0.3),
    Step("readme", "Tests/ReadmeTests/run --bin {bin}", ("watchwise",), 0.5, files=("README.md", "deploy/README.md")),
    # These measure how long others wait, or how many are served in a time.
    Step("storm", "Tests/StormTests/run --clients 1000 --bin {bin}", ("Gateway", "StoreThread"), 2, alone=True,
         needs=("watchwise-load",)),
    Step("league", "Tests/LeagueTests/run --fans 400 --matches 20 --seconds 3 --bin {bin}", ("Gateway", "StoreThread"), 2,
         alone=True, needs=("watchwise-load",)),
    Step("tls", "Tests/TLSLoad/run --bin {bin}/watchwise", ("Crypto", "EventLoop"), 2, alone=True,
         files=("Sources/Doors/Gateway/Encryption/",)),
    # Instructions are counted, not timed.
    Step("counts", "Tests/InstructionTests/run --binary {bin}/watchwise-bench",
         ("Gateway", "StoreThread"), 1.8, needs=("watchwise-bench",), files=("deploy/triggers/",)),
]

# The lanes of the Swift tests. A process of tests has two threads, and many tests wait on them for servers and
# sockets: so there are more processes than processors. A test target that no lane names is in REST.
REST = "rooms"
LANES = {
    "sessions": ("ServerTests",),
    "programs": ("IntegrationTests",),
    "clients": ("ClusterTests", "JournalLinkTests", "WatchWiseTests"),
    REST: (),
    "subjects": ("ExecutionTests", "FeedsTests", "NotifyingTests", "PushTests", "SearchingTests", "ServicesTests",
                 "TriggerExecutionTests", "TriggersTests"),
    "simulation": ("SimulationTests",),
}
# A lane whose tests wait more than they work is several processes: the name of each, after that of its lane, with how its suites begin.
PARTS = {"sessions": {"-d-f": "[D-F]", "-q-z": "[^A-P]", "-g-p": "[G-P]", "-a-c": "[A-C]"}}
# Tests of the load generator: with `deploy/nightly load`, and where `Load` has changed.
LATER = {"LoadTests"}

# What takes longest is begun first, whatever it waits for; everything else follows in the order of this file.
FIRST = ("tests-programs", "tests-rooms", "sdk", "browser", "tests-sessions-d-f", "tests-subjects", "hostile", "tests-sessions-g-p",
         "tests-clients", "contract", "counts", "tests-simulation")

# Files that tests read, beside the sources of their own module.
READ = {
    "deploy/README.md": ("ConfigurationTests", "IntegrationTests"),
    "deploy/apps/": ("ConfigurationTests", "EmbeddedFilesTests", "ServerTests", "WatchWiseTests"),
    "deploy/triggers/": ("EmbeddedFilesTests", "ExecutionTests", "NotifyingTests", "ServerTests", "ServicesTests",
                         "TriggerExecutionTests", "TriggersTests"),
    "Sources/Device/WebLibrary/Files/": ("DemoTests", "EmbeddedFilesTests", "WebLibraryTests"),
    "Sources/Programs/Demo/Pages/": ("DemoTests", "EmbeddedFilesTests", "WebLibraryTests"),
    "Tests/Applications/": ("ServerTests",),
    "Tests/Data/": ("FeedsTests", "LoadTests", "ServerTests", "TriggersTests"),
    "Tests/Fuzz/": ("FuzzTests",),
    "Tests/JournalTrials/": ("ClusterTests", "JournalLinkTests"),
    "Tests/PushProviders/": ("PushThreadTests", "ServerTests"),
    "Tests/SessionVectors/": ("SessionTests",),
}
