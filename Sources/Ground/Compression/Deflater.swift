import CZlib

/// A zlib stream that deflates the messages of a WebSocket (RFC 7692 section 7.2.1).
///
/// A stream without a context serves any number of connections, and its output fits all of them. A secret and a text of
/// an attacker should not share a context (CRIME, BREACH): without context takeover, every message is compressed by
/// itself.
///
/// - Confinement: loop
@safe
package final class Deflater {
    /// On the heap, at a fixed address: zlib checks that its state points back to the stream.
    private let stream: UnsafeMutablePointer<z_stream>
    private let memory = StreamMemory()
    private let keepsContext: Bool

    /// A new stream.
    ///
    /// - Parameters:
    ///   - windowBits: 9–15; zlib supports no smaller window.
    ///   - keepsContext: Whether a message may refer to earlier ones; then the stream serves one connection.
    ///   - level: From 1, fast, to 9, small.
    package init(windowBits: Int = 15, keepsContext: Bool = false, level: Int = Deflater.defaultLevel) {
        precondition((9...15).contains(windowBits), "a deflating window has 9 to 15 bits")
        unsafe stream = memory.makeStream()
        self.keepsContext = keepsContext
        let code = unsafe watchwise_deflate_init_raw(
            stream,
            Int32(truncatingIfNeeded: level),
            Int32(truncatingIfNeeded: windowBits),
            Self.memoryLevel
        )
        precondition(code == Z_OK, "zlib cannot make a deflating stream: \(code)")
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
        memory.deallocate()
    }

    /// The bytes that zlib has allocated for this stream.
    package var bytesHeld: Int { memory.bytes }

    /// zlib's own choice between speed and size.
    package static let defaultLevel = 6
    /// The size of the hash table, which is cleared before each message without a context: 2^(n + 7) entries.
    private static let memoryLevel: Int32 = 5

    /// The bytes of a stream that keeps its context: zlib's window and chains, its hash table and symbols, its state.
    package static func contextBytes(windowBits: Int) -> Int {
        1 << (windowBits + 2) + 1 << (Int(memoryLevel) + 9) + 6 * 1024
    }

    /// The payload of the compressed message, without the four bytes that are cut off (section 7.2.1).
    ///
    /// It may be longer than a message of random bytes; the caller decides whether to send it.
    package func compress(_ message: [UInt8]) -> [UInt8] {
        // A flush without new input gives nothing; this is an empty block, which does not change the context (section
        // 7.2.3.6).
        guard !message.isEmpty else { return [0x00] }
        if !keepsContext { unsafe deflateReset(stream) }
        var payload: [UInt8] = []
        var taken = 0
        var isWhole = false
        while !isWhole {
            let room = min(max(64, (message.count - taken) / 2 + 32), Int(UInt32.max >> 1))
            let step = unsafe stream.step(message, from: taken, appendingAtMost: room, to: &payload) { stream in
                unsafe deflate(stream, Z_SYNC_FLUSH)
            }
            precondition(step.code == Z_OK || step.code == Z_BUF_ERROR, "zlib cannot deflate: \(step.code)")
            taken += step.taken
            // If the buffer is not full, the flush is complete.
            isWhole = step.made < room && taken == message.count
        }
        payload.removeLast(4)
        return payload
    }
}

@available(*, unavailable)
extension Deflater: Sendable {}
