import CUV

/// A wrapper of a libuv handle, to which the handle's `data` points. The loop closes it when it ends.
/// - Confinement: loop
protocol LoopHandle: AnyObject {
    /// Closes the handle for good; without effect if it is already closing.
    func close()
}

/// Casts a handle to `uv_handle_t`, the common beginning of libuv's structs.
@unsafe
func asHandle<Kind>(_ pointer: UnsafeMutablePointer<Kind>) -> UnsafeMutablePointer<uv_handle_t> {
    unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: uv_handle_t.self)
}

/// Casts a handle to `uv_stream_t`.
@unsafe
func asStream(_ pointer: UnsafeMutablePointer<uv_tcp_t>) -> UnsafeMutablePointer<uv_stream_t> {
    unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: uv_stream_t.self)
}

/// The wrapper object in a handle's `data`.
@unsafe
func owner<Wrapper: AnyObject>(
    of pointer: UnsafeMutableRawPointer?,
    as kind: Wrapper.Type = Wrapper.self
) -> Wrapper? {
    guard let pointer = unsafe pointer else { return nil }
    return unsafe Unmanaged<Wrapper>.fromOpaque(pointer).takeUnretainedValue()
}
