import Wire

/// Messages that a session has received and not acted on, since the turn was long already when a large one came.
///
/// - Confinement: loop
final class PostponedInput {
    private(set) var events: [WebSocketEvent]
    /// Bytes that came after them and are still compressed.
    private(set) var rest: [UInt8] = []

    init(_ events: ArraySlice<WebSocketEvent>) { self.events = Array(events) }

    func append(compressed bytes: RawSpan) { rest.append(copying: bytes) }

    var heldBytes: Int { events.reduce(rest.count) { $0 + $1.payloadBytes } }
}

@available(*, unavailable)
extension PostponedInput: Sendable {}

extension WebSocketEvent {
    fileprivate var payloadBytes: Int {
        switch self {
        case .text(let payload), .binary(let payload), .ping(let payload), .pong(let payload): payload.count
        case .close, .violation: 0
        }
    }
}
