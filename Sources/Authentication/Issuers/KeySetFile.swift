package import Files

/// A file with an issuer's keys, read again when it has changed: an issuer that turns its keys needs no restart.
/// - Confinement: any; blocks on the disk
package struct KeySetFile: Sendable {
    /// Why there are no keys from the file.
    /// - Confinement: any
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// It cannot be read.
        case file(PrivateFileError)
        /// It is not a set of keys.
        case keys(path: String, JSONWebKeySet.Problem)

        /// A sentence for the operator.
        package var description: String {
            switch self {
            case .file(let error): error.description
            case .keys(let path, let problem): "\(path): \(problem)"
            }
        }
    }

    /// Where it lies.
    package let path: String
    /// Of the last content that was looked at, good or not.
    private var stamp: ReadableFile.Stamp?

    /// Names a file; nothing is opened.
    package init(path: String) {
        self.path = path
    }

    /// Reads the file if it is another than last time; call it every few seconds, and at SIGHUP.
    /// - Returns: nil when it has not changed.
    /// - Throws: once for each bad content: go on with the keys you have.
    package mutating func readIfChanged() throws(Problem) -> JSONWebKeySet? {
        let file = ReadableFile(path: path)
        if let stamp, file.stamp() == stamp { return nil }
        let contents: ReadableFile.Contents
        do {
            contents = try file.read(bytesMax: JSONWebKeySet.bytesMax)
        } catch {
            throw .file(error)
        }
        stamp = contents.stamp
        do {
            return try JSONWebKeySet(parsing: contents.bytes)
        } catch {
            throw .keys(path: path, error)
        }
    }
}
