import Files
internal import Foundation

/// The files with secrets of a server's folder beside a copy of its database, in one file for its owner alone: a line for each,
/// with its name and its content in base64.
///
/// - Confinement: any
package struct BackupSecrets: Sendable {
    /// After the name of the copy.
    package static let suffix = ".secrets"
    private static let bytesMax = 1 << 20

    /// The content of each file, by its name.
    private let contents: [String: [UInt8]]

    /// Reads the files that are there.
    ///
    /// - Throws: `PrivateFileError`.
    package init(of folder: String, _ names: [String]) throws {
        var contents: [String: [UInt8]] = [:]
        for name in names {
            contents[name] = try PrivateFile(path: folder + "/" + name).read(bytesMax: Self.bytesMax)
        }
        self.contents = contents
    }

    /// Reads the file beside a copy; nil where there is none.
    ///
    /// - Throws: ``Problem``, or `PrivateFileError`.
    package init?(besides copy: String) throws {
        let path = copy + Self.suffix
        guard let bytes = try PrivateFile(path: path).read(bytesMax: Self.bytesMax) else { return nil }
        contents = try Dictionary(
            String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
                let parts = line.split(separator: " ")
                guard parts.count == 2, let content = Data(base64Encoded: String(parts[1])) else {
                    throw Problem(description: "\(path) is not a file of secrets")
                }
                return (String(parts[0]), Array(content))
            }, uniquingKeysWith: { $1 })
    }

    /// Writes them beside a copy.
    ///
    /// - Throws: `PrivateFileError`.
    package func write(besides copy: String) throws {
        let lines = contents.sorted { $0.key < $1.key }.map { "\($0.key) \(Data($0.value).base64EncodedString())\n" }
        let path = copy + Self.suffix
        let temporary = URL(fileURLWithPath: path).lastPathComponent + ".part"
        try PrivateFile(path: path).replace(Array(lines.joined().utf8), temporaryName: temporary)
    }

    /// Puts those into a folder that it lacks; what is there stays.
    ///
    /// - Parameter names: of the files that a server may have; others are left alone.
    /// - Returns: the names of those that were put.
    /// - Throws: `PrivateFileError`.
    package func put(into folder: String, _ names: [String]) throws -> [String] {
        try names.filter { name in
            guard let content = contents[name] else { return false }
            return try PrivateFile(path: folder + "/" + name).create(content, temporaryName: name + ".part")
        }
    }

    /// Why a file is of no use.
    package struct Problem: Error, Sendable, CustomStringConvertible {
        package let description: String
    }
}
