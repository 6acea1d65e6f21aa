// swift-tools-version: 6.2
// The house of WatchWise. A module exists because it forbids an import: the arrows below are the
// ones of the architecture page (Sources/Server/Server.docc/Architecture.md), and
// `--explicit-target-dependency-import-check error` makes an undeclared import a build error.
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func room(_ name: String, sees: [Target.Dependency] = [], embeds resources: [Resource] = []) -> Target {
    .target(name: name, dependencies: sees, resources: resources, swiftSettings: strict)
}

/// The tests of one room: they see that room, and of the rooms above nothing.
func tests(of name: String, seeing more: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.target(name: name), "TestSupport"] + more,
        path: "Tests/\(name)Tests",
        swiftSettings: strict
    )
}

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")

/// What `watchwise --version` says it was built from; SwiftPM knows where it builds a clone.
let commit =
    Context.gitInformation.map { $0.currentCommit.prefix(12) + ($0.hasUncommittedChanges ? "+" : "") } ?? "unknown"

let package = Package(
    name: "watchwise",
    products: [
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
        .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        // The one C file: only it is compiled anew for each commit.
        .target(name: "CBuild", cSettings: [.define("WATCHWISE_COMMIT", to: "\"\(commit)\"")]),

        // Values without I/O: they are the program, the rest is weather.
        room("JSON"),
        room("Model"),
        room("Wire", sees: ["Model"]),
        room("ClientProtocol", sees: ["JSON", "Model"]),
        room("Fanout", sees: ["Model", deque]),

        // Rooms that meet the world.
        room("EventLoop", sees: ["CUV", deque]),
        room("TLS", sees: ["COpenSSL"]),
        room("Outbound", sees: ["CCurl", "EventLoop", "Model"]),
        room("Compression", sees: ["CZlib", "Wire"]),
        room("Authentication", sees: ["JSON", "Model", "TLS"]),
        room("Triggers", sees: ["JSON", "Model", sqlite]),
        room("Feeds", sees: ["CExpat", "JSON", "Model"]),
        room("Store", sees: ["CSQLite", "Model", grdb]),
        room("Services", sees: ["JSON", "Model", "ClientProtocol", "Feeds", "Store", "Triggers"]),

        // What the threads of a server share.
        room("Peers", sees: ["Model"]),
        room("Telemetry", sees: ["EventLoop", "Model", "Peers", "Services", "Store"]),
        room(
            "Configuration",
            sees: [
                "Authentication", "ClientProtocol", "EventLoop", "Feeds", "JSON", "Model", "Services", "Telemetry",
                "TLS", "Triggers",
            ],
            embeds: ["film-network", "air-quality", "ski-resort", "announcements", "task-board"]
                .flatMap { ["Ready/\($0)-triggers.json", "Ready/\($0)-configuration.json"] }
                .map { .embedInCode($0) }
        ),
        room(
            "Mail",
            sees: [
                "Authentication", "ClientProtocol", "EventLoop", "Fanout", "Feeds", "JSON", "Model", "Peers",
                "Services", "Store", "TLS", "Wire", deque,
            ]
        ),

        // Threads, each with one duty; none sees another.
        room(
            "Keeping",
            sees: [
                "ClientProtocol", "Configuration", "EventLoop", "Fanout", "JSON", "Mail", "Model", "Peers", "Services",
                "Store", "Telemetry", "Triggers", "Wire",
            ]
        ),
        room(
            "Webhooks",
            sees: [
                "Authentication", "Configuration", "EventLoop", "Mail", "Model", "Outbound", "Services", "Store",
                "Telemetry",
            ]
        ),
        room(
            "FeedKeeping",
            sees: [
                "ClientProtocol", "Configuration", "EventLoop", "Feeds", "JSON", "Mail", "Model", "Outbound", "Peers",
                "Services", "Store", "Telemetry",
            ]
        ),
        room(
            "Issuers",
            sees: ["Authentication", "Configuration", "EventLoop", "Mail", "Model", "Outbound", "Telemetry"]
        ),
        room(
            "Gateway",
            sees: [
                "Authentication", "ClientProtocol", "Compression", "Configuration", "EventLoop", "Fanout", "Feeds",
                "JSON", "Mail", "Model", "Peers", "Services", "Store", "Telemetry", "TLS", "Triggers", "Wire", deque,
            ]
        ),
        room(
            "Demo",
            sees: ["ClientProtocol", "Gateway", "JSON", "Model", "Wire"],
            embeds: ["chat.html", "chat.js", "chat.css", "connection.js", "inbox.html", "inbox.js", "inbox.css"]
                .map { .embedInCode("Pages/\($0)") }
        ),

        // Where they meet.
        room(
            "Server",
            sees: [
                "Authentication", "Configuration", "EventLoop", "FeedKeeping", "Feeds", "Gateway", "Issuers",
                "Keeping", "Mail", "Model", "Outbound", "Peers", "Services", "Store", "Telemetry", "TLS", "Webhooks",
            ]
        ),
        room(
            "Client",
            sees: ["JSON", "Model", "Wire", "ClientProtocol", "EventLoop", "TLS", "Compression", deque]
        ),
        .executableTarget(
            name: "watchwise",
            dependencies: [
                "Authentication", "CBuild", "Client", "ClientProtocol", "Configuration", "Demo", "EventLoop", "JSON",
                "Model", "Server", "Telemetry", "Wire", argumentParser,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "watchwise-load",
            dependencies: [
                "Authentication", "Client", "ClientProtocol", "EventLoop", "JSON", "Model", "Wire", argumentParser,
                deque, histogram,
            ],
            path: "Load",
            exclude: ["Floor", "Peers", "README.md", "reasons.txt"],
            swiftSettings: strict
        ),
        // What every measure is held against: bare loops of system calls.
        .executableTarget(
            name: "watchwise-floor",
            path: "Load/Floor",
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("crypto")]
        ),

        // A program with a kernel of its own; no test sees either, lest the tests' own kernel be replaced.
        .target(
            name: "SimulatedKernel",
            path: "Tests/SimulatedKernel",
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("uv")]
        ),
        .executableTarget(
            name: "watchwise-simulate",
            dependencies: [
                "JSON", "Model", "Wire", "ClientProtocol", "Client", "Configuration", "EventLoop", "Authentication",
                "Server", "Telemetry", "SimulatedKernel", grdb,
            ],
            path: "Tests/Simulation",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["TestSupport"],
            exclude: ["run", "FailedSeeds"],
            swiftSettings: strict
        ),

        // The hot paths, for callgrind to count.
        .target(name: "Counting", path: "Tests/InstructionTests/Counting"),
        .executableTarget(
            name: "watchwise-bench",
            dependencies: [
                "JSON", "Model", "Wire", "ClientProtocol", "EventLoop", "Compression", "Authentication",
                "Configuration", "Server", "Telemetry", "Counting", "TestSupport",
            ],
            path: "Tests/InstructionTests/Bench",
            swiftSettings: strict
        ),

        // Tests: a folder for each room, of its own name.
        .target(
            name: "TestSupport",
            dependencies: ["Authentication", "JSON", "TLS"],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        tests(of: "JSON"),
        tests(of: "Model"),
        tests(of: "Wire", seeing: ["Model"]),
        tests(of: "ClientProtocol", seeing: ["JSON", "Model"]),
        tests(of: "Fanout", seeing: ["Model"]),
        tests(of: "EventLoop"),
        tests(of: "TLS"),
        tests(of: "Outbound", seeing: ["EventLoop", "Model"]),
        tests(of: "Compression", seeing: ["Wire"]),
        tests(of: "Authentication", seeing: ["JSON", "Model", "TLS"]),
        tests(of: "Triggers", seeing: ["JSON", "Model", mustache, sqlite]),
        tests(of: "Feeds", seeing: ["JSON", "Model"]),
        tests(of: "Store", seeing: ["JSON", "Model", grdb, "CSQLite"]),
        tests(of: "Services", seeing: ["JSON", "Model", "ClientProtocol", "Feeds", "Store", "Triggers", grdb]),
        tests(of: "Client", seeing: ["JSON", "Model", "ClientProtocol", "Wire", "EventLoop", "TLS"]),
        tests(of: "Peers", seeing: ["Model"]),
        tests(of: "Telemetry", seeing: ["Model"]),
        tests(of: "Configuration", seeing: ["Authentication", "JSON", "Mail", "Model", "Services", "Telemetry"]),
        tests(of: "Mail", seeing: ["Model", "Peers"]),
        tests(of: "Keeping", seeing: ["ClientProtocol", "Mail", "Model", "Services", "Store"]),
        tests(of: "Webhooks", seeing: ["Configuration", "Model", "Outbound", "Store"]),
        tests(of: "FeedKeeping", seeing: ["Configuration", "Feeds", "JSON", "Mail", "Model", "Services", "Store"]),
        tests(of: "Issuers", seeing: ["Configuration", "Model"]),
        tests(
            of: "Gateway",
            seeing: [
                "ClientProtocol", "Compression", "Configuration", "Fanout", "Mail", "Model", "Peers", "Wire",
            ]
        ),
        tests(of: "Demo", seeing: ["ClientProtocol", "Gateway", "JSON", "Model", "Wire"]),
        tests(
            of: "Server",
            seeing: [
                "Authentication", "Client", "ClientProtocol", "Compression", "Configuration", "Demo", "EventLoop",
                "Fanout", "Gateway", "JSON", "Keeping", "Mail", "Model", "Outbound", "Peers", "Services", "Store",
                "Telemetry", "TLS", "Wire",
            ]
        ),
        .testTarget(
            name: "LoadTests",
            dependencies: [
                "watchwise-load", "TestSupport", "Authentication", "JSON", "Model", "ClientProtocol", "Client", "Wire",
                "EventLoop",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: ["TestSupport", "JSON"],
            swiftSettings: strict
        ),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "JSON", "Model", "Wire", "ClientProtocol", "Compression", "Authentication", "Feeds", "Triggers",
                "TestSupport",
            ],
            path: "Tests/Fuzz/Targets",
            swiftSettings: strict
        ),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"], swiftSettings: strict),
        .testTarget(name: "StyleTests", dependencies: ["TestSupport"], exclude: ["count"], swiftSettings: strict),
    ]
)
