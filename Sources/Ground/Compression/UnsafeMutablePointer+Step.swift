import CZlib

extension UnsafeMutablePointer<z_stream> {
    /// Gives a part of the input to zlib, and appends its output.
    ///
    /// - Parameters:
    ///   - offset: of the first byte that zlib has not taken yet.
    ///   - room: the most bytes to append; at most `UInt32.max / 2`, since zlib counts in 32 bits.
    ///   - run: The call of zlib.
    /// - Returns: zlib's code, and how many bytes it took and made.
    @unsafe
    func step(
        _ input: [UInt8],
        from offset: Int,
        appendingAtMost room: Int,
        to output: inout [UInt8],
        run: (Self) -> Int32
    ) -> (code: Int32, taken: Int, made: Int) {
        // zlib counts in 32 bits; the rest waits for the next step.
        let count = min(input.count - offset, Int(UInt32.max >> 1))
        var step = (code: Z_OK, taken: 0, made: 0)
        output.append(addingCapacity: room) { output in
            unsafe output.withUnsafeMutableBufferPointer { free, initializedCount in
                unsafe input.withUnsafeBufferPointer { bytes in
                    guard let start = bytes.baseAddress, let end = free.baseAddress else { return }
                    unsafe pointee.next_in = UnsafeMutablePointer<UInt8>(mutating: start + offset)
                    unsafe pointee.avail_in = UInt32(truncatingIfNeeded: count)
                    unsafe pointee.next_out = end + initializedCount
                    unsafe pointee.avail_out = UInt32(truncatingIfNeeded: room)
                    step.code = unsafe run(self)
                    step.taken = unsafe count - Int(pointee.avail_in)
                    step.made = unsafe room - Int(pointee.avail_out)
                    initializedCount += step.made
                    unsafe pointee.next_in = nil
                    unsafe pointee.next_out = nil
                }
            }
        }
        return step
    }
}
