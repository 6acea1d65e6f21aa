import Configuration
import Console

/// Reads the configuration as `watchwise serve` does: options, variables, file.
enum ConfigurationSources {
    /// - Parameters:
    ///   - flags: Texts of options by the keys of their settings.
    ///   - file: The configuration file that was named; nil for that of the environment, if there is one.
    /// - Throws: `CommandFailure` with the place of the mistake.
    static func read(flags: [String: [String]], file: String?) throws -> ServerConfiguration {
        let layers = try layers(flags: flags, file: file)
        return try reading(layers) { () throws(ConfigurationProblem) in try layers.configuration() }
    }

    /// The sources themselves.
    ///
    /// - Throws: `CommandFailure` when the file cannot be opened.
    static func layers(flags: [String: [String]] = [:], file: String?) throws -> ConfigurationLayers {
        var layers = ConfigurationLayers(flags: flags, environment: Surroundings.environment)
        if let path = file ?? Surroundings.variable("WATCHWISE_CONFIG") {
            layers.file = ConfigurationFile(name: path, bytes: try Files.read(path))
        }
        return layers
    }

    /// Reads something of the sources.
    ///
    /// - Throws: `CommandFailure` with the place of the mistake.
    static func reading<Value>(
        _ layers: ConfigurationLayers, _ read: () throws(ConfigurationProblem) -> Value
    ) throws -> Value {
        do throws(ConfigurationProblem) {
            return try read()
        } catch {
            let text = String(decoding: layers.file?.bytes ?? [], as: UTF8.self)
            let place = error.character.map { "\n" + Caret.lines(text, character: min($0, text.count + 1)) } ?? ""
            throw CommandFailure(.misused, error.description + place)
        }
    }
}
