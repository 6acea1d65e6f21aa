import ArgumentParser
import EventLoop
import Foundation
import JSON

/// `watchwise stats`
struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "What the server stores and what it has done since its start.",
        discussion: """
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
        var table = Table(("", .left), ("", .right), ("", .left))
        for member in answer.objectValue?.members ?? [] {
            guard let value = member.value.integerValue, member.name != "pid" else {
                table.add(member.name, member.value.stringValue ?? member.value.text, "")
                continue
            }
            let change = before?[member.name]?.integerValue.map { value - $0 } ?? 0
            table.add(member.name, value.grouped, change == 0 ? "" : (change > 0 ? "+" : "") + change.grouped)
        }
        // A terminal shows one table that changes; a pipe gets one table after the other.
        let isRedrawn = watch && Terminal.isShown
        let start = !isRedrawn ? "" : before == nil ? "\u{1b}[2J\u{1b}[H" : "\u{1b}[H"
        let end = isRedrawn ? "\u{1b}[K" : ""
        let lines = table.lines.map { $0 + end }.joined(separator: "\n")
        return Terminal.nextLine(start + lines + (watch && !isRedrawn ? "\n" : ""))
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
