/// Whether and how WebSocket messages are compressed (RFC 7692).
///
/// - Confinement: any
package enum CompressionMode: String, Sendable, Hashable, CaseIterable {
    /// Not at all.
    case off
    /// Every message by itself: an idle connection costs no memory, and a message for many is compressed once.
    case shared
    /// With a window kept for each connection as long as memory for windows lasts: smaller messages, compressed for each
    /// connection. Somebody who can write to a user and sees the lengths can guess what other texts the user gets.
    case context
}
