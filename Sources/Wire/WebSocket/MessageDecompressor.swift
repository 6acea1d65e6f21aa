/// The inflating half of a negotiated message compression (RFC 7692 section 7.2.2), handed to
/// ``WebSocketConnection/receive(_:decompressor:into:)`` by the connection's owner.
///
/// It is a parameter rather than a part of the connection because it wraps a C library's stream and because, without
/// context takeover, one stream can serve all sessions of a loop: a compressed message is therefore handed over whole,
/// and nothing of one session stays inside between two calls unless the owner gives each session its own.
///
/// - Confinement: loop
package protocol MessageDecompressor: AnyObject {
    /// Inflates one whole message.
    ///
    /// - Parameters:
    ///   - payload: the message's frames joined, without the four bytes `00 00 FF FF` that the sender cut off.
    ///   - bytesMax: the largest message that is taken; inflating must stop as soon as it is passed.
    func decompress(_ payload: [UInt8], bytesMax: Int) throws(MessageDecompressionError) -> [UInt8]
}

/// Why a compressed message was refused.
///
/// - Confinement: any
package enum MessageDecompressionError: Error, Sendable, Hashable {
    /// The bytes are no deflate stream: closes with 1007.
    case malformed
    /// The message is larger than `bytesMax`: closes with 1009.
    case tooBig
}
