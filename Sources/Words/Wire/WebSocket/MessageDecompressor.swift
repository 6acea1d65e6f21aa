/// Inflates messages when compression was negotiated (RFC 7692 section 7.2.2); the connection's owner passes it to
/// ``WebSocketConnection/receive(_:decompressor:into:)``.
///
/// It is a parameter and not a part of the connection, because it wraps the stream of a C library, and because without
/// context takeover one stream can serve all sessions of a loop. So it gets each compressed message completely, and
/// keeps nothing of a session between two calls unless the owner gives each session its own.
///
/// - Confinement: loop
package protocol MessageDecompressor: AnyObject {
    /// Inflates one whole message.
    ///
    /// - Parameters:
    ///   - payload: The joined frames of the message, without the four bytes `00 00 FF FF` that the sender cut off.
    ///   - bytesMax: The largest accepted message; inflating must stop as soon as it is exceeded.
    func decompress(_ payload: [UInt8], bytesMax: Int) throws(MessageDecompressionError) -> [UInt8]
}

/// Why a compressed message was refused.
///
/// - Confinement: any
package enum MessageDecompressionError: Error, Sendable, Hashable {
    /// The bytes are not a deflate stream: closes with 1007.
    case malformed
    /// The message is larger than `bytesMax`: closes with 1009.
    case tooBig
}
