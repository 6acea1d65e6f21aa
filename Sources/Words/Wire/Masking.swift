/// The XOR of payloads with the masking key (RFC 6455 section 5.3), eight bytes at a time.
///
/// This is the only file of the module in which `unsafe` is allowed. A byte loop over safe spans takes 150–190 ns for
/// 200 bytes here, words take 3–4 ns, and every message of a client passes through. All loads and stores are inside of
/// their buffers: the loop's bounds come from the source's count, and the destination is made with that count as its
/// capacity.
///
/// - Confinement: any
enum Masking {
    /// The payload unmasked into a new array, with one allocation, and whether all of it is ASCII.
    ///
    /// The ASCII answer is a by-product of the same pass (the words are or-ed together): ASCII text needs no further
    /// UTF-8 check.
    /// - Parameters:
    ///   - source: The payload as received.
    ///   - key: The masking key, its first byte on the wire in the top bits; 0 copies.
    ///   - key: the masking key, its first byte on the wire in the top bits; 0 copies.
    static func unmasked(_ source: RawSpan, key: UInt32) -> (payload: [UInt8], isASCII: Bool) {
        var seen: UInt64 = 0
        let count = source.byteCount
        let payload = [UInt8](capacity: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
                if let start = buffer.baseAddress {
                    seen = unsafe apply(key, to: source, writing: UnsafeMutableRawPointer(start))
                    initializedCount = count
                }
            }
        }
        return (payload, seen & 0x8080_8080_8080_8080 == 0)
    }

    /// Appends the XOR of `source` and `key` to `target`.
    ///
    /// - Parameters:
    ///   - source: Some bytes of a payload.
    ///   - key: The masking key, its first byte on the wire in the top bits; 0 copies.
    ///   - phase: How many bytes of the payload came before `source`.
    ///   - target: The result is appended to these; the array grows geometrically.
    static func append(_ source: RawSpan, key: UInt32, phase: Int, to target: inout [UInt8]) {
        let count = source.byteCount
        let rotated = key << (8 * UInt32(phase & 3)) | key >> ((32 - 8 * UInt32(phase & 3)) & 31)
        target.append(addingCapacity: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
                if let start = buffer.baseAddress, count > 0 {
                    let free = unsafe UnsafeMutableRawPointer(start + initializedCount)
                    _ = unsafe apply(phase & 3 == 0 ? key : rotated, to: source, writing: free)
                    initializedCount += count
                }
            }
        }
    }

    /// Writes the XOR to `target`, which has room for all of `source`, and returns the or of all words written.
    @inline(__always)
    private static func apply(
        _ key: UInt32,
        to source: RawSpan,
        writing target: UnsafeMutableRawPointer
    ) -> UInt64 {
        let half = UInt64(key.bigEndian)
        let word = half << 32 | half
        let count = source.byteCount
        var seen: UInt64 = 0
        var offset = 0
        while offset &+ 8 <= count {
            let value = unsafe source.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self) ^ word
            seen |= value
            unsafe target.storeBytes(of: value, toByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        while offset < count {
            let shift = 24 &- 8 &* UInt32(truncatingIfNeeded: offset & 3)
            let mask = UInt8(truncatingIfNeeded: key >> shift)
            let value = unsafe source.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self) ^ mask
            seen |= UInt64(value)
            unsafe target.storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
            offset &+= 1
        }
        return seen
    }
}

// The standard library has no safe load from a `RawSpan` yet. Both loads are checked against the span's bounds, and
// every bit pattern is a valid value of the two types, so they are safe.
extension RawSpan {
    /// The byte at `offset`; traps outside of the span.
    @inlinable
    @inline(__always)
    package func byte(at offset: Int) -> UInt8 {
        unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// The eight bytes from `offset` on, in memory order; traps outside of the span.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}

extension [UInt8] {
    /// Lends the array's bytes as a span, for the parsers of this module.
    ///
    /// `Span.bytes` counts as unsafe because an element may have padding; a byte has none.
    @inline(__always)
    package func withRawSpan<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(span.bytes)
    }

    /// Appends a copy of `bytes`.
    package mutating func append(copying bytes: RawSpan) {
        Masking.append(bytes, key: 0, phase: 0, to: &self)
    }
}
