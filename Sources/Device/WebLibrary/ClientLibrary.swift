import Crypto
import Digits
import EmbeddedFiles

/// The library for browsers and Node: one ES module without dependencies, with its types, and two modules that it loads only where
/// they are needed: the service worker for pushes, and the store of Node. Its sources are the modules in
/// `Files`, which are joined here, so that an application copies one file, and a reader finds several.
///
/// - Confinement: any
package enum ClientLibrary {
    /// A file as it is served and written to a folder.
    ///
    /// - Confinement: any
    package struct File: Sendable {
        package let name: String
        /// Its media type.
        package let type: String
        package let bytes: [UInt8]
        /// The entity tag: a value that changes with the file (RFC 9110, section 8.8.3).
        package let tag: String

        init(_ name: String, type: String, _ bytes: [UInt8]) {
            self.name = name
            self.type = type
            self.bytes = bytes
            tag =
                "\"" + String(decoding: Hexadecimal.encode(Array(Digest.sha256(bytes).prefix(12))), as: UTF8.self)
                + "\""
        }
    }

    /// The files, in the order of their names.
    package static let files = [
        module("watchwise-sqlite.js", EmbeddedFolder.webLibrary.bytes(of: "watchwise-sqlite.js")),
        module("watchwise-worker.js", EmbeddedFolder.webLibrary.bytes(of: "watchwise-worker.js")),
        File("watchwise.d.ts", type: "text/plain", EmbeddedFolder.webLibrary.bytes(of: "watchwise.d.ts")),
        module("watchwise.js", joined),
    ]

    /// The module before its comments and spaces are taken out.
    static let joined = ModuleJoin.bytes(of: "watchwise.js", among: modules)

    /// Browsers load it: it has no comments.
    private static func module(_ name: String, _ bytes: [UInt8]) -> File {
        File(name, type: "text/javascript", ModuleCompaction.compact(bytes))
    }

    /// The file with this name; nil when there is none.
    package static func file(named name: String) -> File? { files.first { $0.name == name } }

    private static let modules = Dictionary(
        uniqueKeysWithValues: EmbeddedFolder.webLibrary.names.map { ($0, EmbeddedFolder.webLibrary.bytes(of: $0)) }
    )
}
