import Model

/// How much the messages of one connection may grow to when they are inflated: what one byte may become is bounded over
/// the connection's life, so that a little traffic cannot keep a loop busy.
///
/// - Confinement: any
struct InflationAllowance {
    private var bytesLeft = Int32(Limits.inflatedBytesFree)

    /// So many bytes arrived.
    mutating func received(_ bytes: Int) {
        let more = Int(bytesLeft) + bytes * Limits.inflatedBytesPerByte
        bytesLeft = Int32(clamping: min(more, Limits.inflatedBytesFree))
    }

    /// A message of so many bytes was inflated.
    ///
    /// - Returns: false when that is too much by now.
    mutating func inflated(_ bytes: Int) -> Bool {
        bytesLeft = Int32(clamping: Int(bytesLeft) - bytes)
        return bytesLeft >= 0
    }
}
