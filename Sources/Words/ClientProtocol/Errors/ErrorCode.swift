/// A generic client's action after an error, also for an unknown code (see Commands.md).
///
/// - Confinement: any
package enum ErrorClass: String, Sendable, Hashable, CaseIterable {
    /// Give up and tell the user.
    case permanent
    /// Repeat with the same key, with backoff and jitter; the outcome is not known, and the key makes the repetition
    /// harmless.
    case retry
    /// Get a new token and repeat.
    case auth
    /// Wait `retryAfterMs`, then repeat.
    case limit
}

/// Why a command was refused, for programs; the raw value is the text on the wire.
///
/// - Confinement: any
package enum ErrorCode: String, Sendable, Hashable, CaseIterable {
    case badRequest = "bad-request"
    case unknownCommand = "unknown-command"
    case forbidden
    case blocked
    case notFound = "not-found"
    case tooLarge = "too-large"
    case conflict
    /// The same key was used for other content.
    case keyReused = "key-reused"

    case unavailable
    case timeout
    case `internal`

    case unauthenticated
    case tokenExpired = "token-expired"
    case tokenRevoked = "token-revoked"

    case rateLimited = "rate-limited"
    case tooMany = "too-many"

    package var errorClass: ErrorClass {
        switch self {
        case .badRequest, .unknownCommand, .forbidden, .blocked, .notFound, .tooLarge, .conflict, .keyReused: .permanent
        case .unavailable, .timeout, .internal: .retry
        case .unauthenticated, .tokenExpired, .tokenRevoked: .auth
        case .rateLimited, .tooMany: .limit
        }
    }
}
