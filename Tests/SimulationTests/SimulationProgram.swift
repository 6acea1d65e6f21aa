import Foundation

/// The program of the simulation. It has a kernel of its own, and so it must be a process of its own.
enum SimulationProgram {
    /// Beside the test bundle; nil when it is not built.
    static let binary: String? = {
        let besides = [CommandLine.arguments[0], Bundle.main.executablePath ?? ""].map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent("watchwise-simulate").path
        }
        return besides.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// How a seed ended.
    struct Outcome: Equatable {
        let seed: UInt64
        let isOK: Bool
        /// A digest of everything that happened, or the broken invariant.
        let text: String
    }

    /// Runs seeds in one process.
    /// - Returns: how each ended; if the process died, that seed is the last.
    ///
    /// - Parameters:
    ///   - nodes: of a cluster; 1 is a server that is alone.
    ///   - mistake: one that is planted in the cluster.
    static func run(from seed: UInt64, count: Int = 1, nodes: Int = 1, mistake: String? = nil) throws -> [Outcome] {
        let process = Process()
        // A seed that never ends is one that failed.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        process.arguments =
            [
                "--signal=KILL", "300", binary ?? "/nonexistent", "--from", String(seed), "--count", String(count),
                "--nodes", String(nodes),
            ]
            + (mistake.map { ["--mistake", $0] } ?? [])
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        var outcomes: [Outcome] = []
        var begun: UInt64?
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            guard words.count > 1, let seed = UInt64(words[1]) else { continue }
            if words[0] == "begin" {
                begun = seed
            } else {
                outcomes.append(Outcome(seed: seed, isOK: words[0] == "ok", text: words.count > 2 ? words[2] : ""))
                begun = nil
            }
        }
        if let begun { outcomes.append(Outcome(seed: begun, isOK: false, text: "the process died")) }
        return outcomes
    }
}
