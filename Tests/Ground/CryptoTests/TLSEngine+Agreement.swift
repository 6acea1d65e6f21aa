import COpenSSL
@testable import Crypto

/// The agreement of the two ends, as OpenSSL tells it.
extension TLSEngine {
    /// The version spoken; nil before the handshake.
    var version: TLSVersion? {
        guard let ssl = unsafe ssl, unsafe SSL_is_init_finished(ssl) == 1 else { return nil }
        return unsafe TLSVersion(code: SSL_version(ssl))
    }

    /// OpenSSL's name of the suite, such as `TLS_AES_256_GCM_SHA384`; nil before the handshake.
    var suite: String? {
        guard let ssl = unsafe ssl, let cipher = unsafe SSL_get_current_cipher(ssl) else { return nil }
        return unsafe String(cString: SSL_CIPHER_get_name(cipher))
    }

    /// The protocol that ALPN chose, such as `http/1.1`; nil when the client offered nothing.
    var applicationProtocol: String? {
        guard let ssl = unsafe ssl else { return nil }
        var name: UnsafePointer<UInt8>?
        var size: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl, &name, &size)
        guard size > 0, let name = unsafe name else { return nil }
        return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(size)), as: UTF8.self)
    }

    /// The host name that the client asked for (SNI); nil when it asked for an address.
    var serverName: String? {
        guard let ssl = unsafe ssl else { return nil }
        return unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { unsafe String(cString: $0) }
    }
}
