internal import Files
internal import Foundation
import Synchronization

/// The output of the program. It is not buffered, so that a reader of a pipe gets each line at once.
///
/// A line that cannot be written is lost, and the caller goes on: a server does not end because its terminal was closed. The first
/// failure of standard output is kept in ``lost``, for commands whose output is their result.
package enum Terminal {
    /// Why a part of standard output is missing.
    package enum Loss: Hashable, Sendable, CustomStringConvertible {
        /// Nobody reads any more, as after `| head`.
        case noReader
        /// The sentence of the system, for example `No space left on device`.
        case refused(String)

        /// A sentence for people.
        package var description: String {
            switch self {
            case .noReader: "the reader of standard output has gone"
            case .refused(let reason):
                "standard output cannot be written: \(reason). The work of the command at the server stands"
            }
        }
    }

    /// Why something that went to standard output did not arrive; nil while all of it did.
    package static var lost: Loss? { firstLoss.withLock { $0 } }

    private static let firstLoss = Mutex<Loss?>(nil)

    /// A line on standard output: the result.
    package static func line(_ text: String) { _ = nextLine(text) }

    /// One of many lines on standard output.
    ///
    /// - Returns: false when it could not be written, so that a command without an end can end.
    package static func nextLine(_ text: String) -> Bool { bytes(Array(above(text).utf8)) }

    /// Bytes on standard output, as they are.
    ///
    /// - Returns: false when they could not be written.
    @discardableResult
    package static func bytes(_ bytes: [UInt8]) -> Bool {
        do throws(ResultOutput.Failure) {
            try ResultOutput(descriptor: STDOUT_FILENO).write(bytes)
            return true
        } catch {
            let loss: Loss =
                switch error {
                case .noReader: .noReader
                case .system(let reason): .refused(reason)
                }
            firstLoss.withLock { $0 = $0 ?? loss }
            return false
        }
    }

    /// Shows a line below all others, until nil removes it; only on a terminal.
    package static func keep(_ text: String?) {
        guard isShown else { return }
        kept.withLock { $0 = text }
        bytes(Array(("\r\u{1b}[K" + (text ?? "")).utf8))
    }

    private static let kept = Mutex<String?>(nil)

    /// A line, and after it again the line that stays at the bottom.
    private static func above(_ text: String) -> String {
        kept.withLock { kept in
            guard let kept else { return text + "\n" }
            return "\r\u{1b}[K" + text + "\n" + kept
        }
    }

    /// One of several pages that follow each other. A terminal shows the new one in the place of the old one; a pipe gets one after the other.
    ///
    /// - Returns: false when it could not be written.
    package static func page(_ lines: [String], isFirst: Bool) -> Bool {
        guard isShown else { return nextLine(lines.joined(separator: "\n") + "\n") }
        // The rest of each line, and rows of the page before that are left below, are removed.
        let text = lines.map { $0 + "\u{1b}[K" }.joined(separator: "\n") + "\u{1b}[J"
        return nextLine((isFirst ? "\u{1b}[2J\u{1b}[H" : "\u{1b}[H") + text)
    }

    /// A text in bold letters, where colours are wanted.
    package static func bold(_ text: String) -> String { hasColour ? "\u{1b}[1m\(text)\u{1b}[0m" : text }
    /// A text in pale letters, where colours are wanted.
    package static func dim(_ text: String) -> String { hasColour ? "\u{1b}[2m\(text)\u{1b}[0m" : text }

    /// A line on standard error: the problem and what to do.
    package static func error(_ text: String) {
        beside(above("watchwise: " + text))
    }

    /// A line on standard error beside the result: what is going on.
    package static func note(_ text: String) {
        beside(above(text))
    }

    /// Lines on standard error, unchanged.
    package static func plainError(_ text: String) {
        beside(text + "\n")
    }

    /// A line on standard error that the next such line replaces; only on a terminal.
    package static func progress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        beside("\r\u{1b}[K" + text)
    }

    /// Whether standard output is a terminal.
    package static var isShown: Bool { isatty(STDOUT_FILENO) == 1 }
    /// Whether the program can ask a question.
    package static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
    /// Whether colours are wanted on standard output (no-color.org).
    private static let hasColour: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return isShown && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }()

    /// The answer to a question, without the blanks around it.
    package static func answer(to question: String) -> String {
        beside(question)
        return readLine()?.trimmingCharacters(in: .whitespaces) ?? ""
    }

    /// Asks a yes-or-no question; every answer other than yes counts as no.
    package static func confirms(_ question: String) -> Bool {
        let answer = answer(to: question + " [y/N] ").lowercased()
        return ["y", "yes", "s", "sì", "si"].contains(answer)
    }

    /// Writes to standard error. A text that cannot be written there is lost: there is no other place for it.
    private static func beside(_ text: String) {
        try? ResultOutput(descriptor: STDERR_FILENO).write(Array(text.utf8))
    }
}
