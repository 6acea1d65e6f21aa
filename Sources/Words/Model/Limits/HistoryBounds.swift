/// The bounds of the history of documents. Only versions larger than most commands count.
///
/// - Confinement: any
package struct HistoryBounds: Sendable {
    /// Versions up to this size are not counted: the command that replaced one took about as many bytes, and most
    /// documents are smaller.
    package static let smallBytesMax = 1024
    /// Bytes of the large versions of one document: the newest sixty-four of the largest.
    package var path: Int64 = 4 * 1024 * 1024
    /// Bytes of the large versions that one user has replaced; writes of administrators and feeds count only for the
    /// other bounds.
    package var user: Int64 = 16 * 1024 * 1024
    /// Bytes of all large versions.
    package var all: Int64 = 1024 * 1024 * 1024

    package init() {}
}
