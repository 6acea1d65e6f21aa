package import EventLoop
package import Model
import Synchronization

/// The log: one line for each event on standard error, `key=value`. No line for single messages, and never a message's
/// content.
///
/// A warning or error that repeats is written every ten seconds, with the number of lines left out. A line about a
/// change whose end is logged, too, is written each time.
///
/// A line that standard error does not take is lost: the server goes on, `log_lines_lost_total` counts the line, and the
/// next line that can be written is preceded by the number of lost ones.
///
/// - Confinement: any
package struct ServerLog: Sendable {
    /// How much is logged.
    package enum Level: Int, Sendable, Comparable {
        case debug, info, warning, error, silent

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    private let minimum: Level
    private let clock: WallClock
    private let output: LineOutput
    private let repetitions = Repetitions()

    package init(minimum: Level = .info, clock: WallClock = .system, output: LineOutput = .standardError) {
        self.minimum = minimum
        self.clock = clock
        self.output = output
    }

    /// Whether lines of the level `info` are written, for callers that would have to compute their content.
    package var tellsInfo: Bool { minimum <= .info }

    /// The time that its next line would have.
    package var now: Timestamp { clock.now() }

    /// The same of the level `debug`.
    package var tellsDebug: Bool { minimum <= .debug }

    /// For somebody who looks for a fault.
    package func debug(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.debug, event, fields)
    }

    /// For an operator who wants to know what happens.
    package func info(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.info, event, fields)
    }

    /// The same, where many like it may come: one of a kind is written in ten seconds, with the number of those left out.
    ///
    /// - Parameter kind: the text that makes two lines alike.
    package func info(_ event: String, _ fields: KeyValuePairs<String, String>, alike kind: String) {
        write(.info, event, fields, alike: kind)
    }

    /// For an operator to look at when there is time.
    ///
    /// - Parameter isChange: Whether the line is about the beginning of a state; such a line is never left out as a
    ///   repetition.
    package func warning(_ event: String, _ fields: KeyValuePairs<String, String> = [:], isChange: Bool = false) {
        write(.warning, event, fields, mayBeLeftOut: !isChange)
    }

    /// For an operator to look at now.
    ///
    /// - Parameter isChange: as for a warning.
    package func error(_ event: String, _ fields: KeyValuePairs<String, String> = [:], isChange: Bool = false) {
        write(.error, event, fields, mayBeLeftOut: !isChange)
    }

    private func write(
        _ level: Level, _ event: String, _ fields: KeyValuePairs<String, String>, mayBeLeftOut: Bool = true,
        alike kind: String? = nil
    ) {
        guard level >= minimum else { return }
        var suppressed = 0
        // Somebody who looks for a fault wants all lines.
        if mayBeLeftOut, level >= .warning || (kind != nil && minimum > .debug) {
            let error = kind ?? fields.first { $0.key == "error" }?.value ?? ""
            guard let count = repetitions.admit("\(event) \(error)") else { return }
            suppressed = count
        }
        let time = clock.now().text
        let line = LogLine.text(time: time, level: level, event: event, fields, suppressed: suppressed)
        output.write(line) { lost in
            LogLine.text(
                time: time, level: .warning, event: "lines of the log could not be written", ["lost": "\(lost)"])
        }
    }
}

/// Finds repeated lines, for all threads.
///
/// - Confinement: any
private final class Repetitions: Sendable {
    /// Protected by its lock, taken for warnings, errors and kinds of lines that may be many.
    private let lines = Mutex(LogRepetitions())

    func admit(_ line: String) -> Int? { lines.withLock { $0.admit(line, at: SteadyTime.now) } }
}
