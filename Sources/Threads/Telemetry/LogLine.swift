/// One line of the log as text, `key=value`. Values are escaped so that they can neither end the line, nor look like
/// another field, nor control the terminal.
///
/// - Confinement: any
enum LogLine {
    /// - Parameters:
    ///   - fields: In their order; the names are our own, the values may come from anybody.
    ///   - suppressed: How many times the same line was left out since it was last written.
    package static func text(
        time: String, level: ServerLog.Level, event: String, _ fields: KeyValuePairs<String, String>,
        suppressed: Int = 0
    ) -> String {
        var line = "time=\(time) level=\(level) event=\(quoted(event))"
        for (name, value) in fields { line += " \(name)=\(quoted(value))" }
        if suppressed > 0 { line += " suppressed=\(suppressed)" }
        return line + "\n"
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = value.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x3d && $0 != 0x5c }
        guard !isPlain || value.isEmpty else { return value }
        var quoted = "\""
        for scalar in value.unicodeScalars {
            if scalar == "\"" || scalar == "\\" {
                quoted += "\\" + String(scalar)
            } else if isInvisible(scalar) {
                quoted += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Control characters (of ASCII and of ISO 6429, which begin terminal sequences), line breaks, and characters that
    /// are invisible or change the direction of writing.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: true
        default: false
        }
    }
}
