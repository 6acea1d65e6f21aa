internal import Foundation
import Model
import Synchronization

/// The log: one line per event on standard error, `key=value`, nothing per message, never a message's content.
///
/// A warning or an error that repeats itself is written every ten seconds, with how often it was left out; one that tells
/// of a change, whose end is told too, is written each time.
///
/// - Confinement: any
package struct ServerLog: Sendable {
    /// How much is told.
    package enum Level: Int, Sendable, Comparable {
        case debug, info, warning, error, silent

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    private let minimum: Level
    private let clock: WallClock
    private let repetitions = Repetitions()

    package init(minimum: Level = .info, clock: WallClock = .system) {
        self.minimum = minimum
        self.clock = clock
    }

    /// Whether what an operator wants to know is written at all, where finding it out costs something.
    package var tellsInfo: Bool { minimum <= .info }

    /// What only somebody looking for a fault wants to read.
    package func debug(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.debug, event, fields)
    }

    /// What an operator wants to know.
    package func info(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.info, event, fields)
    }

    /// What an operator should look at when there is time.
    package func warning(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.warning, event, fields)
    }

    /// What needs somebody now.
    ///
    /// - Parameter isChange: whether it begins what was not so before: then it is no repetition.
    package func error(_ event: String, _ fields: KeyValuePairs<String, String> = [:], isChange: Bool = false) {
        write(.error, event, fields, mayBeLeftOut: !isChange)
    }

    private func write(
        _ level: Level, _ event: String, _ fields: KeyValuePairs<String, String>, mayBeLeftOut: Bool = true
    ) {
        guard level >= minimum else { return }
        var suppressed = 0
        if level >= .warning, mayBeLeftOut {
            let error = fields.first { $0.key == "error" }?.value ?? ""
            guard let count = repetitions.admit("\(event) \(error)") else { return }
            suppressed = count
        }
        let line = LogLine.text(
            time: clock.now().text, level: level, event: event, fields, suppressed: suppressed)
        FileHandle.standardError.write(Data(line.utf8))
    }
}

/// What was said a moment ago, of all threads.
///
/// - Confinement: any
private final class Repetitions: Sendable {
    /// Protected by its lock, taken for warnings and errors only.
    private let lines = Mutex(LogRepetitions())

    func admit(_ line: String) -> Int? { lines.withLock { $0.admit(line, at: SteadyTime.now) } }
}
