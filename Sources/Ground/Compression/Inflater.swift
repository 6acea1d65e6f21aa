import CZlib
package import Wire

/// A zlib stream that inflates the messages of a WebSocket (RFC 7692 section 7.2.2).
///
/// A stream without a context serves any number of connections, one message after the other.
///
/// - Confinement: loop
@safe
package final class Inflater: MessageDecompressor {
    /// On the heap, at a fixed address: zlib checks that its state points back to the stream.
    private let stream: UnsafeMutablePointer<z_stream>
    private let memory = StreamMemory()
    private let keepsContext: Bool

    /// A new stream.
    ///
    /// - Parameters:
    ///   - windowBits: 8–15; at least the window of the sender.
    ///   - keepsContext: Whether messages refer to earlier ones; then the stream serves one connection.
    package init(windowBits: Int = 15, keepsContext: Bool = false) {
        precondition((8...15).contains(windowBits), "an inflating window has 8 to 15 bits")
        unsafe stream = memory.makeStream()
        self.keepsContext = keepsContext
        let code = unsafe watchwise_inflate_init_raw(stream, Int32(truncatingIfNeeded: windowBits))
        precondition(code == Z_OK, "zlib cannot make an inflating stream: \(code)")
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
        memory.deallocate()
    }

    /// The bytes that zlib has allocated for this stream.
    package var bytesHeld: Int { memory.bytes }

    /// The bytes of a stream that keeps its context: the window and zlib's state (measured: 7.2 KiB, 1.2.13).
    package static func contextBytes(windowBits: Int) -> Int { 1 << windowBits + 7 * 1024 + 512 }

    /// Inflates one whole message.
    ///
    /// It never makes more than `bytesMax` + 1 bytes, whatever the size of the whole message.
    /// - Parameters:
    ///   - payload: The joined frames of the message, without the four bytes that the sender cut off. An empty payload
    ///     is read as the empty message: zlib's flush gives nothing without new input, and some senders send that.
    ///   - bytesMax: The largest allowed message.
    package func decompress(_ payload: [UInt8], bytesMax: Int) throws(MessageDecompressionError) -> [UInt8] {
        guard !payload.isEmpty else { return [] }
        var message: [UInt8] = []
        do throws(MessageDecompressionError) {
            try inflate(payload, into: &message, bytesMax: bytesMax)
            try inflate(Self.tail, into: &message, bytesMax: bytesMax)
            // After the tail, a block must begin without unused bits; otherwise the message is incomplete.
            let place = unsafe stream.pointee.data_type
            guard place & Self.isAtBlockStart != 0, place & Self.unusedBits == 0 else { throw .malformed }
        } catch {
            unsafe inflateReset(stream)
            throw error
        }
        if !keepsContext { unsafe inflateReset(stream) }
        return message
    }

    /// The bytes that the sender cut off: the end of an empty stored block.
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    private static let isAtBlockStart: Int32 = 128
    private static let unusedBits: Int32 = 63
    /// The least growth of the output buffer. The first size is estimated from the payload; then the buffer doubles.
    private static let growthBytesMin = 512
    private static let firstGrowthBytesMax = 16 * 1024

    private func inflate(
        _ input: [UInt8],
        into message: inout [UInt8],
        bytesMax: Int
    ) throws(MessageDecompressionError) {
        var taken = 0
        while true {
            let wanted =
                message.isEmpty
                ? min(input.count.multipliedReportingOverflow(by: 4).partialValue, Self.firstGrowthBytesMax)
                : message.count
            let room = min(max(wanted, Self.growthBytesMin), bytesMax + 1 - message.count, Int(UInt32.max >> 1))
            let step = unsafe stream.step(input, from: taken, appendingAtMost: room, to: &message) { stream in
                unsafe CZlib.inflate(stream, Z_SYNC_FLUSH)
            }
            taken += step.taken
            guard message.count <= bytesMax else { throw .tooBig }
            switch step.code {
            case Z_OK, Z_BUF_ERROR:
                // If the buffer is not full, all input was read and all output was written.
                if step.made < room { return }
            case Z_STREAM_END:
                // A final block ends only itself, not the message (section 7.2.3.4); the window is kept.
                unsafe inflateResetKeep(stream)
                if taken == input.count { return }
            default:
                throw .malformed
            }
        }
    }
}

@available(*, unavailable)
extension Inflater: Sendable {}
