import ArgumentParser
import Console
import EventLoop
import Foundation
import JSON

/// `watchwise stats`
struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "What the server stores and what it has done since its start.",
        discussion: """
            Figures that are 0 are left out, except what the server stores; --json has all of them. A name that ends in \
            _total counts since the start of the server.

            EXAMPLES
              watchwise stats
              watchwise stats --watch
              watchwise stats --json
            """
    )

    @Flag(help: "Repeat every second, with the changes, until Ctrl-C.")
    var watch = false
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let client = try server.connect()
        var before: JSONValue?
        var isRead: Bool
        repeat {
            let answer = try client.ask("GET", "stats")
            isRead = show(answer, before: before)
            before = answer
        } while try watch && isRead && !Pause.isInterrupted(withinMilliseconds: 1000)
    }

    /// - Returns: whether the reader of the output is still there.
    private func show(_ answer: JSONValue, before: JSONValue?) -> Bool {
        if server.json { return Terminal.nextLine(answer.text) }
        let lines = StatsPage(answer, before: before).lines
        return watch ? Terminal.page(lines, isFirst: before == nil) : Terminal.nextLine(lines.joined(separator: "\n"))
    }
}

/// A wait that Ctrl-C ends.
enum Pause {
    /// Waits; returns true as soon as SIGINT or SIGTERM arrives.
    static func isInterrupted(withinMilliseconds milliseconds: Int64) throws -> Bool {
        let loop = try Loop()
        var isInterrupted = false
        let signals = try [SIGINT, SIGTERM].map { signal in
            try SignalSource(on: loop, signal: signal) {
                isInterrupted = true
                loop.stop()
            }
        }
        let timer = LoopTimer(on: loop) { loop.stop() }
        timer.start(afterMilliseconds: milliseconds)
        loop.run()
        return withExtendedLifetime((signals, timer)) { isInterrupted }
    }
}
