import Foundation
import Synchronization

/// What the program says, unbuffered, so that a line is there when the reader of a pipe waits for it.
///
/// That nobody reads any more is no failure: a server does not end because its terminal has gone.
enum Terminal {
    /// A line on standard output: the result.
    static func line(_ text: String) {
        write(above(text), to: .standardOutput)
    }

    /// A line that stays below all others, until it is taken away with nil; only a person is shown it.
    static func keep(_ text: String?) {
        guard isShown else { return }
        kept.withLock { $0 = text }
        write("\r\u{1b}[K" + (text ?? ""), to: .standardOutput)
    }

    private static let kept = Mutex<String?>(nil)

    /// A line, and after it again the one that stays.
    private static func above(_ text: String) -> String {
        kept.withLock { kept in
            guard let kept else { return text + "\n" }
            return "\r\u{1b}[K" + text + "\n" + kept
        }
    }

    /// One of many lines on standard output, of something that goes on for ever.
    ///
    /// - Returns: false when nobody reads any more, so that it can end.
    static func nextLine(_ text: String) -> Bool {
        write(text + "\n", to: .standardOutput)
    }

    /// A line on standard error: what went wrong and what to do.
    static func error(_ text: String) {
        write(above("watchwise: " + text), to: .standardError)
    }

    /// Lines on standard error as they are.
    static func plainError(_ text: String) {
        write(text + "\n", to: .standardError)
    }

    /// A line on standard error that the next one of its kind replaces; only a terminal is shown it.
    static func progress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        write("\r\u{1b}[K" + text, to: .standardError)
    }

    /// Whether standard output is shown to a person.
    static var isShown: Bool { isatty(STDOUT_FILENO) == 1 }
    /// Whether a person can be asked.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
    /// Whether colours are wanted on standard output (no-color.org).
    static var hasColour: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isShown && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Asks a question of yes or no; anything but yes is no.
    static func confirms(_ question: String) -> Bool {
        write(question + " [y/N] ", to: .standardError)
        let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
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
