import CZlib
internal import Glibc

/// Counts the memory of one zlib stream, where zlib allocates it.
///
/// - Confinement: loop
@safe
struct StreamMemory {
    /// On the heap: zlib gets its address.
    private let count: UnsafeMutablePointer<Int>

    init() {
        unsafe count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        unsafe count.initialize(to: 0)
    }

    /// The bytes that the stream holds now.
    var bytes: Int { unsafe count.pointee }

    /// A stream that is not initialised yet and takes its memory from here; the caller frees it before
    /// ``deallocate()``.
    func makeStream() -> UnsafeMutablePointer<z_stream> {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe stream.pointee.zalloc = Self.allocate
        unsafe stream.pointee.zfree = Self.free
        unsafe stream.pointee.opaque = UnsafeMutableRawPointer(count)
        return unsafe stream
    }

    func deallocate() { unsafe count.deallocate() }

    /// The size of a block is stored before it; 16 bytes keep the block aligned.
    private static let headBytes = 16

    /// zlib's `zalloc`.
    static let allocate: @convention(c) (UnsafeMutableRawPointer?, UInt32, UInt32) -> UnsafeMutableRawPointer? = {
        opaque,
        items,
        size in
        let bytes = Int(items) * Int(size) + headBytes
        guard let block = unsafe malloc(bytes) else { return nil }
        unsafe block.storeBytes(of: bytes, as: Int.self)
        unsafe opaque?.assumingMemoryBound(to: Int.self).pointee += bytes
        return unsafe block + headBytes
    }

    /// zlib's `zfree`.
    static let free: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = { opaque, address in
        guard let address = unsafe address else { return }
        let block = unsafe address - headBytes
        unsafe opaque?.assumingMemoryBound(to: Int.self).pointee -= block.load(as: Int.self)
        unsafe Glibc.free(block)
    }
}
