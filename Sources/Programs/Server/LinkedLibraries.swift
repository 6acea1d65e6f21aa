import EventLoop
import JournalLink
import Outbound
import Store
import Crypto

/// The versions of the system's libraries at run time, which may differ from those at build time.
///
/// - Confinement: any
package enum LinkedLibraries {
    /// `SQLite 3.40.1, OpenSSL 3.0.17, libuv 1.44.2, libcurl 7.88.1, libnats 3.4.1`
    package static var text: String {
        "SQLite \(Storage.libraryVersion), OpenSSL \(TLSContext.libraryVersion), libuv \(Loop.libraryVersion), "
            + "libcurl \(OutboundClient.libraryVersion), libnats \(JournalClient.libraryVersion)"
    }
}
