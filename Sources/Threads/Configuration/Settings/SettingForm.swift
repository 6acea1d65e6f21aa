import JSON
import Model

/// The form of a setting's values: how they are read and written, and what a refusal says.
///
/// - Confinement: any
struct SettingForm<Value>: Sendable {
    /// Says what a value must be; it follows the setting's name in a sentence.
    let wanted: String
    /// Of options and variables.
    var text = SettingText.plain
    var isList = false
    /// A value of the configuration file with its paths resolved.
    var paths: @Sendable (FilePaths, JSONValue) -> JSONValue = { _, value in value }
    /// A default as an operator would write it; nil where the default is nothing.
    var show: (@Sendable (Value) -> String)?
    /// Nil when the value is not what is wanted.
    let read: @Sendable (JSONValue) throws(UnfitMember) -> Value?
}

/// A mistake in one member of a setting that is an object or a list.
///
/// - Confinement: any
struct UnfitMember: Error {
    /// Nil when the value itself is wrong and must not be shown.
    let name: String?
    /// Says what is wrong and what is allowed; it follows the name in a sentence.
    let message: String
}

extension SettingForm {
    /// Reads a member of a larger setting.
    func read(_ value: JSONValue, as name: String) throws(UnfitMember) -> Value {
        guard let value = try read(value) else { throw UnfitMember(name: name, message: wanted) }
        return value
    }

    /// One of a few words.
    static func choice(of values: [Value]) -> SettingForm where Value: Sendable {
        SettingForm(
            wanted: "must be one of \(values.map { "\($0)" }.joined(separator: ", "))", show: { "\($0)" },
            read: { value in values.first { "\($0)" == value.stringValue } })
    }

    /// A whole number.
    ///
    /// - Parameter unit: what it counts, as in "a whole number of milliseconds".
    static func number(
        _ unit: String? = nil, in range: ClosedRange<Int64>
    ) -> SettingForm where Value: FixedWidthInteger & SendableMetatype {
        SettingForm(
            wanted: "must be a whole number\(unit.map { " " + $0 } ?? "") from \(range.lowerBound) to "
                + "\(range.upperBound)",
            text: .number, show: { "\($0)" },
            read: { value in value.integerValue.flatMap { range.contains($0) ? Value($0) : nil } })
    }
}

extension SettingForm<Int> {
    /// Mebibytes, held as bytes.
    static var mebibytes: SettingForm {
        let number = SettingForm.number("of MiB", in: 1...1_048_576)
        return SettingForm(
            wanted: number.wanted, text: number.text, show: { "\($0 >> 20)" },
            read: { (value) throws(UnfitMember) in try number.read(value).map { $0 << 20 } })
    }
}

extension SettingForm<Bool> {
    static var truth: SettingForm {
        SettingForm(wanted: "must be true or false", text: .truth, show: { "\($0)" }, read: \.boolValue)
    }
}

extension SettingForm<String> {
    /// The path of a file or a folder.
    ///
    /// - Parameter what: as in "the path of a folder".
    static func path(of what: String) -> SettingForm {
        SettingForm(
            wanted: "must be the path of \(what)", paths: { $0.path($1) }, show: { $0 },
            read: { value in value.stringValue.flatMap { $0.isEmpty ? nil : $0 } })
    }

    /// A text.
    ///
    /// - Parameter wanted: says what it must be; it follows the setting's name in a sentence.
    static func text(_ wanted: String, where isSound: @escaping @Sendable (String) -> Bool) -> SettingForm {
        SettingForm(
            wanted: wanted, show: { $0 }, read: { value in value.stringValue.flatMap { isSound($0) ? $0 : nil } })
    }

    /// The address of a server that takes pushes.
    static var service: SettingForm {
        .text(
            "must be SCHEME://HOST[:PORT] with https, or with http on this machine, such as https://127.0.0.1:2197",
            where: PushConfiguration.isService)
    }
}

extension SettingForm<WebAddress> {
    /// A page.
    static var webAddress: SettingForm {
        SettingForm(
            wanted: "must be an https or http address without user and fragment, such as https://app.example.org/",
            read: { value in value.stringValue.flatMap { WebAddress($0) } })
    }
}

extension SettingForm<Int64> {
    /// A time with its unit; held as milliseconds.
    static var span: SettingForm { span(from: 0, wanted: "must be \(TimeSpan.form)") }

    /// A time of at least two days: what is noted once a day can be no shorter.
    static var days: SettingForm { span(from: 2 * 86_400_000, wanted: "must be a time of at least 2d, such as 30d") }

    private static func span(from least: Int64, wanted: String) -> SettingForm {
        SettingForm(
            wanted: wanted, show: { TimeSpan.text(ofMilliseconds: $0) },
            read: { $0.stringValue.flatMap { TimeSpan($0)?.milliseconds }.flatMap { $0 < least ? nil : $0 } })
    }

    /// How long a stop may wait: a time with its unit, or a number of seconds; held as milliseconds.
    static var stopTime: SettingForm {
        SettingForm(
            wanted: "must be a time from 1s to 1h, such as 30s or 2m; a number alone counts seconds",
            show: { TimeSpan.text(ofMilliseconds: $0) },
            read: { value in
                let seconds = value.integerValue ?? value.stringValue.flatMap { Int64($0) }
                let span = value.stringValue.flatMap { TimeSpan($0)?.milliseconds }
                let milliseconds = span ?? seconds.flatMap { (0...3600).contains($0) ? $0 * 1000 : nil }
                return milliseconds.flatMap { (1000...3_600_000).contains($0) ? $0 : nil }
            })
    }
}

extension SettingForm<Int64?> {
    /// A time with its unit, held as milliseconds; nil is for ever.
    static var spanOrForever: SettingForm {
        SettingForm(
            wanted: "must be \(TimeSpan.form), or forever (or 0), which keeps everything",
            show: { $0.map(TimeSpan.text(ofMilliseconds:)) ?? "forever" },
            read: { value in
                if value == "forever" || value == "0" || value == 0 { return .some(nil) }
                return value.stringValue.flatMap { TimeSpan($0)?.milliseconds }.map { .some($0) }
            })
    }
}
