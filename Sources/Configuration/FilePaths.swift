import JSON

/// The paths that stand in a configuration file: those that do not begin with `/` belong to the file's folder, wherever the
/// server is started from.
///
/// - Confinement: any
struct FilePaths {
    /// With `/` at its end; empty when the file is named without a folder.
    private let folder: String

    /// - Parameter file: the path of the configuration file.
    init(of file: String) {
        let end = file.lastIndex(of: "/").map { file.index(after: $0) } ?? file.startIndex
        folder = String(file[..<end])
    }

    /// The value of a key with its paths from where the server is started.
    package func resolved(_ key: ConfigurationKey, _ value: JSONValue) -> JSONValue {
        guard !folder.isEmpty else { return value }
        switch key {
        case .data, .tlsCertificate, .tlsKey, .outboundAuthorities, .webhookSecret: return path(value)
        case .triggers:
            return each(value) { source in
                guard let text = source.stringValue, case .file? = TriggerSource(text) else { return source }
                return path(source)
            }
        case .issuers: return each(value) { member("keys", of: $0) { !$0.contains("://") } }
        case .feeds: return each(value) { member("keyFile", of: $0) { _ in true } }
        default: return value
        }
    }

    private func path(_ value: JSONValue) -> JSONValue {
        guard let text = value.stringValue, !text.isEmpty, !text.hasPrefix("/") else { return value }
        return .string(folder + text)
    }

    /// Of a list, or of one thing alone.
    private func each(_ value: JSONValue, _ change: (JSONValue) -> JSONValue) -> JSONValue {
        value.arrayValue.map { .array($0.map(change)) } ?? change(value)
    }

    private func member(_ name: String, of value: JSONValue, if isPath: (String) -> Bool) -> JSONValue {
        guard var object = value.objectValue, let found = object[name], isPath(found.stringValue ?? "") else {
            return value
        }
        object[name] = path(found)
        return .object(object)
    }
}
