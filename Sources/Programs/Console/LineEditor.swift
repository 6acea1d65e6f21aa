/// The line at the bottom of a terminal, while it is typed: letters, backspace, Ctrl-U, Ctrl-W, and earlier lines by the arrow
/// keys. It has no terminal of its own: bytes go in, lines come out.
///
/// A terminal edits lines itself, but then other output would be written in the middle of what is typed, and the program could
/// not show it again.
package struct LineEditor {
    /// The result of a byte.
    package enum Outcome: Equatable {
        /// A line is ready.
        case line(String)
        /// The shown text has changed.
        case changed
        /// Ctrl-D on an empty line.
        case end
    }

    private static let linesKept = 100

    private var bytes: [UInt8] = []
    /// The bytes of a key that sends several, such as an arrow, after its escape.
    private var sequence: [UInt8]?
    private var earlier: [String] = []
    /// The place in the earlier lines; their number is the line that is being typed.
    private var place = 0

    package init() {}

    /// The text so far, without power over the terminal.
    package var text: String { String(decoding: bytes, as: UTF8.self).printable }

    /// Takes one byte of the keyboard.
    package mutating func take(_ byte: UInt8) -> Outcome? {
        if let keys = sequence { return take(byte, after: keys) }
        switch byte {
        case 0x1b: sequence = []
        case 0x0a, 0x0d: return finish()
        case 0x04: return bytes.isEmpty ? .end : nil
        case 0x08, 0x7f: dropLast { _ in false }
        case 0x15: bytes = []
        case 0x17:
            dropLast { $0 == 0x20 }
            while let last = bytes.last, last != 0x20 { bytes.removeLast() }
        case 0x00...0x1f: return nil
        default: bytes.append(byte)
        }
        // A letter of several bytes is shown when it is whole.
        return String(validating: bytes, as: UTF8.self) == nil ? nil : .changed
    }

    /// Drops the last letter, and before it all bytes that a rule names.
    private mutating func dropLast(_ isBefore: (UInt8) -> Bool) {
        while let last = bytes.last, isBefore(last) { bytes.removeLast() }
        while let last = bytes.popLast(), last & 0xc0 == 0x80 {}
    }

    private mutating func finish() -> Outcome {
        let line = String(decoding: bytes, as: UTF8.self)
        bytes = []
        if !line.isEmpty, earlier.last != line { earlier.append(line) }
        if earlier.count > Self.linesKept { earlier.removeFirst() }
        place = earlier.count
        return .line(line)
    }

    /// An arrow is `ESC [ A` or `ESC O A`; other keys of this kind end with a letter or `~`, and mean nothing here.
    private mutating func take(_ byte: UInt8, after keys: [UInt8]) -> Outcome? {
        if keys.isEmpty, byte == 0x5b || byte == 0x4f {
            sequence = [byte]
            return nil
        }
        guard keys.isEmpty || (0x40...0x7e).contains(byte) else {
            sequence = keys + [byte]
            return nil
        }
        sequence = nil
        switch (keys.isEmpty, byte) {
        case (false, 0x41): return show(place - 1)
        case (false, 0x42): return show(place + 1)
        default: return nil
        }
    }

    private mutating func show(_ wanted: Int) -> Outcome? {
        guard (0...earlier.count).contains(wanted) else { return nil }
        place = wanted
        bytes = wanted < earlier.count ? Array(earlier[wanted].utf8) : []
        return .changed
    }
}
