package import Files

/// A file with an issuer's keys, read again when it has changed: an issuer can change its keys without a restart.
/// - Confinement: any; blocks on the disk
package struct KeySetFile: Sendable {
    /// Why the file gives no keys.
    /// - Confinement: any
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// It cannot be read.
        case file(PrivateFileError)
        /// Its content is not a set of keys.
        case keys(path: String, JSONWebKeySet.Problem)

        /// A sentence for the operator.
        package var description: String {
            switch self {
            case .file(let error): error.description
            case .keys(let path, let problem): "\(path): \(problem)"
            }
        }
    }

    /// The path of the file.
    package let path: String
    /// The stamp of the last content that was read, valid or not.
    private var stamp: ReadableFile.Stamp?

    /// Names a file; does not open it.
    package init(path: String) {
        self.path = path
    }

    /// Reads the file if it has changed; to be called every few seconds, and at SIGHUP.
    /// - Returns: nil when it has not changed.
    /// - Throws: once for each invalid content; then the earlier keys stay in force.
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
