import ArgumentParser

/// `watchwise-load render`.
struct RenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Draw the report of a run again, from its JSON, with reasons for what falls short.",
        discussion: """
            A reason is a line KEY: SENTENCE in a file; the report shows the key of each goal that has none yet.

            EXAMPLE
              watchwise-load render report.json --reasons Load/reasons.txt --report report.html
            """)

    @Argument(help: ArgumentHelp("What --json wrote.", valueName: "RUN.json"))
    var path: String

    @Option(help: ArgumentHelp("Why goals fall short.", valueName: "FILE"))
    var reasons: String?

    @OptionGroup var reportOptions: ReportOptions

    func run() throws {
        do {
            var run = try LoadReport(path: path)
            if let reasons { run.reasons.merge(try LoadReport.reasons(path: reasons)) { _, new in new } }
            try reportOptions.show(run)
        } catch let failure as LoadFailure {
            Terminal.note("error: \(failure.description)")
            throw ExitCode(1)
        }
    }
}
