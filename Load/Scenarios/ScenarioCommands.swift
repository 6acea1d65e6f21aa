import ArgumentParser
import Client

/// `watchwise-load echo`.
struct EchoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "echo", abstract: "Messages to the server and back, one under way on each connection.",
        discussion: "WatchWise answers at /v1/echo when it runs with 'serve --debug-echo'.")

    @OptionGroup var options: LoadOptions

    @Option(help: ArgumentHelp("Connections.", valueName: "N"))
    var connections = EchoScenario.connectionsDefault

    func run() throws {
        try options.play(connections: connections) { [try EchoScenario.run($0, connections: connections)] }
    }
}

/// `watchwise-load pairs`.
struct PairsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pairs", abstract: "Chats of two with durable messages, at the limit or at a rate.",
        discussion: """
            Without --rate it is measured twice: at the limit, \(PairsScenario.window) messages under way in each chat, and
            at 2,000 a second. At a rate each message has the moment at which it was meant to leave; its time runs from
            then, also when the server (or this program) could not take it.
            """)

    @OptionGroup var options: LoadOptions

    @Option(help: ArgumentHelp("Connections, two for each chat.", valueName: "N"))
    var connections = PairsScenario.connectionsDefault

    @Option(help: ArgumentHelp("Messages a second of all together, or 'max'; repeated.", valueName: "N|max"))
    var rate: [String] = []

    func validate() throws { _ = try rates() }

    private func rates() throws -> [Double?] {
        guard !rate.isEmpty else { return [nil, 2_000] }
        return try rate.map { text in
            if text == "max" { return nil }
            guard let rate = Double(text), rate > 0, rate <= 1e6 else {
                throw ValidationError("--rate: above 0, at most 1000000, or 'max'")
            }
            return rate
        }
    }

    func run() throws {
        let rates = try rates()
        try options.play(connections: connections) { course in
            try rates.map { try PairsScenario.run(course.again(), connections: connections, rate: $0) }
        }
    }
}

/// `watchwise-load fanout` and `broadcast`.
struct FanoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanout", abstract: "Publications to all connections, by way of a topic that they follow.",
        discussion: """
            Without --rate the next publication leaves when fewer than --window are under way: their last delivery has not
            arrived. With --rate each leaves when it is due.
            """)

    @OptionGroup var options: LoadOptions
    @OptionGroup var shape: FanoutShape

    func run() throws {
        try options.play(connections: shape.connections) { [try shape.scenario("fanout", .topic).run($0)] }
    }
}

/// `watchwise-load broadcast`.
struct BroadcastCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broadcast", abstract: "Notices to everyone; otherwise as fanout.")

    @OptionGroup var options: LoadOptions
    @OptionGroup var shape: FanoutShape

    func run() throws {
        try options.play(connections: shape.connections) { [try shape.scenario("broadcast", .everyone).run($0)] }
    }
}

/// The size of a fan-out.
struct FanoutShape: ParsableArguments {
    @Option(help: ArgumentHelp("Connections that get each publication.", valueName: "N"))
    var connections = FanoutScenario.connectionsDefault

    @Option(help: ArgumentHelp("Publications under way at once, 1 to 64.", valueName: "N"))
    var window = 1

    @Option(help: ArgumentHelp("Publications a second, not what the window lets through.", valueName: "N"))
    var rate: Double?

    func validate() throws {
        guard (1...64).contains(window) else { throw ValidationError("--window: 1 to 64") }
        guard rate.map({ $0 > 0 && $0 <= 1e5 }) ?? true else {
            throw ValidationError("--rate: above 0, at most 100000")
        }
    }

    func scenario(_ name: String, _ audience: FanoutScenario.Audience) -> FanoutScenario {
        FanoutScenario(scenario: name, connections: connections, window: window, rate: rate, audience: audience)
    }
}

