import ArgumentParser
import Authentication
import Client
import EventLoop
import Foundation

/// The result of a trial: a run with many clients on a server of its own, which keeps every promise or fails.
protocol TrialReport {
    /// Whether every promise was kept.
    var isGood: Bool { get }
    var outcome: Outcome { get }
    /// The table for people.
    var table: String { get }
}

/// The options of all trials, and the start of the server for each.
struct TrialOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The program to start with 'serve'.", valueName: "PATH"))
    var binary: String

    @Option(help: ArgumentHelp("Event loops of this program, one thread each.", valueName: "N"))
    var loops = 1

    @Flag(help: "Keep the server's folder and log.")
    var keep = false

    @OptionGroup var reportOptions: ReportOptions

    func validate() throws {
        guard (1...16).contains(loops) else { throw ValidationError("--loops: 1 to 16") }
        guard FileManager.default.isExecutableFile(atPath: binary) else {
            throw ValidationError("--binary: there is no program at \(binary)")
        }
    }

    /// Starts a server in a temporary folder, runs the trial against it and shows the result.
    ///
    /// The folder is kept if a promise was broken, and with `--keep`.
    ///
    /// - Parameters:
    ///   - name: The name of the trial, for the folder.
    ///   - clients: The number of connections that the trial opens.
    ///   - arguments: The arguments for `serve`.
    /// - Throws: `ExitCode` 1 when a promise was broken or the trial could not run to its end.
    func play(
        _ name: String, clients: Int, serve arguments: [String],
        _ trial: (_ server: ServedProcess, _ address: ServerAddress, _ mint: TokenMint) throws -> any TrialReport
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "watchwise-\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let data = folder.appending(path: "data").path
        let server = ServedProcess(binary: binary, data: data, arguments: arguments)
        var isGood = false
        defer {
            _ = server.end(SIGKILL)
            if isGood, !keep {
                try? FileManager.default.removeItem(at: folder)
            } else {
                Terminal.note("kept: \(folder.path)")
            }
        }
        do {
            let needed = Self.descriptors(clients: clients)
            guard needed <= DescriptorLimit.raise() else {
                throw LoadFailure("\(clients) clients need 'ulimit -n \(needed)'")
            }
            let address = try server.start()
            guard let secret = try ServerSecret.load(fromFolder: data) else {
                throw LoadFailure("no secret in \(data)")
            }
            let report = try trial(server, address, TokenMint(secret: secret))
            isGood = report.isGood
            var run = LoadReport()
            run.outcomes = [report.outcome]
            try reportOptions.show(run, table: report.table)
        } catch let failure as LoadFailure {
            Terminal.note("error: \(failure.description)")
        }
        if !isGood { throw ExitCode(1) }
    }

    /// The file descriptors for this many clients, with those of loops, files and the administrator.
    static func descriptors(clients: Int) -> Int { clients + 1_000 }
}
