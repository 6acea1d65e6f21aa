import Foundation

/// Writes to standard error and to files.
enum Terminal {
    /// Writes a line to standard error.
    static func note(_ line: String) {
        write(line + "\n")
    }

    /// Rewrites the current line of standard error.
    static func rewrite(_ line: String) {
        write("\r\u{1B}[K" + line)
    }

    /// Whether standard error is a terminal.
    static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes a file, replacing it.
    static func save(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    private static func write(_ text: String) {
        // A terminal that has gone is no reason to end a measurement.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