/// `watchwise-load release`.
struct ReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "A publication to a topic with very many followers, of whom some are online, while others chat.",
        discussion: """
            The followers are made first, through the HTTP API, \(Crowd.batch) in each request: a follow is a document, and
            a batch of them one commit. By turns with the release a publication goes to a topic that only those online
            follow; the two should take the same time.
            """)

    @OptionGroup var options: LoadOptions

    @Option(help: ArgumentHelp("Followers of the topic.", valueName: "N"))
    var followers = ReleaseScenario.followersDefault

    @Option(help: ArgumentHelp("Of those, who is online.", valueName: "N"))
    var connections = FanoutScenario.connectionsDefault

    func validate() throws {
        guard (connections...10_000_000).contains(followers) else {
            throw ValidationError("--followers: at least --connections, at most 10000000")
        }
    }

    func run() throws {
        try options.play(connections: connections) {
            try ReleaseScenario(followers: [followers], online: connections).run($0)
        }
    }
}

/// `watchwise-load idle`.
struct IdleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idle", abstract: "Sessions that do nothing: memory for each, on a server that was just started.",
        discussion: """
            With several sizes each figure is the slope since the size before, so that what is there anyway does not count.
            Each size stands for --seconds, and is then measured.

            EXAMPLE
              watchwise-load idle --connections 1000 --connections 10000 --data /tmp/w
            """)

    @OptionGroup var options: LoadOptions

    @Option(help: ArgumentHelp("Sessions; repeated, in rising order.", valueName: "N"))
    var connections: [Int] = []

    func validate() throws {
        guard zip(connections, connections.dropFirst()).allSatisfy(<), connections.allSatisfy({ $0 > 0 }) else {
            throw ValidationError("--connections: above 0, in rising order")
        }
    }

    func run() throws {
        let sizes = connections.isEmpty ? [IdleScenario.connectionsDefault] : connections
        try options.play(connections: sizes.last ?? 1) { course in
            try IdleScenario.run(
                course, sizes: sizes, isEncrypted: course.server.encryption != nil, holdSeconds: options.seconds)
        }
    }
}

/// `watchwise-load writes`.
struct WritesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "writes", abstract: "Documents written durably, so many in each commit, one commit under way.")

    @OptionGroup var options: LoadOptions

    @Option(help: ArgumentHelp("Documents in each commit, 1 to 500; repeated.", valueName: "N"))
    var batch: [Int] = []

    @Option(help: ArgumentHelp("Triggers that do not match; else there is one that notifies.", valueName: "N"))
    var triggers: Int?

    @Flag(help: "With --triggers: they are of other paths, instead of having conditions that are false.")
    var otherPaths = false

    func validate() throws {
        guard batch.allSatisfy({ (1...500).contains($0) }) else { throw ValidationError("--batch: 1 to 500") }
        guard (0...10_000).contains(triggers ?? 0) else { throw ValidationError("--triggers: 0 to 10000") }
    }

    func run() throws {
        try options.play(connections: 1) { course in
            try (batch.isEmpty ? [1, 64] : batch).map {
                try WritesScenario(batch: $0, triggers: triggers, mismatch: otherPaths ? .path : .condition)
                    .run(course.again())
            }
        }
    }
}

/// `watchwise-load soak`.
struct SoakCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak", abstract: "Hours of chats and notices at a rate: memory and files must not grow.")

    @OptionGroup var options: LoadOptions

    @Option(help: ArgumentHelp("Connections that chat, and as many that get notices.", valueName: "N"))
    var connections = PairsScenario.connectionsDefault

    @Option(help: ArgumentHelp("Messages a second.", valueName: "N"))
    var rate = SoakScenario.rateDefault

    func validate() throws {
        guard rate > 0, rate <= 1e5 else { throw ValidationError("--rate: above 0, at most 100000") }
    }

    func run() throws {
        try options.play(connections: 2 * connections) {
            [try SoakScenario(connections: connections, rate: rate).run($0)]
        }
    }
}

extension Course {
    /// The same with users of its own.
    func again() -> Course {
        var course = self
        course.run = String(UInt32.random(in: 1 << 24..<1 << 31), radix: 36)
        return course
    }
}
