import COpenSSL

/// Why a TLS connection ended without a farewell.
/// - Confinement: any
package enum TLSFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The peer broke the protocol, refused us by an alert, or speaks something else.
    case `protocol`(TLSError)
    /// A client does not accept the server's certificate; the code is OpenSSL's `X509_V_ERR_…`.
    case certificateRefused(code: Int)
    /// The transport ended without `close_notify`: bytes may be missing (RFC 8446, section 6.1).
    case truncated
    /// A client's first message announces more than 16 KiB.
    case helloTooLong
    /// A client sent records without content, such as new keys, one after the other.
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

    /// Why a certificate is not accepted, for the reasons that somebody can do something about.
    /// - Confinement: any
    package enum Refusal: Sendable, Hashable {
        /// Its time is over.
        case expired
        /// Its time has not begun.
        case notYetValid
        /// It is for another name.
        case otherName
        /// No trusted authority has signed it.
        case unknownIssuer
        /// A bad signature, a weak key, a wrong purpose.
        case other
    }

    /// The reason; nil when the certificate was not the cause.
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

    /// Whether the peer does not speak TLS at all.
    package var isOtherProtocol: Bool {
        guard case .protocol(let error) = self else { return false }
        return [SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST]
            .contains(PEM.reason(of: error.code))
    }
}
