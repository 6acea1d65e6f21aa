internal import Foundation
import Synchronization

/// The output of the program. It is not buffered, so that a reader of a pipe gets each line at once.
///
/// It is no failure when nobody reads the output: a server does not end because its terminal was closed.
package enum Terminal {
    /// A line on standard output: the result.
    package static func line(_ text: String) {
        write(above(text), to: .standardOutput)
    }

    /// Shows a line below all others, until nil removes it; only on a terminal.
    package static func keep(_ text: String?) {
        guard isShown else { return }
        kept.withLock { $0 = text }
        write("\r\u{1b}[K" + (text ?? ""), to: .standardOutput)
    }

    private static let kept = Mutex<String?>(nil)

    /// A line, and after it again the line that stays at the bottom.
    private static func above(_ text: String) -> String {
        kept.withLock { kept in
            guard let kept else { return text + "\n" }
            return "\r\u{1b}[K" + text + "\n" + kept
        }
    }

    /// Prints one of many lines of an endless output.
    ///
    /// - Returns: false when nobody reads any more, so that the command can end.
    package static func nextLine(_ text: String) -> Bool {
        write(text + "\n", to: .standardOutput)
    }

    /// A line on standard error: the problem and what to do.
    package static func error(_ text: String) {
        write(above("watchwise: " + text), to: .standardError)
    }

    /// A line on standard error beside the result: what is going on.
    package static func note(_ text: String) {
        write(above(text), to: .standardError)
    }

    /// Lines on standard error, unchanged.
    package static func plainError(_ text: String) {
        write(text + "\n", to: .standardError)
    }

    /// A line on standard error that the next such line replaces; only on a terminal.
    package static func progress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        write("\r\u{1b}[K" + text, to: .standardError)
    }

    /// Whether standard output is a terminal.
    package static var isShown: Bool { isatty(STDOUT_FILENO) == 1 }
    /// Whether the program can ask a question.
    package static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
    /// Whether colours are wanted on standard output (no-color.org).
    package static var hasColour: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isShown && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// The answer to a question, without the blanks around it.
    package static func answer(to question: String) -> String {
        write(question, to: .standardError)
        return readLine()?.trimmingCharacters(in: .whitespaces) ?? ""
    }

    /// Asks a yes-or-no question; every answer other than yes counts as no.
    package static func confirms(_ question: String) -> Bool {
        let answer = answer(to: question + " [y/N] ").lowercased()
        return ["y", "yes", "s", "sì", "si"].contains(answer)
    }

    @discardableResult
    private static func write(_ text: String, to file: FileHandle) -> Bool {
        do {
            try file.write(contentsOf: Data(text.utf8))
            return true
        } catch {
            return false
        }
    }
}
