import COpenSSL

/// What a client keeps of a connection to resume it with the next one, which saves the server a signature.
/// - Confinement: any
@safe
package final class TLSSession: Sendable {
    /// `SSL_SESSION`, of which a reference is held; not written to.
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
