import CZlib

/// zlib itself.
///
/// - Confinement: any
package enum CompressionLibrary {
    /// For example `1.2.13`.
    package static var version: String { unsafe String(cString: zlibVersion()) }
}
