package import JSON
import Model

/// The configuration's sources, each over the one before: the defaults, a file, the environment, the options.
///
/// A value: nothing of the process is read here, so that every combination can be tried.
///
/// - Confinement: any
package struct ConfigurationLayers: Sendable {
    /// Texts of the options that were given, by the key of the setting, in order; an option without a value has the text
    /// `true`.
    package var flags: [String: [String]]
    /// All variables; those that are empty count as absent.
    package var environment: [String: String]
    package var file: ConfigurationFile?

    package init(flags: [String: [String]] = [:], environment: [String: String] = [:], file: ConfigurationFile? = nil) {
        self.flags = flags
        self.environment = environment
        self.file = file
    }

    /// The configuration that results.
    ///
    /// - Throws: ``ConfigurationProblem``; the file is checked as a whole, also where something is set over it.
    package func configuration() throws(ConfigurationProblem) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.unknownVariables = unknownVariables
        if let unknown = flags.keys.first(where: { SettingTable.setting($0) == nil }) {
            throw ConfigurationProblem(place: "--" + unknown, message: "is not an option")
        }
        try readFile(into: &configuration)
        for given in overrides() {
            try given.setting.set(given.value, in: &configuration, place: given.place)
            if given.setting.key == Self.folder { configuration.dataAsWritten = nil }
        }
        try configuration.checkTogether()
        return configuration
    }

    /// A setting that somebody has given, with its place for people.
    ///
    /// - Confinement: any
    package struct Given: Sendable {
        package let setting: Setting
        package let value: JSONValue
        /// `--listen`, `WATCHWISE_LISTEN` or `watchwise.json:3`.
        package let place: String
    }

    /// All settings that are in force and not defaults, in the order of the table.
    ///
    /// - Throws: ``ConfigurationProblem`` when the file cannot be read; the values are not checked.
    package func given() throws(ConfigurationProblem) -> [Given] {
        var inFile: [Given] = []
        if let file {
            let text = ConfigurationText(file.bytes)
            for member in try Self.members(of: file, text) {
                guard let setting = SettingTable.setting(member.name) else { continue }
                let line = text.json.prefix(text.place(of: member.name) ?? 0).count { $0 == UInt8(ascii: "\n") } + 1
                inFile.append(Given(setting: setting, value: member.value, place: "\(file.name):\(line)"))
            }
        }
        // An option or a variable comes first, and so wins over the file.
        let all = overrides() + inFile
        return SettingTable.settings.compactMap { setting in all.first { $0.setting.key == setting.key } }
    }

    /// The options, and the variables where there is no option.
    private func overrides() -> [Given] {
        SettingTable.settings.compactMap { setting in
            if let texts = flags[setting.key], !texts.isEmpty {
                return Given(setting: setting, value: setting.value(of: texts), place: setting.flag)
            }
            guard let text = environment[setting.variable], !text.isEmpty else { return nil }
            let texts = setting.isList ? text.split(separator: ",").map(String.init) : [text]
            return Given(setting: setting, value: setting.value(of: texts), place: setting.variable)
        }
    }

    /// The setting of the server's folder.
    private static let folder = "data"
    /// The setting that others of the same file win over.
    private static let table = "retention"

    private func readFile(into configuration: inout ServerConfiguration) throws(ConfigurationProblem) {
        guard let file else { return }
        let paths = FilePaths(of: file.name)
        let text = ConfigurationText(file.bytes)
        let members = try Self.members(of: file, text)
        for member in members.filter({ $0.name == Self.table }) + members.filter({ $0.name != Self.table }) {
            guard let setting = SettingTable.setting(member.name) else {
                throw Self.unknown(member.name, in: file.name).at(text.place(of: member.name), of: file)
            }
            let value = setting.resolved(member.value, by: paths)
            do throws(ConfigurationProblem) {
                try setting.set(value, in: &configuration, place: "\(file.name): '\(setting.key)'")
            } catch {
                throw error.at(text.place(of: member.name), of: file)
            }
            if setting.key == Self.folder, value != member.value {
                configuration.dataAsWritten = member.value.stringValue
            }
        }
    }

    private static func members(
        of file: ConfigurationFile, _ text: ConfigurationText
    ) throws(ConfigurationProblem) -> [(name: String, value: JSONValue)] {
        let root: JSONValue
        do {
            root = try JSONValue(parsingText: text.json)
        } catch {
            let place = error.field.isEmpty ? file.name : "\(file.name): '\(error.field)'"
            let characters = String(decoding: file.bytes.prefix(error.offset), as: UTF8.self).count
            throw ConfigurationProblem(
                place: place, message: error.message, character: error.reason == .unexpectedEnd ? .max : characters + 1)
        }
        guard let object = root.objectValue else {
            throw ConfigurationProblem(
                place: file.name, message: "must hold one JSON object, such as {\"listen\": [\"127.0.0.1:8080\"]}")
        }
        return object.members
    }

    private static func unknown(_ name: String, in file: String) -> ConfigurationProblem {
        let known = SettingTable.settings.map(\.key)
        let nearest = NearestName.of(name, among: known).map { "; did you mean '\($0)'?" } ?? "."
        return ConfigurationProblem(
            place: "\(file): '\(name)'",
            message: "is not a key\(nearest) The keys are \(known.joined(separator: ", ")).")
    }

    /// Variables that begin like the server's own and that it does not know, each with the name that may have been meant. A
    /// name that stands in the file or in the feeds is known: a feed's key may be in a variable.
    ///
    /// They do not stop a start: where a service of Kubernetes is called watchwise, each container gets a dozen of them.
    private var unknownVariables: [UnknownVariable] {
        let known = SettingTable.settings.map(\.variable) + Self.otherVariables
        let text = String(decoding: file?.bytes ?? [], as: UTF8.self) + (environment["WATCHWISE_FEEDS"] ?? "")
        let unknown = environment.keys.filter { name in
            name.hasPrefix("WATCHWISE_") && !known.contains(name) && !text.contains(name)
        }
        return unknown.sorted().map { name in
            let near = NearestName.of(name, among: known.map { $0.lowercased() })
            return UnknownVariable(name: name, nearest: near?.uppercased())
        }
    }

    /// Variables of the command line and of the load program.
    private static let otherVariables = [
        "WATCHWISE_CONFIG", "WATCHWISE_SERVER", "WATCHWISE_TOKEN", "WATCHWISE_CA", "WATCHWISE_COMMIT",
    ]
}
