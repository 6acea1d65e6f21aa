import COpenSSL

/// Why a TLS connection ended otherwise than by a farewell.
/// - Confinement: any
package enum TLSFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The peer broke the protocol, refused us by an alert, or speaks something else.
    case `protocol`(TLSError)
    /// A client does not believe whom it reached; the code is OpenSSL's `X509_V_ERR_…`.
    case certificateRefused(code: Int)
    /// The transport ended without `close_notify`: what came may not be all (RFC 8446, section 6.1).
    case truncated
    /// A client's first message announces more than 16 KiB.
    case helloTooLong
    /// A client sent one record without content after the other, such as new keys.
    case tooManyRecordsWithoutContent

    /// A sentence for a log line.
    package var description: String {
        switch self {
        case .protocol(let error): error.code == 0 ? "the TLS connection failed" : error.reason
        case .certificateRefused(let code): "the certificate is not accepted: \(TLSFailure.sentence(code))"
        case .truncated: "the connection ended without close_notify"
        case .helloTooLong: "the client's first message is too long"
        case .tooManyRecordsWithoutContent: "too many TLS records in a row had no content"
        }
    }

    private static func sentence(_ code: Int) -> String {
        unsafe X509_verify_cert_error_string(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }

    /// Why a certificate is not believed, as far as one can do something about it.
    /// - Confinement: any
    package enum Refusal: Sendable, Hashable {
        /// Its time is over.
        case expired
        /// Its time has not come.
        case notYetValid
        /// It is made out to somebody else.
        case otherName
        /// Nobody who is trusted vouches for it.
        case unknownIssuer
        /// A bad signature, a weak key, a wrong purpose.
        case other
    }

    /// Nil when it was not the certificate.
    package var refusal: Refusal? {
        guard case .certificateRefused(let code) = self else { return nil }
        return switch Int32(truncatingIfNeeded: code) {
        case X509_V_ERR_CERT_HAS_EXPIRED: .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .otherName
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            .unknownIssuer
        default: .other
        }
    }

    /// Whether what answered speaks no TLS at all.
    package var isOtherProtocol: Bool {
        guard case .protocol(let error) = self else { return false }
        return [SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST]
            .contains(PEM.reason(of: error.code))
    }
}
