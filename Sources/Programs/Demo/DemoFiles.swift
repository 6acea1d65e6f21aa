import EmbeddedFiles

/// The files of the demo's pages, with what a browser must know about each.
///
/// - Confinement: any
enum DemoFiles {
    /// A file as it is served.
    ///
    /// - Confinement: any
    struct File: Sendable {
        /// Its media type.
        let type: String
        let bytes: [UInt8]
        /// The entity tag: a value that changes with the file (RFC 9110, section 8.8.3).
        let tag: String
        let isWorker: Bool

        init(_ path: String) {
            let ending = path.split(separator: ".").last.map(String.init) ?? ""
            type = DemoFiles.types[ending] ?? "application/octet-stream"
            let bytes = EmbeddedFolder.demoPages.bytes(of: path)
            self.bytes = bytes
            // FNV-1a: the tag must change with the file, and nothing more.
            let sum = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            tag = "\"\(String(sum, radix: 16))\""
            isWorker = path == "worker.js"
        }
    }

    /// The one page, which shows the application of the stage.
    static let page = File("page.html")

    /// The file at a path of the server; nil when there is none.
    static func file(at path: String) -> File? {
        guard path.hasPrefix("/demo/") else { return nil }
        return files[String(path.dropFirst("/demo/".count))]
    }

    private static let types = [
        "html": "text/html", "js": "text/javascript", "css": "text/css", "json": "application/json",
        "png": "image/png", "svg": "image/svg+xml",
    ]

    /// By their places in the folder `Pages`.
    private static let files = Dictionary(
        uniqueKeysWithValues: EmbeddedFolder.demoPages.names.map { ($0, File($0)) }
    )
}
