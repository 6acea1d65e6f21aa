import Foundation

/// What the program says, unbuffered, so that a line is there when the reader of a pipe waits for it.
enum Terminal {
    /// A line on standard output: the result.
    static func line(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// A line on standard error: what went wrong and what to do.
    static func error(_ text: String) {
        FileHandle.standardError.write(Data(("watchwise: " + text + "\n").utf8))
    }
}
