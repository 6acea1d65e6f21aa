import JSON
import Model

/// The configuration's sources, each over the one before: the defaults, a file, the environment, the flags.
///
/// A value: nothing of the process is read here, so that every combination can be tried.
///
/// - Confinement: any
package struct ConfigurationLayers: Sendable {
    /// A configuration file that was read.
    package struct File: Sendable {
        /// As it is named to people.
        package let name: String
        package let bytes: [UInt8]

        package init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// A variable that nobody reads.
    package struct UnknownVariable: Sendable, Hashable {
        package let name: String
        /// The variable that may have been meant.
        package let nearest: String?
    }

    /// Texts of the flags that were given, in order; a flag without a value has the text `true`.
    package var flags: [ConfigurationKey: [String]]
    /// All variables; those that are empty count as absent.
    package var environment: [String: String]
    package var file: File?

    package init(flags: [ConfigurationKey: [String]] = [:], environment: [String: String] = [:], file: File? = nil) {
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
        let written = try fileValues()
        let paths = file.map { FilePaths(of: $0.name) }
        for (key, value) in written {
            try configuration.set(key, paths?.resolved(key, value) ?? value, place: filePlace(key))
            if key == .data, value.stringValue != configuration.data { configuration.dataAsWritten = value.stringValue }
        }
        for key in ConfigurationKey.allCases {
            if key == .data, flags[key] != nil || !(environment[key.environmentName] ?? "").isEmpty {
                configuration.dataAsWritten = nil
            }
            if let texts = flags[key], let last = texts.last {
                let value = ConfigurationText.value(of: key, key.isList ? texts : [last])
                try configuration.set(key, value, place: key.flag)
            } else if let text = environment[key.environmentName], !text.isEmpty {
                let parts = key.isList ? text.split(separator: ",").map(String.init) : [text]
                try configuration.set(key, ConfigurationText.value(of: key, parts), place: key.environmentName)
            }
        }
        guard (configuration.tlsCertificate == nil) == (configuration.tlsKey == nil) else {
            let (given, missing): (ConfigurationKey, ConfigurationKey) =
                configuration.tlsKey == nil ? (.tlsCertificate, .tlsKey) : (.tlsKey, .tlsCertificate)
            throw ConfigurationProblem(place: missing.flag, message: "is required with \(given.flag)")
        }
        let names = configuration.foreignIssuers.map(\.name)
        if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw ConfigurationProblem(
                place: ConfigurationKey.firebaseProject.flag,
                message: "names \(twice), which is already among the issuers")
        }
        return configuration
    }

    /// Variables that begin like the server's own and that nobody reads, each with the name that may have been meant. What
    /// the file names is read: a feed's key may be in a variable.
    ///
    /// They do not stop a start: where a service of Kubernetes is called watchwise, each container gets a dozen of them.
    private var unknownVariables: [UnknownVariable] {
        let known = ConfigurationKey.allCases.map(\.environmentName) + Self.otherVariables
        let text =
            String(decoding: file?.bytes ?? [], as: UTF8.self)
            + (environment[ConfigurationKey.feeds.environmentName] ?? "")
        let unknown = environment.keys.filter { name in
            name.hasPrefix("WATCHWISE_") && !known.contains(name) && !text.contains(name)
        }
        return unknown.sorted().map { name in
            let near = NearestName.of(name, among: known.map { $0.lowercased() })
            return UnknownVariable(name: name, nearest: near?.uppercased())
        }
    }

    /// What the command line and the load program read.
    private static let otherVariables = [
        "WATCHWISE_CONFIG", "WATCHWISE_SERVER", "WATCHWISE_TOKEN", "WATCHWISE_CA", "WATCHWISE_COMMIT",
    ]

    private func filePlace(_ key: ConfigurationKey) -> String {
        "\(file?.name ?? "the configuration file"): '\(key.rawValue)'"
    }

    private func fileValues() throws(ConfigurationProblem) -> [(ConfigurationKey, JSONValue)] {
        guard let file else { return [] }
        let root: JSONValue
        do {
            root = try JSONValue(parsing: file.bytes)
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
        var values: [(ConfigurationKey, JSONValue)] = []
        for member in object.members {
            guard let key = ConfigurationKey(rawValue: member.name) else {
                throw Self.unknown(member.name, in: file.name)
            }
            values.append((key, member.value))
        }
        return values
    }

    private static func unknown(_ name: String, in file: String) -> ConfigurationProblem {
        let known = ConfigurationKey.allCases.map(\.rawValue)
        let nearest = NearestName.of(name, among: known).map { "; did you mean '\($0)'?" } ?? "."
        return ConfigurationProblem(
            place: "\(file): '\(name)'",
            message: "is not a key\(nearest) The keys are \(known.joined(separator: ", ")).")
    }
}
