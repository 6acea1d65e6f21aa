import Glibc

/// glibc's iconv, from an encoding to UTF-8.
///
/// It only gets names of ``EncodingNames``: glibc loads a file by the name, which must not come from outside, and it is never asked to
/// write an encoding.
///
/// - Confinement: any
enum SystemConverter {
    /// Bytes of output for one call: enough that calls cost little beside the work in them.
    private static let roomBytes = 16 << 10
    /// U+FFFD in UTF-8.
    private static let replacement: [UInt8] = [0xef, 0xbf, 0xbd]

    /// The text in UTF-8, with U+FFFD for each byte without a meaning; nil when the system does not have the encoding.
    static func utf8(_ bytes: [UInt8], from name: String) -> [UInt8]? {
        guard let handle = unsafe iconv_open("UTF-8", name), Int(bitPattern: handle) != -1 else { return nil }
        defer { unsafe iconv_close(handle) }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + bytes.count / 2)
        unsafe bytes.withUnsafeBytes { input in
            // iconv takes a pointer to bytes that may change, and changes none.
            var next = unsafe UnsafeMutableRawPointer(mutating: input.baseAddress)?.assumingMemoryBound(to: CChar.self)
            var left = input.count
            unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: roomBytes) { room in
                while left > 0 {
                    var end = room.baseAddress
                    var free = roomBytes
                    let isDone = unsafe iconv(handle, &next, &left, &end, &free) != -1
                    let code = errno
                    unsafe output.append(contentsOf: room.prefix(roomBytes - free).map { UInt8(bitPattern: $0) })
                    // Otherwise a byte means nothing, or the last character is cut.
                    guard !isDone, code != E2BIG else { continue }
                    output += replacement
                    unsafe next = next?.advanced(by: 1)
                    left -= 1
                }
                // Where marks follow their letter, iconv keeps the last letter until it knows that none follows.
                var end = room.baseAddress
                var free = roomBytes
                _ = unsafe iconv(handle, nil, nil, &end, &free)
                unsafe output.append(contentsOf: room.prefix(roomBytes - free).map { UInt8(bitPattern: $0) })
            }
        }
        return output
    }
}
