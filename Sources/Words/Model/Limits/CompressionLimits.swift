/// The bounds of compressed messages, each with its reason.
///
/// - Confinement: any
package enum CompressionLimits {
    /// Bytes of a message below which it is sent uncompressed: at 200 bytes deflate saves a fifth in 4 µs, at 300 a
    /// third.
    package static let compressedBytesMin = 256
    /// Bytes of all windows that are kept for single connections; beyond this no more are kept.
    package static let contextBytesMax = 64 * 1024 * 1024
    /// A kept window has 2^n bytes: 4 KiB hold about the last ten messages, for 50 KiB of memory a connection.
    package static let contextWindowBitsMax = 12
    /// Bytes of a compressed connection that are inflated together: they grow at most a thousandfold.
    package static let compressedPieceBytes = 128
    /// How many bytes one compressed byte may inflate to in the long run; JSON does not reach 20.
    package static let inflatedBytesPerByte = 30
    /// Inflated bytes beyond that for one user, over all connections: eight messages of the largest size in a row,
    /// which take a loop a few milliseconds.
    package static let inflatedBytesFree = 1024 * 1024
    /// How much of it is available again after each second.
    package static let inflatedBytesPerSecond = 256 * 1024
    /// Inflated bytes beyond that on a connection without a known user: a few hellos.
    package static let inflatedBytesUnknown = 32 * 1024
}
