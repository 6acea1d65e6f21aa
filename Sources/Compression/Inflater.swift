import CZlib
package import Wire

/// A zlib stream that inflates the messages of a WebSocket (RFC 7692 section 7.2.2).
///
/// One that keeps no context serves any number of connections, one message after the other.
///
/// - Confinement: loop
@safe
package final class Inflater: MessageDecompressor {
    /// On the heap for good: zlib checks that its state points back to the stream's address.
    private let stream: UnsafeMutablePointer<z_stream>
    private let memory = StreamMemory()
    private let keepsContext: Bool

    /// A new stream.
    ///
    /// - Parameters:
    ///   - windowBits: 8–15; at least what the sender compresses with.
    ///   - keepsContext: whether messages refer back to those before them; then the stream serves one connection.
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

    /// What zlib has taken for this stream.
    package var bytesHeld: Int { memory.bytes }

    /// What a stream that keeps its context takes: the window and zlib's state (measured: 7.2 KiB, 1.2.13).
    package static func contextBytes(windowBits: Int) -> Int { 1 << windowBits + 7 * 1024 + 512 }

    /// Inflates one whole message.
    ///
    /// No more than `bytesMax` + 1 bytes are ever made, however much the message would grow to.
    /// - Parameters:
    ///   - payload: the message's frames joined, without the four bytes that the sender cut off. An empty one is taken
    ///     as the empty message: zlib's own flush gives nothing when there is nothing new, and some senders send that.
    ///   - bytesMax: the largest message that is taken.
    package func decompress(_ payload: [UInt8], bytesMax: Int) throws(MessageDecompressionError) -> [UInt8] {
        guard !payload.isEmpty else { return [] }
        var message: [UInt8] = []
        do throws(MessageDecompressionError) {
            try inflate(payload, into: &message, bytesMax: bytesMax)
            try inflate(Self.tail, into: &message, bytesMax: bytesMax)
            // The tail is followed by the start of a block, without bits left over; anything else is an incomplete message.
            let place = unsafe stream.pointee.data_type
            guard place & Self.isAtBlockStart != 0, place & Self.unusedBits == 0 else { throw .malformed }
        } catch {
            unsafe inflateReset(stream)
            throw error
        }
        if !keepsContext { unsafe inflateReset(stream) }
        return message
    }

    /// What the sender cut off: the end of an empty stored block.
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    private static let isAtBlockStart: Int32 = 128
    private static let unusedBits: Int32 = 63
    /// Room that is made at a time: the first is a guess from the payload, then as much as there is already.
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
            let step = step(input, from: taken, appendingAtMost: room, to: &message)
            taken += step.taken
            guard message.count <= bytesMax else { throw .tooBig }
            switch step.code {
            case Z_OK, Z_BUF_ERROR:
                // With room left over, everything is taken and everything that could be made of it was made.
                if step.made < room { return }
            case Z_STREAM_END:
                // A final block ends only itself, not the message (section 7.2.3.4); the window stays.
                unsafe inflateResetKeep(stream)
                if taken == input.count { return }
            default:
                throw .malformed
            }
        }
    }

    private func step(
        _ input: [UInt8],
        from offset: Int,
        appendingAtMost room: Int,
        to message: inout [UInt8]
    ) -> (code: Int32, taken: Int, made: Int) {
        // zlib counts in 32 bits; what does not fit waits for the next step.
        let count = min(input.count - offset, Int(UInt32.max >> 1))
        var code = Z_OK
        var made = 0
        var taken = 0
        message.append(addingCapacity: room) { output in
            unsafe output.withUnsafeMutableBufferPointer { free, initializedCount in
                unsafe input.withUnsafeBufferPointer { bytes in
                    guard let start = bytes.baseAddress, let end = free.baseAddress else { return }
                    unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: start + offset)
                    unsafe stream.pointee.avail_in = UInt32(truncatingIfNeeded: count)
                    unsafe stream.pointee.next_out = end + initializedCount
                    unsafe stream.pointee.avail_out = UInt32(truncatingIfNeeded: room)
                    code = unsafe CZlib.inflate(stream, Z_SYNC_FLUSH)
                    taken = unsafe count - Int(stream.pointee.avail_in)
                    made = unsafe room - Int(stream.pointee.avail_out)
                    initializedCount += made
                    unsafe stream.pointee.next_in = nil
                    unsafe stream.pointee.next_out = nil
                }
            }
        }
        return (code, taken, made)
    }
}

@available(*, unavailable)
extension Inflater: Sendable {}
