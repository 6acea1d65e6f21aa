import ArgumentParser
import EventLoop
import Foundation

/// `watchwise-load suite`.
struct SuiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suite",
        abstract: "Measure everything, with the floor and the peers, in one run and one report.",
        discussion: """
            Starts a server of its own for each scenario, the same scenario against a bare loop (watchwise-floor) and
            against nats-server, mosquitto, socketify and picows as far as they are there (Load/Peers/prepare gets them),
            and raw inserts into SQLite. The report says which goals are reached and which fall short.

            Exit status 1 when a promise was broken, also when WatchWise ends or hangs up in a scenario; a goal that falls
            short is no broken promise. SIGINT and SIGTERM end the servers, remove their folders and write the report of
            what was measured so far.

            Those that are held against one another take turns in several short rounds. --only plays some parts:
            \(SuitePart.names.joined(separator: ", ")).

            EXAMPLES
              watchwise-load suite --report report.html --json report.json --dialogues dialogues.jsonl
              watchwise-load suite --only echo,fanout --seconds 4 --report fanout.html
              watchwise-load suite --quick --report report.html --json report.json
              watchwise-load suite --python /tmp/peers/bin/python --report report.html
            """
    )

    @Option(help: ArgumentHelp("The program to start with 'serve'. (default: beside this one)", valueName: "PATH"))
    var binary: String?

    @Option(help: ArgumentHelp("The bare loops. (default: watchwise-floor beside this one)", valueName: "PATH"))
    var floor: String?

    @Option(help: ArgumentHelp("Settings and scripts of the peers.", valueName: "DIR"))
    var peers = "Load/Peers"

    @Option(help: ArgumentHelp("A Python that has socketify and picows.", valueName: "PATH"))
    var python = ".build/peers/bin/python"

    @Option(
        help: ArgumentHelp(
            "Conversations to play, as for replay. (default: Tests/Data/conversations.jsonl if it is there)",
            valueName: "FILE"))
    var dialogues: String?

    @Option(help: ArgumentHelp("Only these parts, separated by commas.", valueName: "PART,…"))
    var only: String?

    @Option(help: ArgumentHelp("Seconds that each round is measured. (default: 2; 1 with --quick)", valueName: "S"))
    var seconds: Double?

    @Option(
        help: ArgumentHelp(
            "Why goals fall short, lines KEY: SENTENCE. (default: Load/reasons.txt if it is there)", valueName: "FILE"))
    var reasons: String?

    @Option(help: ArgumentHelp("Event loops of this program, one thread each.", valueName: "N"))
    var loops = 1

    @Flag(help: "Some minutes instead of twenty: smaller, shorter, of the same shape.")
    var quick = false

    @Flag(help: .hidden)
    var tiny = false

    @Option(
        name: .customLong("serve"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("An argument for 'serve', such as --serve=--loops=1; repeated.", valueName: "ARGUMENT")
    )
    var serveArguments: [String] = []

    @OptionGroup var reportOptions: ReportOptions

    func validate() throws {
        guard (1...64).contains(loops) else { throw ValidationError("--loops: 1 to 64") }
        guard seconds.map({ $0 > 0 && $0 <= 3_600 }) ?? true else {
            throw ValidationError("--seconds: above 0, at most 3600")
        }
        if let unknown = parts?.subtracting(SuitePart.names).sorted().first {
            throw ValidationError(
                "--only: there is no part '\(unknown)'; there are \(SuitePart.names.joined(separator: ", "))")
        }
        guard FileManager.default.isExecutableFile(atPath: path(binary, "watchwise")) else {
            throw ValidationError("--binary: there is no program at \(path(binary, "watchwise"))")
        }
    }

    private func path(_ given: String?, _ name: String) -> String {
        if let given { return given }
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? name
        return URL(filePath: own).deletingLastPathComponent().appending(path: name).path
    }

    private var parts: Set<String>? {
        only.map { Set($0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }) }
    }

    func run() throws {
        var programme = tiny ? Programme.tiny : quick ? .quick : .whole
        if let seconds { programme.seconds = seconds }
        // The servers that it starts inherit this limit.
        let descriptors = DescriptorLimit.raise()
        var programs = Programs(
            watchwise: path(binary, "watchwise"), floor: path(floor, "watchwise-floor"), peers: peers, python: python)
        programs.serveArguments = serveArguments
        let reasons = try known()
        let suite = try Suite(
            programs, programme, loopCount: loops, descriptors: descriptors, dialogues: conversations
        ) { [reportOptions] run in try? reportOptions.show(run.with(reasons)) }
        suite.play(only: parts)
        try reportOptions.show(suite.record.run.with(reasons))
    }

    private var conversations: String? {
        let usual = "Tests/Data/conversations.jsonl"
        return dialogues ?? (FileManager.default.isReadableFile(atPath: usual) ? usual : nil)
    }

    /// The reasons from the file.
    private func known() throws -> [String: String] {
        let usual = "Load/reasons.txt"
        do {
            if let reasons { return try LoadReport.reasons(path: reasons) }
            return FileManager.default.isReadableFile(atPath: usual) ? try LoadReport.reasons(path: usual) : [:]
        } catch {
            throw ValidationError(error.description)
        }
    }
}

extension LoadReport {
    fileprivate func with(_ reasons: [String: String]) -> LoadReport {
        var run = self
        run.reasons = reasons
        return run
    }
}
