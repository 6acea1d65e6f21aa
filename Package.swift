// swift-tools-version: 6.2
// The house of WatchWise. A module exists because it forbids an import: the arrows below are the
// ones of the architecture page (Sources/Programs/Server/Server.docc/Architecture.md), and
// `--explicit-target-dependency-import-check error` makes an undeclared import a build error.
import PackageDescription

/// `deploy/test` sets it: then the modules of the server are optimised, with all of their checks, because the tests save more time
/// than that takes. Tests, programs and the libraries of devices are not; each is compiled as a whole, which is less work.
let isOptimized = Context.environment["OPTIMIZED"] != nil
let whole = ["-whole-module-optimization", "-num-threads", "2"]
/// Little waits for the interfaces of these, and a process of its own for an interface would check all types a second time.
let strict = habits(whole + ["-no-emit-module-separately-wmo"])
let optimized = habits(["-O", "-assert-config", "Debug"] + whole)

/// How all Swift is compiled.
///
/// - Parameter flags: those of the build of `deploy/test`; no other build has flags, which packages that use a library refuse.
func habits(_ flags: [String]) -> [SwiftSetting] {
    [
        .swiftLanguageMode(.v6),
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (isOptimized ? [.unsafeFlags(flags)] : [])
}

/// A module in a group of `Sources`.
///
/// - Parameters:
///   - place: its group and its name: `Words/JSON` is the module `JSON` in `Sources/Words/JSON`.
///   - files: its folder of files that the program carries; `CEmbeddedFiles` compiles them.
func room(_ place: String, sees: [Target.Dependency] = [], carries files: String? = nil) -> Target {
    .target(
        name: name(of: place), dependencies: sees, path: "Sources/\(place)",
        exclude: files.map { [$0] } ?? [],
        swiftSettings: place.hasPrefix("Device/") || place.hasPrefix("Programs/") ? strict : optimized
    )
}

/// The tests of one module: they see that module and those below it, none above it.
///
/// - Parameter inParts: compiled by two processes at a time. That is more work, and sooner done where nothing else is left to compile.
func tests(of place: String, seeing more: [Target.Dependency] = [], inParts: Bool = false) -> Target {
    .testTarget(
        name: "\(name(of: place))Tests",
        dependencies: ["TestMarks", "TestSupport", .target(name: name(of: place))] + more,
        path: "Tests/\(place)Tests",
        swiftSettings: inParts ? habits([]) : strict
    )
}

func name(of place: String) -> String { String(place.split(separator: "/")[1]) }

/// The C library of a module, with its folder beside the module.
func library(_ name: String, pkgConfig: String? = nil, package: String) -> Target {
    .systemLibrary(name: name, path: "Sources/Ground/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
/// Apple platforms have a WebSocket and cryptography of their own.
let clientOnLinux = Target.Dependency.target(name: "Client", condition: .when(platforms: [.linux]))
let cryptoOnLinux = Target.Dependency.target(name: "Crypto", condition: .when(platforms: [.linux]))
let eventLoopOnLinux = Target.Dependency.target(name: "EventLoop", condition: .when(platforms: [.linux]))
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")

/// The commit that `watchwise --version` names; SwiftPM knows it where it builds a clone.
let commit =
    Context.gitInformation.map { $0.currentCommit.prefix(12) + ($0.hasUncommittedChanges ? "+" : "") } ?? "unknown"

let package = Package(
    name: "watchwise",
    // `Mutex` came with these.
    platforms: [.iOS(.v18), .macOS(.v15)],
    products: [
        .library(name: "WatchWise", targets: ["WatchWise"]),
        .library(name: "WatchWisePush", targets: ["WatchWisePush"]),
        .executable(name: "watchwise", targets: ["watchwise"]),
        .executable(name: "watchwise-load", targets: ["watchwise-load"]),
        .executable(name: "watchwise-floor", targets: ["watchwise-floor"]),
        .executable(name: "watchwise-bench", targets: ["watchwise-bench"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", .upToNextMinor(from: "2.1.1")),
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
        .package(url: "https://github.com/apple/swift-collections", .upToNextMinor(from: "1.6.0")),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", .upToNextMinor(from: "0.2.0")),
    ],
    targets: [
        // System libraries, each visible in exactly one room.
        library("CUV", pkgConfig: "libuv", package: "libuv1-dev"),
        library("COpenSSL", pkgConfig: "openssl", package: "libssl-dev"),
        library("CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        library("CSQLite", package: "libsqlite3-dev"),
        library("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        library("CNATS", pkgConfig: "libnats", package: "libnats-dev"),
        library("CExpat", pkgConfig: "expat", package: "libexpat1-dev"),
        library("CJemalloc", pkgConfig: "jemalloc", package: "libjemalloc-dev"),
        // A C file of its own: no other file is compiled again for each commit.
        .target(
            name: "CBuild", path: "Sources/Programs/CBuild",
            cSettings: [.define("WATCHWISE_COMMIT", to: "\"\(commit)\"")]),
        // The files that the program carries. The compiler notes what `#embed` reads, so a changed page compiles this file again.
        .target(name: "CEmbeddedFiles", path: "Sources/Ground/CEmbeddedFiles", exclude: ["list"]),

        // Values without I/O.
        room("Words/Digits"),
        room("Words/JSON", sees: ["Digits"]),
        room("Words/Model", sees: ["Digits"]),
        room("Words/Wire", sees: ["Digits", "Model"]),
        room("Words/ClientProtocol", sees: ["Digits", "JSON", "Model"]),
        room("Threads/Fanout", sees: ["ClientProtocol", "Model", "Wire", deque]),

        // Modules that use the system and its libraries, and the use cases.
        room("Ground/Allocation", sees: ["CJemalloc"]),
        room("Ground/EventLoop", sees: ["CUV", deque]),
        room("Ground/Files", sees: ["Digits"]),
        room("Ground/EmbeddedFiles", sees: ["CEmbeddedFiles"]),
        room("Ground/Crypto", sees: ["COpenSSL", "Files"]),
        room("Ground/Outbound", sees: ["CCurl", "EventLoop", "Model"]),
        room("Ground/JournalLink", sees: ["CNATS", "EventLoop", "JSON", "Outbound"]),
        room("Ground/Compression", sees: ["CZlib", "Wire"]),
        room("Ground/Encodings"),
        room("Ground/Authentication", sees: ["Crypto", "Digits", "Files", "JSON", "Model"]),
        room("Log/Journal", sees: ["Compression", "Model"]),
        room("Subjects/Triggers", sees: ["JSON", "Model", sqlite]),
        room("Log/Log", sees: ["CSQLite", "Files", "Journal", "Model", grdb]),
        room("Log/Store", sees: ["Journal", "Log", "Model", grdb]),
        room("Subjects/Searching", sees: ["Log", "Model", "Store", grdb]),
        room("Subjects/Feeds", sees: ["CExpat", "Compression", "Digits", "Encodings", "JSON", "Log", "Model"]),
        room("Subjects/Webhooks", sees: ["Log", "Model"]),
        room("Subjects/Push", sees: ["Crypto", "Digits", "JSON", "Log", "Model", "Store"]),
        room("Subjects/PersonalData", sees: ["Files", "Log", "Model", "Push", "Store", grdb]),
        room(
            "Subjects/Execution",
            sees: [
                "ClientProtocol", "Crypto", "JSON", "Model", "PersonalData", "Push", "Searching", "Store", "Triggers",
                "Webhooks",
            ]),
        room(
            "Subjects/Notifying",
            sees: ["ClientProtocol", "Execution", "JSON", "Log", "Model", "Push", "Store", "Triggers"]),
        room(
            "Subjects/TriggerExecution",
            sees: [
                "ClientProtocol", "Execution", "JSON", "Log", "Model", "Notifying", "Push", "Store", "Triggers",
                "Webhooks",
            ]),
        room(
            "Subjects/Services",
            sees: [
                "ClientProtocol", "Crypto", "Digits", "Execution", "Feeds", "JSON", "Model", "Notifying",
                "PersonalData", "Push", "Searching", "Store", "TriggerExecution", "Triggers", "Webhooks",
            ]),

        room(
            "Subjects/Privacy",
            sees: [
                "ClientProtocol", "Crypto", "Digits", "Execution", "JSON", "Model", "Notifying", "PersonalData", "Push",
                "Services", "Store", "TriggerExecution",
            ]),

        // Modules that the threads of a server share.
        room("Threads/Quotas", sees: ["Model"]),
        room("Threads/Telemetry", sees: ["EventLoop", "Execution", "Files", "Model", "Quotas", "Store"]),
        room(
            "Threads/Configuration",
            sees: [
                "Authentication", "ClientProtocol", "EmbeddedFiles", "EventLoop", "Execution", "Feeds", "Files", "JSON",
                "Model", "Notifying", "Services", "Telemetry", "Triggers",
            ],
            carries: "Ready"
        ),
        room(
            "Threads/ThreadMessages",
            sees: [
                "Authentication", "ClientProtocol", "Crypto", "EventLoop", "Execution", "Fanout", "Feeds", "Journal",
                "JSON", "Model", "Privacy", "Quotas", "Services", "Store", deque,
            ]),

        // Threads, each with one duty; none sees another.
        room(
            "Threads/StoreThread",
            sees: [
                "ClientProtocol", "Configuration", "EventLoop", "Execution", "Fanout", "Journal", "JSON", "Model",
                "Notifying", "PersonalData", "Privacy", "Quotas", "Searching", "Services", "Store", "Telemetry",
                "ThreadMessages", "TriggerExecution", "Triggers",
            ]),
        room(
            "Threads/WebhooksThread",
            sees: [
                "Authentication", "Configuration", "EventLoop", "Execution", "Model", "Outbound", "Services", "Store",
                "Telemetry", "ThreadMessages", "Webhooks",
            ]),
        room(
            "Threads/PushThread",
            sees: [
                "Authentication", "ClientProtocol", "Configuration", "Crypto", "Digits", "EventLoop", "Execution",
                "Files", "JSON", "Model", "Notifying", "Outbound", "Push", "Quotas", "Services", "Store", "Telemetry",
                "ThreadMessages", "Triggers", deque,
            ]),
        room(
            "Threads/FeedsThread",
            sees: [
                "ClientProtocol", "Configuration", "EventLoop", "Execution", "Feeds", "JSON", "Model", "Outbound",
                "Quotas", "Services", "Store", "Telemetry", "ThreadMessages",
            ]),
        room(
            "Threads/AuthenticationThread",
            sees: ["Authentication", "Configuration", "EventLoop", "Model", "Outbound", "Telemetry", "ThreadMessages"]),
        room(
            "Device/WebLibrary",
            sees: ["ClientProtocol", "Crypto", "Digits", "EmbeddedFiles", "JSON"],
            carries: "Files"
        ),
        room(
            "Doors/Admin",
            sees: [
                "Authentication", "ClientProtocol", "Configuration", "Crypto", "Digits", "EventLoop", "Execution",
                "Feeds", "JSON", "Model", "Notifying", "Privacy", "Quotas", "Services", "Store", "Telemetry",
                "ThreadMessages", "TriggerExecution", "Triggers", "WebLibrary", "Wire",
            ]),
        room(
            "Doors/Gateway",
            sees: [
                "Admin", "Authentication", "ClientProtocol", "Compression", "Configuration", "Crypto", "EventLoop",
                "Execution", "Fanout", "JSON", "Model", "Notifying", "Quotas", "Services", "Store", "Telemetry",
                "ThreadMessages", "Wire", deque,
            ]),
        room(
            "Threads/Cluster",
            sees: [
                "ClientProtocol", "Crypto", "EventLoop", "Execution", "Fanout", "Journal", "JournalLink", "Model",
                "Telemetry", "ThreadMessages", deque,
            ]),

        // The modules that bring the threads together.
        room(
            "Programs/Server",
            sees: [
                "Admin", "Authentication", "AuthenticationThread", "ClientProtocol", "Cluster", "Compression",
                "Configuration", "Crypto", "Digits", "EventLoop", "Execution", "Feeds", "FeedsThread", "Gateway",
                "Journal", "JournalLink", "Model", "Outbound", "PersonalData", "Push", "PushThread", "Quotas",
                "Searching", "Services", "Store", "StoreThread", "Telemetry", "ThreadMessages", "WebhooksThread",
            ]),
        room("Device/Session", sees: ["ClientProtocol", "JSON", "Model", "Wire", deque]),
        room(
            "Device/Client",
            sees: [
                "ClientProtocol", "Compression", "Crypto", "Digits", "EventLoop", "JSON", "Model", "Session", "Wire",
                deque,
            ]),
        // The libraries for applications in Swift and for their notification service extensions, the only rooms with public
        // symbols.
        room("Device/WatchWisePush", sees: ["Digits", "JSON", cryptoOnLinux]),
        room(
            "Device/WatchWise",
            sees: [
                "ClientProtocol", "JSON", "Model", "Session", "WatchWisePush", "Wire", clientOnLinux, eventLoopOnLinux,
                grdb,
            ]),
        // The terminal of the command line: lines, colours, what is typed.
        room("Programs/Console", sees: ["Files"]),
        room(
            "Programs/Demo",
            sees: [
                "Admin", "Authentication", "Client", "ClientProtocol", "Configuration", "Console", "EmbeddedFiles",
                "EventLoop", "JSON", "Model", "Session", "Telemetry", "Wire",
            ],
            carries: "Pages"
        ),
        .executableTarget(
            name: "watchwise",
            dependencies: [
                "Allocation", "Authentication", "CBuild", "Client", "ClientProtocol", "Configuration", "Console",
                "Demo", "EventLoop", "JSON", "Model", "Server", "Session", "WebLibrary", "Wire",
                argumentParser,
            ],
            path: "Sources/Programs/watchwise",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "watchwise-load",
            dependencies: [
                "Authentication", "Client", "ClientProtocol", "EventLoop", "JournalLink", "JSON", "Model", "Session",
                "Wire", argumentParser, deque, histogram,
            ],
            path: "Load",
            exclude: ["Floor", "Peers", "README.md", "reasons.txt"],
            swiftSettings: strict
        ),
        // The yardstick of every measurement: bare loops of system calls.
        .executableTarget(
            name: "watchwise-floor",
            path: "Load/Floor",
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("crypto")]
        ),

        // A program with a simulated kernel; no test links either, because the kernel of the tests would be replaced.
        .target(
            name: "SimulatedKernel",
            path: "Tests/SimulatedKernel",
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("uv")]
        ),
        .executableTarget(
            name: "watchwise-simulate",
            dependencies: [
                "Authentication", "Client", "ClientProtocol", "Cluster", "Configuration", "EventLoop", "Journal",
                "JournalLink", "JSON", "Model", "Server", "Session", "SimulatedKernel", "Store", "Telemetry",
                "ThreadMessages", "Wire", grdb,
            ],
            path: "Tests/Simulation",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["TestMarks", "TestSupport"],
            exclude: ["run", "plant", "FailedSeeds", "FailedClusterSeeds"],
            swiftSettings: strict
        ),

        // The hot paths, for callgrind to count.
        .target(name: "Counting", path: "Tests/InstructionTests/Counting"),
        .executableTarget(
            name: "watchwise-bench",
            dependencies: [
                "Authentication", "ClientProtocol", "Cluster", "Compression", "Configuration", "Counting", "Crypto",
                "EventLoop", "JSON", "Model", "Server", "Services", "Telemetry", "TestSupport", "Wire",
            ],
            path: "Tests/InstructionTests/Bench",
            swiftSettings: strict
        ),

        // Our cryptography of push, for other implementations to compare.
        .executableTarget(
            name: "watchwise-seal",
            dependencies: ["Authentication", "Crypto", "Digits", "JSON", "Model", "TestSupport"],
            path: "Tests/SealingTests/Program",
            swiftSettings: strict
        ),

        // A device that a script kills.
        .executableTarget(
            name: "watchwise-device",
            dependencies: ["WatchWise", "WatchWisePush"],
            path: "Tests/DeviceKills/Program",
            swiftSettings: strict
        ),

        // Tests: a folder for each room, of its own name.
        .target(
            name: "TestSupport",
            dependencies: ["Authentication", "Crypto", "Digits", "JSON", "Model"],
            path: "Tests/Support/TestSupport",
            swiftSettings: strict
        ),
        // Marks of tests that do not run beside others. A target of its own: programs that use `TestSupport` link no tests.
        .target(name: "TestMarks", path: "Tests/Support/TestMarks", swiftSettings: strict),
        tests(of: "Words/Digits"),
        tests(of: "Words/JSON"),
        tests(of: "Words/Model"),
        tests(of: "Words/Wire", seeing: ["Digits", "Model"]),
        tests(of: "Words/ClientProtocol", seeing: ["JSON", "Model"]),
        tests(of: "Threads/Fanout", seeing: ["Model"]),
        tests(of: "Ground/Allocation"),
        tests(of: "Ground/EventLoop"),
        tests(of: "Ground/Files"),
        tests(of: "Ground/EmbeddedFiles"),
        tests(of: "Ground/Crypto", seeing: ["COpenSSL", "Digits", "Files"]),
        tests(of: "Ground/Outbound", seeing: ["EventLoop", "Model"]),
        tests(of: "Ground/JournalLink", seeing: ["EventLoop", "JSON", "Model", "Outbound"]),
        tests(of: "Ground/Compression", seeing: ["Wire"]),
        tests(of: "Ground/Encodings"),
        tests(of: "Ground/Authentication", seeing: ["Crypto", "Digits", "Files", "JSON", "Model"]),
        tests(of: "Log/Journal", seeing: ["Compression", "Model"]),
        tests(of: "Subjects/Triggers", seeing: ["JSON", "Model", mustache, sqlite]),
        tests(of: "Subjects/Feeds", seeing: ["Digits", "Encodings", "JSON", "Model"]),
        tests(of: "Log/Log", seeing: ["CSQLite", "Model", grdb, sqlite]),
        tests(
            of: "Log/Store",
            seeing: ["Compression", "CSQLite", "Journal", "JSON", "Log", "Model", "StoreTestSupport", grdb, sqlite]
        ),
        tests(of: "Subjects/Searching"),
        tests(
            of: "Subjects/Push",
            seeing: ["Crypto", "Digits", "JSON", "Log", "Model", "Store", "StoreTestSupport", grdb]),
        tests(of: "Subjects/Webhooks", seeing: ["Model", "Store", "StoreTestSupport", grdb]),
        tests(of: "Subjects/PersonalData", seeing: ["Log", "Model", "Store", "StoreTestSupport", grdb]),
        // A second node beside a writer. A test target, since it looks into the module (`@testable`).
        .systemLibrary(
            name: "CSQLiteSession", path: "Tests/Support/StoreTestSupport/CSQLiteSession",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .testTarget(
            name: "StoreTestSupport",
            dependencies: ["CSQLite", "CSQLiteSession", "Journal", "Log", "Model", "Store", "TestSupport", grdb],
            path: "Tests/Support/StoreTestSupport",
            exclude: ["CSQLiteSession"],
            swiftSettings: strict
        ),
        // The rules on a database. A test uses whichever use cases it needs, so these targets see all of them.
        // A test target, since it makes commands from their parts (`@testable`).
        .testTarget(
            name: "ServicesTestSupport",
            dependencies: [
                "ClientProtocol", "Execution", "JSON", "Model", "Notifying", "Push", "Searching", "Services", "Store",
                "StoreTestSupport", "TestSupport", "TriggerExecution", "Triggers",
            ],
            path: "Tests/Support/ServicesTestSupport",
            swiftSettings: strict
        ),
        tests(
            of: "Subjects/Execution",
            seeing: [
                "ClientProtocol", "JSON", "Model", "Services", "ServicesTestSupport", "Store", "TriggerExecution",
                grdb,
            ]
        ),
        tests(
            of: "Subjects/Notifying",
            seeing: [
                "ClientProtocol", "JSON", "Model", "Push", "Services", "ServicesTestSupport", "Store",
                "TriggerExecution", "Triggers",
            ]
        ),
        tests(
            of: "Subjects/TriggerExecution",
            seeing: [
                "ClientProtocol", "Execution", "JSON", "Model", "Notifying", "Services", "ServicesTestSupport",
                "Store", "Triggers",
            ]
        ),
        tests(
            of: "Subjects/Services",
            seeing: [
                "ClientProtocol", "Execution", "Feeds", "Journal", "JSON", "Model", "Notifying", "PersonalData",
                "Privacy",
                "Push", "Searching", "ServicesTestSupport", "Store", "StoreTestSupport", "TriggerExecution", "Triggers",
                "Webhooks", grdb,
            ]
        ),
        tests(
            of: "Subjects/Privacy",
            seeing: [
                "ClientProtocol", "Execution", "Feeds", "Journal", "JSON", "Log", "Model", "Notifying", "PersonalData",
                "Push", "Services", "ServicesTestSupport", "Store", "StoreTestSupport", "TriggerExecution", "Triggers",
                "Webhooks", grdb,
            ]
        ),
        tests(of: "Device/WebLibrary", seeing: ["ClientProtocol", "JSON", "Model"]),
        tests(of: "Device/Session", seeing: ["ClientProtocol", "JSON", "Model", "Wire"]),
        tests(of: "Device/WatchWise", seeing: ["ClientProtocol", "JSON", "Model", "Session", "WatchWisePush", grdb]),
        tests(of: "Device/WatchWisePush", seeing: ["Crypto", "Digits", "JSON", "Model", "Push"]),
        tests(
            of: "Device/Client", seeing: ["ClientProtocol", "Crypto", "EventLoop", "JSON", "Model", "Session", "Wire"]),
        tests(of: "Threads/Quotas", seeing: ["Model"]),
        tests(of: "Threads/Telemetry", seeing: ["Model", "Store"]),
        tests(
            of: "Threads/Configuration",
            seeing: ["Authentication", "Execution", "JSON", "Model", "Telemetry", "ThreadMessages"]),
        tests(of: "Threads/ThreadMessages", seeing: ["Journal", "JSON", "Model", "Quotas"]),
        tests(
            of: "Threads/StoreThread",
            seeing: [
                "ClientProtocol", "EventLoop", "Execution", "Fanout", "Journal", "JSON", "Model", "PersonalData",
                "Privacy", "Quotas", "Services", "Store", "StoreTestSupport", "Telemetry", "ThreadMessages",
            ]
        ),
        tests(of: "Threads/WebhooksThread", seeing: ["Configuration", "Model", "Outbound", "Store", "Webhooks"]),
        tests(
            of: "Threads/PushThread",
            seeing: [
                "Configuration", "Execution", "JSON", "Log", "Model", "Notifying", "Push", "Services",
                "ServicesTestSupport", "Store", "ThreadMessages",
            ]
        ),
        tests(
            of: "Threads/FeedsThread",
            seeing: ["Configuration", "Feeds", "JSON", "Model", "Services", "Store", "ThreadMessages"]),
        tests(
            of: "Threads/Cluster",
            seeing: [
                "ClientProtocol", "EventLoop", "Execution", "Fanout", "Journal", "JournalLink", "Model", "Quotas",
                "Telemetry", "ThreadMessages",
            ]
        ),
        tests(of: "Threads/AuthenticationThread", seeing: ["Configuration", "Model"]),
        tests(
            of: "Doors/Admin",
            seeing: ["Authentication", "ClientProtocol", "JSON", "Model", "Services", "Telemetry"]
        ),
        tests(
            of: "Doors/Gateway",
            seeing: [
                "Admin",
                "Authentication", "ClientProtocol", "Compression", "Configuration", "Crypto", "EventLoop", "Execution",
                "Fanout", "JSON", "Model", "Quotas", "Services", "Telemetry", "ThreadMessages", "WebLibrary", "Wire",
            ]
        ),
        tests(of: "Programs/Demo", seeing: ["Admin", "ClientProtocol", "JSON", "Model", "Wire"]),
        tests(
            of: "Programs/Server",
            seeing: [
                "Admin", "Authentication", "Client", "ClientProtocol", "Cluster", "Compression", "Configuration",
                "Crypto", "Demo", "EventLoop", "Execution", "Fanout", "Feeds", "Files", "Gateway", "Journal",
                "JournalLink", "JSON", "Model", "Outbound", "Push", "Quotas", "Searching", "Services", "Session",
                "Store", "StoreTestSupport", "StoreThread", "Telemetry", "ThreadMessages", "WebLibrary", "Wire",
            ],
            inParts: true
        ),
        tests(of: "Programs/Console"),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "ClientProtocol", "Console", "JSON", "Model", "Session", "TestMarks", "TestSupport", "watchwise",
            ],
            path: "Tests/Programs/CommandLineTests",
            swiftSettings: strict
        ),
        .testTarget(
            name: "LoadTests",
            dependencies: [
                "Authentication", "Client", "ClientProtocol", "EventLoop", "JSON", "Model", "Session", "TestSupport",
                "watchwise-load", "Wire",
            ],
            path: "Tests/Programs/LoadTests",
            swiftSettings: strict
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: ["Console", "JSON", "Store", "StoreTestSupport", "TestMarks", "TestSupport"],
            path: "Tests/Programs/IntegrationTests",
            swiftSettings: strict
        ),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Authentication", "ClientProtocol", "Cluster", "Compression", "Digits", "Encodings", "Feeds", "Journal",
                "JSON", "Model", "Push", "Session", "TestSupport", "ThreadMessages", "Triggers", "Wire",
            ],
            path: "Tests/Fuzz/Targets",
            swiftSettings: strict
        ),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"], swiftSettings: strict),
    ]
)

/// Tests that start programs of the package. The programs lie beside the tests.
let programs = [
    "IntegrationTests": ["watchwise"], "SimulationTests": ["watchwise-simulate"], "WatchWiseTests": ["watchwise"],
]

/// The targets that these see, and what those see in turn; with themselves, and with the programs that tests start.
@MainActor
func reached(from names: [String]) -> Set<String> {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var found: Set<String> = []
    var waiting = names
    while let name = waiting.popLast() {
        guard let target = targets[name] else { fatalError("there is no target \(name)") }
        guard found.insert(name).inserted else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): waiting.append(name)
            default: break
            }
        }
        waiting += programs[name] ?? []
    }
    return found
}

/// A release does not check while it runs whether two accesses to one variable overlap: thirty such checks for a message of a chat were
/// three hundredths of its time. Every other build has them, that of the tests, too. The libraries of devices keep them, since a
/// package that has a flag cannot be used by its version.
let ofDevices = reached(from: ["WatchWise", "WatchWisePush"])
for target in package.targets where target.swiftSettings != nil && !ofDevices.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)))
}

/// With `ROOM=Store` the package has only the targets that `StoreTests` reaches. Several names stand with commas between them;
/// a program is named as a test is. `deploy/room` builds so in a folder of its own.
if let rooms = Context.environment["ROOM"], !rooms.isEmpty {
    let names = Set(package.targets.map(\.name))
    let wanted = rooms.split(separator: ",").map { room in
        guard let name = ["\(room)Tests", "\(room)"].first(where: names.contains) else {
            fatalError("ROOM names \(room), and there are no tests and no program of that name")
        }
        return name
    }
    let kept = reached(from: wanted)
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { !kept.contains($0.name) }
}
