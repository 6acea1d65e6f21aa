import ArgumentParser
import Client
import EventLoop
import Foundation
import JSON

/// Where to write results besides the terminal.
struct ReportOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write the results there too, as one line of JSON.", valueName: "FILE"))
    var json: String?

    @Option(help: ArgumentHelp("Write a report with plots there, one HTML file.", valueName: "FILE"))
    var report: String?

    /// Shows and writes a run. Broken promises are the last lines on standard error.
    /// - Throws: `ExitCode(1)` when a promise was broken.
    func show(_ run: LoadReport, table: String? = nil) throws {
        print(table ?? run.table)
        if let json { try Terminal.save(run.json.text + "\n", to: json) }
        if let report { try Terminal.save(HTMLReport(run).text, to: report) }
        guard !run.isGood else { return }
        for outcome in run.outcomes where !outcome.isGood {
            Terminal.note("broken: \(outcome.name): \(outcome.brokenPromises.joined(separator: ", "))")
        }
        throw ExitCode(1)
    }
}

/// The common options of scenarios against a running server.
struct LoadOptions: ParsableArguments {
    @OptionGroup var serverOptions: ServerOptions
    @OptionGroup var reportOptions: ReportOptions

    @Option(help: ArgumentHelp("How long to measure.", valueName: "S"))
    var seconds = 5.0

    @Option(help: ArgumentHelp("How long to run before that, not measured.", valueName: "S"))
    var warmup = 1.0

    @Option(help: ArgumentHelp("Event loops of this program, one thread each.", valueName: "N"))
    var loops = 1

    @Option(help: ArgumentHelp("The server's process, instead of the one it names.", valueName: "PID"))
    var pid: Int64?

    @Option(help: ArgumentHelp("How the server is spoken to: watchwise, plain, nats, mqtt.", valueName: "DIALECT"))
    var dialect = Dialect.watchwise

    func validate() throws {
        guard seconds > 0, seconds <= 604_800 else { throw ValidationError("--seconds: above 0, at most 604800") }
        guard warmup >= 0, warmup <= 3_600 else { throw ValidationError("--warmup: 0 to 3600") }
        guard (1...64).contains(loops) else { throw ValidationError("--loops: 1 to 64") }
        guard dialect == .watchwise || pid != nil else { throw ValidationError("--pid is wanted with --dialect") }
    }

    /// Runs a scenario and shows the results.
    func play(connections: Int, _ scenario: (Course) throws -> [Outcome]) throws {
        guard (1...1_000_000).contains(connections) else { throw ValidationError("--connections: 1 to 1000000") }
        var run = LoadReport()
        do {
            guard connections + 256 <= DescriptorLimit.raise() else {
                throw LoadFailure(
                    "\(connections) connections need 'ulimit -n \(connections + 256)' here and at the server")
            }
            run.outcomes = try scenario(course())
        } catch let failure as LoadFailure {
            Terminal.note("error: \(failure.description)")
            throw ExitCode(1)
        }
        try reportOptions.show(run)
    }

    private func course() throws -> Course {
        let server = try serverOptions.address()
        let mint = dialect == .watchwise ? try serverOptions.mint() : nil
        var course = Course(
            system: dialect == .watchwise ? "watchwise" : dialect.rawValue, server: server, dialect: dialect,
            mint: mint, meter: ProcessMeter(pid: pid ?? 0),
            seconds: seconds, warmup: warmup, loopCount: loops)
        guard pid == nil else { return course }
        guard let named = try course.admin().perform("GET", "/v1/stats")["pid"]?.integerValue else {
            throw LoadFailure("/v1/stats does not name the server's process; give --pid")
        }
        course.meter = ProcessMeter(pid: named)
        return course
    }
}

extension Dialect: ExpressibleByArgument {}
