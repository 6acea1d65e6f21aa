import Model
import Wire

/// The events a fresh connection finds in `pieces`.
func webSocketEvents(
    _ pieces: [[UInt8]],
    role: WebSocketConnection.Role = .server,
    messageBytesMax: Int = 1_000_000,
    decompressor: (any MessageDecompressor)? = nil
) -> [WebSocketEvent] {
    var connection = WebSocketConnection(role: role, messageBytesMax: messageBytesMax)
    var events: [WebSocketEvent] = []
    for piece in pieces { connection.receive(piece, decompressor: decompressor, into: &events) }
    return events
}

/// The events of a fresh request parser that continues after each request; the pieces of a body are joined.
func requestEvents(_ pieces: [[UInt8]], limits: HTTPLimits = HTTPLimits()) -> [HTTPRequestEvent] {
    var parser = HTTPRequestParser(limits: limits)
    var joined: [HTTPRequestEvent] = []
    for piece in pieces {
        var events: [HTTPRequestEvent] = []
        parser.receive(piece, into: &events)
        while let event = events.first {
            events.removeFirst()
            if case .body(let more) = event, case .body(let body)? = joined.last {
                joined[joined.count - 1] = .body(body + more)
            } else {
                joined.append(event)
            }
            if event == .end { parser.nextRequest(into: &events) }
        }
    }
    return joined
}

/// The events of a request given as text.
func requestEvents(_ text: String, limits: HTTPLimits = HTTPLimits()) -> [HTTPRequestEvent] {
    requestEvents([Array(text.utf8)], limits: limits)
}

/// The status of the first violation.
func violationStatus(_ events: some Sequence<HTTPRequestEvent>) -> Int? {
    for case .violation(let status, _) in events { return status }
    return nil
}

/// The first head among the events.
func requestHead(_ events: [HTTPRequestEvent]) -> HTTPRequestHead? {
    for case .head(let head) in events { return head }
    return nil
}

/// The events a fresh response parser finds in `pieces`, the pieces of a body joined; `isEnded` adds the close.
func responseEvents(
    _ pieces: [[UInt8]],
    isHeadRequest: Bool = false,
    isEnded: Bool = false
) -> [HTTPResponseEvent] {
    var parser = HTTPResponseParser(isHeadRequest: isHeadRequest)
    var events: [HTTPResponseEvent] = []
    for piece in pieces { parser.receive(piece, into: &events) }
    if isEnded { parser.receiveEnd(into: &events) }
    var joined: [HTTPResponseEvent] = []
    for event in events {
        if case .body(let more) = event, case .body(let body)? = joined.last {
            joined[joined.count - 1] = .body(body + more)
        } else {
            joined.append(event)
        }
    }
    return joined
}

/// A frame in the form of a client.
func masked(
    _ opcode: WebSocketOpcode,
    _ payload: [UInt8],
    isFinal: Bool = true,
    isCompressed: Bool = false
) -> [UInt8] {
    var bytes: [UInt8] = []
    FrameEncoder.append(
        opcode,
        payload,
        isFinal: isFinal,
        isCompressed: isCompressed,
        maskingKey: 0x37FA_213D,
        to: &bytes
    )
    return bytes
}

/// A text frame in the form of a client.
func masked(_ opcode: WebSocketOpcode, _ text: String, isFinal: Bool = true) -> [UInt8] {
    masked(opcode, Array(text.utf8), isFinal: isFinal)
}
