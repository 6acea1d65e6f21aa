import COpenSSL

/// A session that a client keeps, to resume it with its next connection; that saves the server a signature.
/// - Confinement: any
@safe
package final class TLSSession: Sendable {
    /// `SSL_SESSION`; this object holds one reference and never writes to it.
    nonisolated(unsafe) let handle: OpaquePointer

    /// Takes over a reference.
    @unsafe
    init(owning handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        unsafe SSL_SESSION_free(handle)
    }
}
