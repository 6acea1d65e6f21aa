import Model
import Quotas

/// How much the messages of one connection may grow to when they are inflated: what one byte may become is bounded over
/// the connection's life, and what goes beyond that over all connections of its user, so that a little traffic cannot
/// keep a loop busy.
///
/// - Confinement: any
struct InflationAllowance {
    private var bytesLeft = Int32(CompressionLimits.inflatedBytesUnknown)

    /// Bytes arrived.
    mutating func received(_ bytes: Int) {
        let more = Int(bytesLeft) + bytes * CompressionLimits.inflatedBytesPerByte
        bytesLeft = Int32(clamping: min(more, CompressionLimits.inflatedBytesFree))
    }

    /// A message was inflated to this size.
    ///
    /// - Parameters:
    ///   - account: of the connection's user, if that is known.
    ///   - now: monotonic milliseconds.
    /// - Returns: false when that is too much by now.
    mutating func inflated(_ bytes: Int, for account: UserAccount?, at now: Int64) -> Bool {
        let left = Int(bytesLeft) - bytes
        bytesLeft = Int32(clamping: max(0, left))
        return left >= 0 || account?.takeInflated(-left, at: now) == true
    }
}
