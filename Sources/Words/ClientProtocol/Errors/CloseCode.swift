/// Why a WebSocket connection ends: the codes of RFC 6455, section 7.4.1, and our own. The range of a code tells the
/// client what to do.
///
/// - Confinement: any
package enum CloseCode: UInt16, Sendable, Hashable, CaseIterable {
    case normal = 1000
    case goingAway = 1001
    case protocolError = 1002
    case unsupportedData = 1003
    /// Never sent: the peer's close frame had no code.
    case noStatus = 1005
    /// Never sent: the connection ended without a close frame.
    case abnormal = 1006
    case invalidPayload = 1007
    case policyViolation = 1008
    case messageTooBig = 1009
    case mandatoryExtension = 1010
    case internalError = 1011

    case misuse = 4400
    case unauthenticated = 4401
    case kicked = 4403
    case noHello = 4408
    /// A newer connection of the same device replaced this one.
    case replaced = 4409

    case serverError = 4500
    case drain = 4501
    case overloaded = 4503
    /// The socket accepted no bytes for too long.
    case stalled = 4509
    case noPong = 4510
    case flooding = 4529

    /// The client's action after a close, also for an unknown code.
    package enum Advice: Sendable, Hashable {
        /// Connect again with backoff and jitter, and resume.
        case reconnect
        /// 44xx: do not connect again unless something has changed (a new token, another device id, a `hello` in time,
        /// a corrected client).
        case stayAway
        /// 45xx: connect again after the announced delay and jitter.
        case reconnectAfterDelay
    }

    /// The advice for any code, by its range.
    package static func advice(for code: UInt16) -> Advice {
        switch code {
        case 4400...4499: .stayAway
        case 4500...4599: .reconnectAfterDelay
        default: .reconnect
        }
    }

    package var advice: Advice { Self.advice(for: rawValue) }

    /// The text of the close frame and of `bye`.
    package var reason: String {
        switch self {
        case .normal: "normal"
        case .goingAway: "going away"
        case .protocolError: "protocol error"
        case .unsupportedData: "unsupported data"
        case .noStatus: "no status"
        case .abnormal: "abnormal"
        case .invalidPayload: "invalid payload"
        case .policyViolation: "policy violation"
        case .messageTooBig: "message too big"
        case .mandatoryExtension: "mandatory extension"
        case .internalError: "internal error"
        case .misuse: "misuse"
        case .unauthenticated: "unauthenticated"
        case .kicked: "kicked"
        case .noHello: "no hello"
        case .replaced: "replaced"
        case .serverError: "internal"
        case .drain: "drain"
        case .overloaded: "overloaded"
        case .stalled: "stalled"
        case .noPong: "no pong"
        case .flooding: "flooding"
        }
    }
}
