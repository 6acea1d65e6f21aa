import Console
import EventLoop
import Foundation

/// Standard input, read on a thread of its own: it may be a terminal, a pipe or a file, and not all of them can be waited for by
/// a loop. On a terminal the typed line stays at the bottom, and all other output appears above it.
///
/// - Confinement: loop
final class Keyboard {
    /// A line of the person or the pipe, or the end.
    enum Input: Sendable {
        case line(String)
        /// There is no more to read.
        case end
    }

    private let inputs: Mailbox<Input>
    private var keys: TerminalKeys?

    /// - Parameter take: Called on the loop.
    /// - Throws: when the loop finds no descriptor left.
    init(on loop: Loop, take: @escaping (Input) -> Void) throws {
        inputs = try Mailbox(on: loop) { for input in $0 { take(input) } }
        // A job in the background would be stopped by the kernel if it read from its terminal.
        let isTerminal = isatty(STDIN_FILENO) == 1
        guard !isTerminal || TerminalKeys.isInForeground else { return }
        if isTerminal, Terminal.isShown { keys = TerminalKeys() }
        let edits = keys != nil
        if edits { Terminal.keep(Self.prompt) }
        Thread.detachNewThread { [inputs] in edits ? Self.readKeys(inputs) : Self.readLines(inputs) }
    }

    /// Gives the terminal back as it was.
    func close() {
        if let keys {
            Terminal.keep(nil)
            keys.end()
            self.keys = nil
        }
        inputs.close()
    }

    private static let prompt = "> "

    private static func readLines(_ inputs: Mailbox<Input>) {
        while let line = readLine() { inputs.post(.line(line)) }
        inputs.post(.end)
    }

    private static func readKeys(_ inputs: Mailbox<Input>) {
        var editor = LineEditor()
        while true {
            // Each byte at once, since Foundation waits until it has as many as were asked for. A terminal that was taken
            // away gives an error, which is the end, too.
            guard let bytes = try? FileHandle.standardInput.read(upToCount: 1), !bytes.isEmpty else { break }
            for byte in bytes {
                switch editor.take(byte) {
                case .line(let line):
                    Terminal.keep(prompt)
                    Terminal.line(prompt + line.printable)
                    inputs.post(.line(line))
                case .changed: Terminal.keep(prompt + Self.end(of: editor.text))
                case .end:
                    inputs.post(.end)
                    return
                case nil: break
                }
            }
        }
        inputs.post(.end)
    }

    /// As much as fits into the terminal's width.
    private static func end(of text: String) -> String {
        let columns = TerminalKeys.columns - prompt.count - 1
        return text.count <= columns ? text : "…" + text.suffix(max(1, columns - 1))
    }
}

@available(*, unavailable)
extension Keyboard: Sendable {}
