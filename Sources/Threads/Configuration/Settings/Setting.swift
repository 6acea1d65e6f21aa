package import JSON

/// One entry of the table of settings: its names, what it is for, and the field of the configuration that it sets.
///
/// - Confinement: any
package struct Setting: Sendable {
    /// In the configuration file; the other names come from it.
    package let key: String
    /// Of `watchwise serve`, without its dashes; nil when the command has no such option.
    package let option: String?
    /// The word for the value in the option's help, such as `host:port`; nil where the option takes no value.
    package let valueName: String?
    /// Whether it takes a list: an option that is repeated, a variable with commas.
    package let isList: Bool
    /// One sentence.
    package let help: String
    /// Further sentences for the pages, for which the help of the command has no room; may be empty.
    package let note: String
    /// The default, as pages show it; nil where there is none.
    package let standard: String?
    /// A value other than the default, as the configuration file holds it.
    package let example: JSONValue

    private let wanted: String
    private let text: SettingText
    private let paths: @Sendable (FilePaths, JSONValue) -> JSONValue
    private let take: @Sendable (JSONValue, inout ServerConfiguration) throws(UnfitMember) -> Bool
    private let shown: @Sendable (ServerConfiguration) -> String

    /// A setting of a field that always has a value; the field's default is the setting's.
    ///
    /// - Parameters:
    ///   - option: the name of the option where it differs from the key.
    ///   - field: what the setting sets.
    ///   - form: how values are read.
    ///   - valueName: the word for the value. Without it a setting that is true or false has an option without a value, and
    ///     any other setting has no option at all: its values are too long for one.
    init<Value>(
        _ key: String, option: String? = nil, _ field: any WritableKeyPath<ServerConfiguration, Value> & Sendable,
        _ form: SettingForm<Value>, value valueName: String? = nil, example: JSONValue, help: String, note: String = ""
    ) {
        self.init(
            key, option: option, form, value: valueName, standard: form.show?(ServerConfiguration()[keyPath: field]),
            example: example, help: help, note: note, shown: { "\($0[keyPath: field])" },
            take: { $1[keyPath: field] = $0 })
    }

    /// A setting of a field that is nil by default.
    ///
    /// - Parameter absent: what the server does when it is nil; nil where it does nothing.
    init<Value>(
        _ key: String, option: String? = nil, _ field: any WritableKeyPath<ServerConfiguration, Value?> & Sendable,
        _ form: SettingForm<Value>, value valueName: String? = nil, absent: String?, example: JSONValue, help: String,
        note: String = ""
    ) {
        self.init(
            key, option: option, form, value: valueName, standard: absent, example: example, help: help, note: note,
            shown: { String(describing: $0[keyPath: field]) }, take: { $1[keyPath: field] = $0 })
    }

    private init<Value>(
        _ key: String, option: String?, _ form: SettingForm<Value>, value valueName: String?, standard: String?,
        example: JSONValue, help: String, note: String, shown: @escaping @Sendable (ServerConfiguration) -> String,
        take: @escaping @Sendable (Value, inout ServerConfiguration) -> Void
    ) {
        self.key = key
        self.option = valueName == nil && form.text != .truth ? nil : option ?? key
        self.valueName = valueName
        self.isList = form.isList
        self.help = help
        self.note = note
        self.standard = standard
        self.example = example
        self.shown = shown
        wanted = form.wanted
        text = form.text
        paths = form.paths
        self.take = { (value, configuration) throws(UnfitMember) in
            guard let value = try form.read(value) else { return false }
            take(value, &configuration)
            return true
        }
    }

    /// The option with its dashes; the key where there is no option.
    package var flag: String { option.map { "--" + $0 } ?? key }

    /// `WATCHWISE_DEBUG_ECHO` and the like.
    package var variable: String { "WATCHWISE_" + key.uppercased().replacing("-", with: "_") }

    /// The words of the field's value in a configuration, in alphabetical order: for comparisons, also between processes.
    /// Dictionaries show their members in an order of their own each time, and private types their address, `$55d0…`.
    package func shown(in configuration: ServerConfiguration) -> String {
        shown(configuration).split { " ,:[]()".contains($0) }.filter { !$0.hasPrefix("$") }.sorted()
            .joined(separator: " ")
    }

    /// The value that would stand in the file for texts of options or of a variable. A text that cannot be read stays a text,
    /// which ``set(_:in:place:)`` then refuses.
    ///
    /// - Parameter texts: at least one; where the setting takes no list, the last one holds.
    func value(of texts: [String]) -> JSONValue {
        isList ? .array(texts.map(text.value)) : text.value(of: texts.last ?? "")
    }

    /// The value of a file, its paths resolved from where the server is started.
    func resolved(_ value: JSONValue, by paths: FilePaths) -> JSONValue { self.paths(paths, value) }

    /// Sets the field.
    ///
    /// - Parameter place: where the value stands, for people.
    /// - Throws: ``ConfigurationProblem`` when the value is not what the setting wants.
    func set(
        _ value: JSONValue, in configuration: inout ServerConfiguration, place: String
    ) throws(ConfigurationProblem) {
        let isTaken: Bool
        do {
            isTaken = try take(value, &configuration)
        } catch {
            let member = error.name.map { ", '\($0)'" } ?? ""
            throw ConfigurationProblem(place: place + member, message: error.message)
        }
        guard isTaken else {
            throw ConfigurationProblem(place: place, message: "\(wanted), not \(Self.quoted(value))")
        }
    }

    /// A value as it stands in a message: short, and in quotes when it was a text.
    private static func quoted(_ value: JSONValue) -> String {
        if case .array(let values) = value, values.count == 1, let only = values.first { return quoted(only) }
        let text = value.stringValue.map { "'\($0)'" } ?? value.text
        return text.count > 80 ? text.prefix(79) + "…" : text
    }
}
