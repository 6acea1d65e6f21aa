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

    /// A sentence for a log line.
    package var description: String {
        switch self {
        case .protocol(let error): error.code == 0 ? "the TLS connection broke" : error.reason
        case .certificateRefused(let code): "the certificate is not accepted: \(TLSFailure.sentence(code))"
        case .truncated: "the connection ended without a farewell"
        }
    }

    private static func sentence(_ code: Int) -> String {
        unsafe X509_verify_cert_error_string(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}
