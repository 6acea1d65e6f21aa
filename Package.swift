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

/// - Parameter folder: nil when it has the room's name.
func room(
    _ name: String, in folder: String? = nil, sees: [Target.Dependency] = [], embeds resources: [Resource] = []
) -> Target {
    .target(name: name, dependencies: sees, path: folder, resources: resources, swiftSettings: strict)
}

/// The tests of one module: they see that module and those below it, none above it.
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
    platforms: [.iOS(.v17), .macOS(.v14)],
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
        .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        // The one C file: no other file is compiled again for each commit.
        .target(name: "CBuild", cSettings: [.define("WATCHWISE_COMMIT", to: "\"\(commit)\"")]),

        // Values without I/O.
        room("Digits"),
        room("JSON", sees: ["Digits"]),
        room("Model", sees: ["Digits"]),
        room("Wire", sees: ["Digits", "Model"]),
        room("ClientProtocol", sees: ["Digits", "JSON", "Model"]),
        room("Searching"),
        room("Fanout", sees: ["ClientProtocol", "Model", "Wire", deque]),

        // Modules that use the system and its libraries, and the use cases.
        room("EventLoop", sees: ["CUV", deque]),
        room("Files"),
        room("Crypto", sees: ["COpenSSL", "Files"]),
        room("Outbound", sees: ["CCurl", "EventLoop", "Model"]),
        room("JournalLink", sees: ["CNATS", "EventLoop", "JSON", "Outbound"]),
        room("Compression", sees: ["CZlib", "Wire"]),
        room("Authentication", sees: ["Crypto", "Digits", "Files", "JSON", "Model"]),
        room("Push", sees: ["Crypto", "Digits", "JSON", "Model"]),
        room("Journal", sees: ["Compression", "Model"]),
        room("Triggers", sees: ["JSON", "Model", sqlite]),
        room("Feeds", sees: ["CExpat", "Digits", "JSON", "Model"]),
        room("Store", sees: ["CSQLite", "Files", "Journal", "Model", grdb]),
        room("Execution", sees: ["ClientProtocol", "Crypto", "JSON", "Model", "Store", "Triggers"]),
        room("Notifying", sees: ["ClientProtocol", "Execution", "JSON", "Model", "Store", "Triggers"]),
        room("Triggering", sees: ["ClientProtocol", "Execution", "JSON", "Model", "Notifying", "Store", "Triggers"]),
        room(
            "Services",
            sees: [
                "ClientProtocol", "Crypto", "Digits", "Execution", "Feeds", "JSON", "Model", "Notifying", "Searching",
                "Store", "Triggering", "Triggers",
            ]
        ),

        // Modules that the threads of a server share.
        room("Peers", sees: ["Model"]),
        room("Telemetry", sees: ["EventLoop", "Execution", "Model", "Peers", "Store"]),
        room(
            "Configuration",
            sees: [
                "Authentication", "ClientProtocol", "EventLoop", "Execution", "Feeds", "Files", "JSON", "Model",
                "Notifying", "Services", "Telemetry", "Triggers",
            ],
            embeds: ["film-network", "air-quality", "ski-resort", "announcements", "task-board"]
                .flatMap { ["Ready/\($0)-triggers.json", "Ready/\($0)-configuration.json"] }
                .map { .embedInCode($0) }
        ),
        room(
            "Mail",
            sees: [
                "Authentication", "ClientProtocol", "Crypto", "EventLoop", "Execution", "Fanout", "Feeds", "JSON",
                "Journal", "Model", "Peers", "Services", "Store", deque,
            ]
        ),

        // Threads, each with one duty; none sees another.
        room(
            "Keeping",
            sees: [
                "ClientProtocol", "Configuration", "EventLoop", "Execution", "Fanout", "JSON", "Journal", "Mail",
                "Model", "Notifying", "Peers", "Services", "Store", "Telemetry", "Triggering", "Triggers",
            ]
        ),
        room(
            "Webhooks",
            sees: [
                "Authentication", "Configuration", "EventLoop", "Execution", "Mail", "Model", "Outbound", "Services",
                "Store", "Telemetry",
            ]
        ),
        room(
            "PushSending",
            sees: [
                "Authentication", "ClientProtocol", "Configuration", "Crypto", "Digits", "EventLoop", "Execution",
                "Files", "JSON", "Mail", "Model", "Notifying", "Outbound", "Peers", "Push", "Services", "Store",
                "Telemetry", "Triggers", deque,
            ]
        ),
        room(
            "FeedKeeping",
            sees: [
                "ClientProtocol", "Configuration", "EventLoop", "Execution", "Feeds", "JSON", "Mail", "Model",
                "Outbound", "Peers", "Services", "Store", "Telemetry",
            ]
        ),
        room(
            "Issuers",
            sees: ["Authentication", "Configuration", "EventLoop", "Mail", "Model", "Outbound", "Telemetry"]
        ),
        room(
            "SDK",
            sees: ["Crypto", "Digits"],
            embeds: [
                "commands.js",
                "core.js",
                "engine.js",
                "errors.js",
                "event-batch.js",
                "fetching.js",
                "handles.js",
                "lanes.js",
                "lists.js",
                "mirror.js",
                "needs.js",
                "opening.js",
                "outbox.js",
                "overlay.js",
                "patches.js",
                "presence.js",
                "push.js",
                "received.js",
                "retrying.js",
                "session.js",
                "sizes.js",
                "store-copied.js",
                "store-indexeddb.js",
                "store-memory.js",
                "store.js",
                "stream-watches.js",
                "streams.js",
                "tabs.js",
                "transport.js",
                "users.js",
                "watchwise-sqlite.js",
                "watchwise-worker.js",
                "watchwise.d.ts",
                "watchwise.js",
                "writes.js",
            ]
            .map { .embedInCode("Files/\($0)") }
        ),
        room(
            "Gateway",
            sees: [
                "Authentication", "ClientProtocol", "Compression", "Configuration", "Crypto", "EventLoop", "Execution",
                "Fanout", "Feeds", "JSON", "Mail", "Model", "Notifying", "Peers", "SDK", "Services", "Store",
                "Telemetry", "Triggering", "Triggers", "Wire", deque,
            ]
        ),
        room(
            "Demo",
            sees: ["ClientProtocol", "Gateway", "JSON", "Model", "Wire"],
            embeds: [
                "air/map.js",
                "air/stations.js",
                "board/board.js",
                "board/card.js",
                "film/blocks.js",
                "film/chat.js",
                "film/chats.js",
                "film/conversation.js",
                "film/data.js",
                "film/dialogs.js",
                "film/home.js",
                "film/members.js",
                "film/membership.js",
                "film/message.js",
                "film/network.js",
                "film/people.js",
                "film/rooms.js",
                "film/search.js",
                "icons/air-quality.png",
                "icons/air-quality.svg",
                "icons/announcements.png",
                "icons/announcements.svg",
                "icons/film-network.png",
                "icons/film-network.svg",
                "icons/ski-resort.png",
                "icons/ski-resort.svg",
                "icons/task-board.png",
                "icons/task-board.svg",
                "look/board.css",
                "look/film.css",
                "look/frame.css",
                "look/parts.css",
                "look/places.css",
                "look/tokens.css",
                "notices/announcements.js",
                "page.html",
                "resort/mountain.js",
                "resort/resort.js",
                "shell/conflict.js",
                "shell/dom.js",
                "shell/drag.js",
                "shell/drawn.js",
                "shell/frame.js",
                "shell/here.js",
                "shell/inbox.js",
                "shell/menu.js",
                "shell/notify.js",
                "shell/panes.js",
                "shell/settings.js",
                "shell/start.js",
                "shell/words.js",
                "words/de.json",
                "words/el.json",
                "words/en.json",
                "words/it.json",
                "words/pl.json",
                "worker.js",
            ]
            .map { .embedInCode("Pages/\($0)") }
        ),

        room(
            "Cluster",
            sees: [
                "ClientProtocol", "EventLoop", "Execution", "Fanout", "Journal", "JournalLink", "Mail", "Model",
                "Telemetry", deque,
            ]
        ),

        // The modules that bring the threads together.
        room(
            "Server",
            sees: [
                "Authentication", "ClientProtocol", "Cluster", "Configuration", "Crypto", "Digits", "EventLoop",
                "Execution", "FeedKeeping", "Feeds", "Files", "Gateway", "Issuers", "JSON", "Journal", "JournalLink",
                "Keeping", "Mail", "Model", "Outbound", "Peers", "Push", "PushSending", "Services", "Store",
                "Telemetry", "Webhooks",
            ]
        ),
        room("Session", sees: ["ClientProtocol", "JSON", "Model", "Wire", deque]),
        room(
            "Client",
            sees: [
                "Digits", "JSON", "Model", "Session", "Wire", "ClientProtocol", "EventLoop", "Crypto", "Compression",
                deque,
            ]
        ),
        // The libraries for applications in Swift and for their notification service extensions, the only rooms with public
        // symbols. The folder of the first is not called as it is, since a disk that takes `WatchWise` and `watchwise` for the
        // same name has both.
        room("WatchWisePush", sees: ["Digits", "JSON", cryptoOnLinux]),
        room(
            "WatchWise", in: "Sources/SwiftSDK",
            sees: [
                "ClientProtocol", "JSON", "Model", "Session", "WatchWisePush", "Wire", clientOnLinux, eventLoopOnLinux,
                grdb,
            ]
        ),
        .executableTarget(
            name: "watchwise",
            dependencies: [
                "Authentication", "CBuild", "Client", "ClientProtocol", "Configuration", "Demo", "EventLoop", "JSON",
                "Model", "SDK", "Server", "Session", "Telemetry", "Wire", argumentParser,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "watchwise-load",
            dependencies: [
                "Authentication", "Client", "ClientProtocol", "EventLoop", "JSON", "JournalLink", "Model", "Session",
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
                "JSON", "Model", "Wire", "ClientProtocol", "Client", "Configuration", "EventLoop", "Authentication",
                "Server", "Session", "Telemetry", "SimulatedKernel", "Cluster", "JournalLink", "Mail", "Store", grdb,
            ],
            path: "Tests/Simulation",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["TestSupport"],
            exclude: ["run", "plant", "FailedSeeds", "FailedClusterSeeds"],
            swiftSettings: strict
        ),

        // The hot paths, for callgrind to count.
        .target(name: "Counting", path: "Tests/InstructionTests/Counting"),
        .executableTarget(
            name: "watchwise-bench",
            dependencies: [
                "JSON", "Model", "Wire", "ClientProtocol", "EventLoop", "Crypto", "Compression", "Authentication",
                "Configuration", "Server", "Services", "Telemetry", "Counting", "TestSupport",
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
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        tests(of: "Digits"),
        tests(of: "JSON"),
        tests(of: "Model"),
        tests(of: "Wire", seeing: ["Digits", "Model"]),
        tests(of: "ClientProtocol", seeing: ["JSON", "Model"]),
        tests(of: "Searching"),
        tests(of: "Fanout", seeing: ["Model"]),
        tests(of: "EventLoop"),
        tests(of: "Files"),
        tests(of: "Crypto", seeing: ["COpenSSL", "Digits", "Files"]),
        tests(of: "Outbound", seeing: ["EventLoop", "Model"]),
        tests(of: "JournalLink", seeing: ["EventLoop", "JSON", "Model", "Outbound"]),
        tests(of: "Compression", seeing: ["Wire"]),
        tests(of: "Authentication", seeing: ["Crypto", "Digits", "Files", "JSON", "Model"]),
        tests(of: "Push", seeing: ["Crypto", "Digits", "JSON", "Model"]),
        tests(of: "Journal", seeing: ["Compression", "Model"]),
        tests(of: "Triggers", seeing: ["JSON", "Model", mustache, sqlite]),
        tests(of: "Feeds", seeing: ["JSON", "Model"]),
        tests(
            of: "Store",
            seeing: ["Compression", "CSQLite", "JSON", "Journal", "Model", "StoreTestSupport", grdb, sqlite]
        ),
        // A second node beside a writer. A test target, since it looks into the module (`@testable`).
        .systemLibrary(
            name: "CSQLiteSession", path: "Tests/StoreTestSupport/CSQLiteSession",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .testTarget(
            name: "StoreTestSupport",
            dependencies: ["CSQLite", "CSQLiteSession", "Journal", "Model", "Store", "TestSupport", grdb],
            path: "Tests/StoreTestSupport",
            exclude: ["CSQLiteSession"],
            swiftSettings: strict
        ),
        // The rules on a database. A test uses whichever use cases it needs, so these targets see all of them.
        // A test target, since it makes commands from their parts (`@testable`).
        .testTarget(
            name: "ServicesTestSupport",
            dependencies: [
                "ClientProtocol", "Execution", "JSON", "Model", "Notifying", "Services", "Store", "StoreTestSupport",
                "TestSupport", "Triggering", "Triggers",
            ],
            path: "Tests/ServicesTestSupport",
            swiftSettings: strict
        ),
        tests(
            of: "Execution",
            seeing: ["ClientProtocol", "JSON", "Model", "Services", "ServicesTestSupport", "Store", "Triggering", grdb]
        ),
        tests(
            of: "Notifying",
            seeing: [
                "ClientProtocol", "JSON", "Model", "Services", "ServicesTestSupport", "Store", "Triggering", "Triggers",
            ]
        ),
        tests(
            of: "Triggering",
            seeing: [
                "ClientProtocol", "Execution", "JSON", "Model", "Notifying", "Services", "ServicesTestSupport", "Store",
                "Triggers",
            ]
        ),
        tests(
            of: "Services",
            seeing: [
                "ClientProtocol", "Execution", "Feeds", "JSON", "Journal", "Model", "Notifying", "ServicesTestSupport",
                "Store", "StoreTestSupport", "Triggering", "Triggers", grdb,
            ]
        ),
        .testTarget(
            name: "SDKTests",
            dependencies: ["SDK", "TestSupport"],
            path: "Tests/SDKTests/Joining",
            swiftSettings: strict
        ),
        tests(of: "Session", seeing: ["JSON", "Model", "ClientProtocol", "Wire"]),
        tests(of: "WatchWise", seeing: ["JSON", "Model", "ClientProtocol", "Session", "WatchWisePush", grdb]),
        tests(of: "WatchWisePush", seeing: ["Crypto", "Digits", "JSON", "Model", "Push"]),
        tests(of: "Client", seeing: ["JSON", "Model", "ClientProtocol", "Session", "Wire", "EventLoop", "Crypto"]),
        tests(of: "Peers", seeing: ["Model"]),
        tests(of: "Telemetry", seeing: ["Model"]),
        tests(of: "Configuration", seeing: ["Authentication", "Execution", "JSON", "Mail", "Model", "Telemetry"]),
        tests(of: "Mail", seeing: ["JSON", "Journal", "Model", "Peers"]),
        tests(
            of: "Keeping",
            seeing: [
                "ClientProtocol", "EventLoop", "Execution", "Fanout", "JSON", "Journal", "Mail", "Model", "Peers",
                "Services", "Store", "StoreTestSupport", "Telemetry",
            ]
        ),
        tests(of: "Webhooks", seeing: ["Configuration", "Model", "Outbound", "Store"]),
        tests(
            of: "PushSending",
            seeing: [
                "Configuration", "Execution", "JSON", "Mail", "Model", "Notifying", "Push", "Services",
                "ServicesTestSupport", "Store",
            ]
        ),
        tests(of: "FeedKeeping", seeing: ["Configuration", "Feeds", "JSON", "Mail", "Model", "Services", "Store"]),
        tests(
            of: "Cluster",
            seeing: [
                "ClientProtocol", "EventLoop", "Execution", "Fanout", "Journal", "JournalLink", "Mail", "Model",
                "Peers",
                "Telemetry",
            ]
        ),
        tests(of: "Issuers", seeing: ["Configuration", "Model"]),
        tests(
            of: "Gateway",
            seeing: [
                "ClientProtocol", "Compression", "Configuration", "EventLoop", "Execution", "Fanout", "JSON", "Mail",
                "Model", "Peers", "Services", "Telemetry", "Wire",
            ]
        ),
        tests(of: "Demo", seeing: ["ClientProtocol", "Gateway", "JSON", "Model", "Wire"]),
        tests(
            of: "Server",
            seeing: [
                "Authentication", "Client", "ClientProtocol", "Cluster", "Compression", "Configuration", "Crypto",
                "Demo", "EventLoop", "Execution", "Fanout", "Feeds", "Files", "Gateway", "JSON", "Journal",
                "JournalLink", "Keeping", "Mail", "Model", "Outbound", "Peers", "SDK", "Services", "Session", "Store",
                "Telemetry", "StoreTestSupport", "Wire",
            ]
        ),
        .testTarget(
            name: "CommandLineTests",
            dependencies: ["watchwise", "TestSupport", "ClientProtocol", "JSON", "Model", "Session"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LoadTests",
            dependencies: [
                "watchwise-load", "TestSupport", "Authentication", "JSON", "Model", "ClientProtocol", "Client",
                "Session", "Wire", "EventLoop",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: ["TestSupport", "JSON", "Store", "StoreTestSupport"],
            swiftSettings: strict
        ),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Digits", "JSON", "Model", "Wire", "ClientProtocol", "Compression", "Authentication", "Feeds",
                "Journal", "Mail", "Cluster", "Triggers", "Push", "Session", "TestSupport",
            ],
            path: "Tests/Fuzz/Targets",
            swiftSettings: strict
        ),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"], swiftSettings: strict),
        .testTarget(
            name: "StyleTests", dependencies: ["JSON", "TestSupport"], exclude: ["count"], swiftSettings: strict),
    ]
)
