import COpenSSL

/// The versions and algorithms that both ends accept: TLS 1.2 and 1.3, only suites with forward secrecy and authenticated
/// encryption.
///
/// The lists are Mozilla's "intermediate" ones without finite-field Diffie-Hellman.
/// - Confinement: any
enum TLSPolicy {
    /// Suites of TLS 1.3. OpenSSL would begin with AES-256 and SHA-384: slower, and no stronger with a key from X25519.
    static let suites13 = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"]
        .joined(separator: ":")
    /// Suites of TLS 1.2.
    static let suites12 = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    ].joined(separator: ":")
    /// The order of preference; nothing under 128 bits of strength.
    static let groups = "X25519:P-256:P-384"
    /// No SHA-1 and no SHA-224, which TLS 1.2 would still allow.
    static let signatures = [
        "ECDSA+SHA256", "ed25519", "rsa_pss_rsae_sha256", "rsa_pss_pss_sha256", "RSA+SHA256", "ECDSA+SHA384",
        "rsa_pss_rsae_sha384", "rsa_pss_pss_sha384", "RSA+SHA384", "ECDSA+SHA512", "rsa_pss_rsae_sha512",
        "rsa_pss_pss_sha512", "RSA+SHA512",
    ].joined(separator: ":")
    /// The protocol inside TLS: one entry of an ALPN list, with its length before it (RFC 7301, section 3.1).
    static let protocols: StaticString = "\u{8}http/1.1"
    /// For how long a ticket may be used, in seconds.
    static let sessionSeconds = 43_200

    /// Applies the policy to a fresh context.
    @unsafe
    static func apply(to context: OpaquePointer) throws(TLSError) {
        let modes = Int(SSL_MODE_RELEASE_BUFFERS)
        unsafe _ = SSL_CTX_ctrl(context, SSL_CTRL_MODE, modes, nil)
        unsafe SSL_CTX_set_options(
            context,
            watchwise_SSL_OP_NO_COMPRESSION | watchwise_SSL_OP_NO_RENEGOTIATION
                | watchwise_SSL_OP_CIPHER_SERVER_PREFERENCE | watchwise_SSL_OP_PRIORITIZE_CHACHA
        )
        // 112 bits at least: RSA from 2,048 bits on.
        unsafe SSL_CTX_set_security_level(context, 2)
        unsafe SSL_CTX_set_timeout(context, sessionSeconds)
        let isApplied =
            unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1
            && SSL_CTX_set_cipher_list(context, suites12) == 1
            && SSL_CTX_set_ciphersuites(context, suites13) == 1
            && setList(SSL_CTRL_SET_GROUPS_LIST, groups, on: context)
            && setList(SSL_CTRL_SET_SIGALGS_LIST, signatures, on: context)
        if !isApplied { throw .take() }
    }

    @unsafe
    private static func setList(_ command: Int32, _ list: String, on context: OpaquePointer) -> Bool {
        var text = Array(list.utf8CString)
        return unsafe SSL_CTX_ctrl(context, command, 0, &text) == 1
    }
}
