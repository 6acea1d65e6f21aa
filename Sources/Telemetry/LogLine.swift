/// One line of the log as text: `key=value`, each value such that it can neither end its line, nor pretend to be another
/// field, nor steer the terminal on which it is read.
///
/// - Confinement: any
enum LogLine {
    /// - Parameters:
    ///   - fields: in their order; the names are our own, the values may be anybody's.
    ///   - suppressed: how often the same was not said since it was said last.
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

    /// Controls (of ASCII and of ISO 6429, which begin terminal sequences), ends of lines, and what turns the direction
    /// of writing or shows as nothing.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: true
        default: false
        }
    }
}
