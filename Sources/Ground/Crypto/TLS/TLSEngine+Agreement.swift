import COpenSSL

/// The agreement of the two ends; complete when the engine is open, empty when it is closed.
extension TLSEngine {
    /// Whether an earlier session was resumed, without a new signature.
    package var isResumed: Bool {
        guard let ssl = unsafe ssl else { return false }
        return unsafe SSL_session_reused(ssl) == 1
    }

    /// A client's session to resume later; nil as long as the server has sent no ticket.
    ///
    /// In TLS 1.3 tickets come after the handshake: ask when the connection ends.
    package var session: TLSSession? {
        guard let ssl = unsafe ssl, let session = unsafe SSL_get1_session(ssl) else { return nil }
        let owned = unsafe TLSSession(owning: session)
        return unsafe SSL_SESSION_is_resumable(session) == 1 ? owned : nil
    }
}
