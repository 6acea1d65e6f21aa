import JSON

/// The paths of a configuration file: those that do not begin with `/` belong to the file's folder, from whatever folder the
/// server is started.
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

    /// A path from where the server is started.
    func path(_ value: JSONValue) -> JSONValue {
        guard let text = value.stringValue, !text.isEmpty, !text.hasPrefix("/") else { return value }
        return .string(folder + text)
    }

    /// Every element of a list changed, or the one value that there is.
    func each(_ value: JSONValue, _ change: (JSONValue) -> JSONValue) -> JSONValue {
        value.arrayValue.map { .array($0.map(change)) } ?? change(value)
    }

    /// An object whose member of this name is a path.
    func member(_ name: String, of value: JSONValue, if isPath: (String) -> Bool) -> JSONValue {
        guard var object = value.objectValue, let found = object[name], isPath(found.stringValue ?? "") else {
            return value
        }
        object[name] = path(found)
        return .object(object)
    }
}
