import Compression
import Crypto
import EventLoop
import Feeds
import JournalLink
import Outbound
import Store

/// The versions of the libraries at run time, which may differ from those at build time.
///
/// - Confinement: any
package enum LinkedLibraries {
    /// A library, with its name for people, its name for programs and its version.
    ///
    /// - Confinement: any
    package struct Library: Sendable {
        package let name: String
        package let key: String
        package let version: String
    }

    /// All of them.
    ///
    /// - Parameter allocator: the version of jemalloc, which the program alone has.
    package static func all(allocator: String) -> [Library] {
        [
            Library(name: "libuv", key: "libuv", version: Loop.libraryVersion),
            Library(name: "OpenSSL", key: "openssl", version: TLSContext.libraryVersion),
            Library(name: "SQLite", key: "sqlite", version: Storage.libraryVersion),
            Library(name: "libcurl", key: "libcurl", version: OutboundClient.libraryVersion),
            Library(name: "zlib", key: "zlib", version: CompressionLibrary.version),
            Library(name: "expat", key: "expat", version: FeedLibrary.version),
            Library(name: "libnats", key: "libnats", version: JournalClient.libraryVersion),
            Library(name: "jemalloc", key: "jemalloc", version: allocator),
        ]
    }

    /// The version of Swift's standard library: the toolchain's, but for corrections of the compiler alone.
    package static var swift: String { "\(_SwiftStdlibVersion.current)" }
}
