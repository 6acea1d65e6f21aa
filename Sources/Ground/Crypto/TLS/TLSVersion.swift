import COpenSSL

/// The accepted versions of TLS; older ones are broken (RFC 8996).
/// - Confinement: any
package enum TLSVersion: String, Sendable, Hashable, CaseIterable {
    /// RFC 5246.
    case v12 = "TLSv1.2"
    /// RFC 8446.
    case v13 = "TLSv1.3"

    /// OpenSSL's number.
    var code: Int32 {
        switch self {
        case .v12: TLS1_2_VERSION
        case .v13: TLS1_3_VERSION
        }
    }

    init?(code: Int32) {
        switch code {
        case TLS1_2_VERSION: self = .v12
        case TLS1_3_VERSION: self = .v13
        default: return nil
        }
    }
}
