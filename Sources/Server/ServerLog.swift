internal import Foundation
import Model

/// The log: one line per event on standard error, `key=value`, nothing per message, never a message's content.
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

    package init(minimum: Level = .info, clock: WallClock = .system) {
        self.minimum = minimum
        self.clock = clock
    }

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
    package func error(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.error, event, fields)
    }

    private func write(_ level: Level, _ event: String, _ fields: KeyValuePairs<String, String>) {
        guard level >= minimum else { return }
        let line = LogLine.text(time: clock.now().text, level: level, event: event, fields)
        FileHandle.standardError.write(Data(line.utf8))
    }
}
