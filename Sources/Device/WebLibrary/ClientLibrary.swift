import ClientProtocol
import Crypto
import Digits
import EmbeddedFiles

/// The library for browsers and Node: ES modules without dependencies, with their types and maps to their sources. One of them,
/// `watchwise.js`, is all that a page begins with; it loads the others where they are needed. `deploy/library` makes them from the
/// sources in `Files`, which an application gets, too, so that a debugger shows them.
///
/// - Confinement: any
package enum ClientLibrary {
    /// A file as it is served and written to a folder.
    ///
    /// - Confinement: any
    package struct File: Sendable {
        /// Its place in the folder: `watchwise.js`, `src/core.js`.
        package let name: String
        /// Its media type.
        package let type: String
        package let bytes: [UInt8]
        /// The entity tag: a value that changes with the file (RFC 9110, section 8.8.3).
        package let tag: String

        init(_ name: String, _ bytes: [UInt8]) {
            self.name = name
            type =
                name.hasSuffix(".js") ? "text/javascript" : name.hasSuffix(".map") ? "application/json" : "text/plain"
            self.bytes = bytes
            tag =
                "\"" + String(decoding: Hexadecimal.encode(Array(Digest.sha256(bytes).prefix(12))), as: UTF8.self)
                + "\""
        }
    }

    /// The files, in the order of their names.
    package static let files = (built + types + sources).sorted { $0.name < $1.name }

    /// The modules that an application loads: those without folders.
    package static let modules = files.filter { $0.name.hasSuffix(".js") && !$0.name.contains("/") }

    /// The file with this name; nil when there is none.
    package static func file(named name: String) -> File? { files.first { $0.name == name } }

    private static let folder = EmbeddedFolder.webLibrary

    private static var built: [File] {
        folder.names.filter { $0.hasPrefix("Built/") && $0 != "Built/made-from.txt" }
            .map { File(String($0.dropFirst("Built/".count)), folder.bytes(of: $0)) }
    }

    private static var types: [File] {
        folder.names.filter { $0.hasSuffix(".d.ts") || $0 == "README.md" }.map { File($0, folder.bytes(of: $0)) }
            + [File("watchwise-protocol.d.ts", TypeScript.bytes)]
    }

    /// The maps name them.
    private static var sources: [File] {
        folder.names.filter { $0.hasSuffix(".js") && !$0.contains("/") }.map { File("src/\($0)", folder.bytes(of: $0)) }
    }
}
