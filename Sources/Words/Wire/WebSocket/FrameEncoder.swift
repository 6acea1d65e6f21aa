/// Makes WebSocket frames (RFC 6455 section 5.2): whole server frames that many connections share, or frames that are
/// appended to waiting output.
///
/// - Confinement: any
package enum FrameEncoder {
    /// The longest reason of a close frame, in bytes.
    package static let closeReasonBytesMax = 123

    /// A whole, unmasked text frame; `payload` is UTF-8.
    package static func text(_ payload: [UInt8]) -> [UInt8] {
        frame(.text, payload)
    }

    /// A whole, unmasked binary frame.
    package static func binary(_ payload: [UInt8]) -> [UInt8] {
        frame(.binary, payload)
    }

    /// A whole, unmasked ping; `payload` has at most 125 bytes.
    package static func ping(_ payload: [UInt8] = []) -> [UInt8] {
        frame(.ping, payload)
    }

    /// A whole, unmasked pong with the payload of the ping it answers.
    package static func pong(_ payload: [UInt8]) -> [UInt8] {
        frame(.pong, payload)
    }

    /// A whole, unmasked close frame.
    ///
    /// - Parameters:
    ///   - code: A code that may be sent (``WebSocketCloseCode/maySend(_:)``), or nil for an empty frame. The answer to
    ///     a close frame repeats the peer's code.
    ///   - reason: Cut to 123 bytes at the end of a character.
    package static func close(code: UInt16?, reason: String = "") -> [UInt8] {
        var bytes: [UInt8] = []
        appendClose(code: code, reason: reason, to: &bytes)
        return bytes
    }

    /// Appends a close frame; see ``close(code:reason:)``.
    ///
    /// - Parameter maskingKey: four random bytes on a client, nil on a server.
    package static func appendClose(
        code: UInt16?,
        reason: String = "",
        maskingKey: UInt32? = nil,
        to bytes: inout [UInt8]
    ) {
        var payload: [UInt8] = []
        if let code {
            precondition(WebSocketCloseCode.maySend(code), "this close code must not be sent")
            payload.append(UInt8(truncatingIfNeeded: code >> 8))
            payload.append(UInt8(truncatingIfNeeded: code))
            for scalar in reason.unicodeScalars {
                guard payload.count + UTF8.width(scalar) <= closeReasonBytesMax + 2 else { break }
                payload.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
            }
        }
        append(.close, payload, maskingKey: maskingKey, to: &bytes)
    }

    /// Appends one frame.
    ///
    /// - Parameters:
    ///   - opcode: The kind; `continuation` for all frames of a message except its first.
    ///   - payload: At most 125 bytes for a control frame.
    ///   - isFinal: false for all frames of a message except its last; always true for control frames.
    ///   - isCompressed: Sets RSV1 on the first frame of a compressed message, if compression was negotiated.
    ///   - maskingKey: Four random bytes on a client (RFC 6455 section 5.3), nil on a server.
    ///   - bytes: The frame is appended to these.
    package static func append(
        _ opcode: WebSocketOpcode,
        _ payload: [UInt8],
        isFinal: Bool = true,
        isCompressed: Bool = false,
        maskingKey: UInt32? = nil,
        to bytes: inout [UInt8]
    ) {
        precondition(!opcode.isControl || (payload.count <= 125 && isFinal), "a control frame is short and whole")
        bytes.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
        let maskBit: UInt8 = maskingKey == nil ? 0 : 0x80
        switch payload.count {
        case ...125:
            bytes.append(maskBit | UInt8(truncatingIfNeeded: payload.count))
        case ...0xFFFF:
            bytes.append(maskBit | 126)
            appendBigEndian(UInt16(truncatingIfNeeded: payload.count), to: &bytes)
        default:
            bytes.append(maskBit | 127)
            appendBigEndian(UInt64(payload.count), to: &bytes)
        }
        if let maskingKey {
            appendBigEndian(maskingKey, to: &bytes)
            payload.withRawSpan { Masking.append($0, key: maskingKey, phase: 0, to: &bytes) }
        } else {
            bytes.append(contentsOf: payload)
        }
    }

    /// A whole, unmasked frame with a compressed message, if compression was negotiated (RFC 7692 section 6).
    package static func compressed(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> [UInt8] {
        frame(opcode, payload, isCompressed: true)
    }

    private static func frame(
        _ opcode: WebSocketOpcode,
        _ payload: [UInt8],
        isCompressed: Bool = false
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + 10)
        append(opcode, payload, isCompressed: isCompressed, to: &bytes)
        return bytes
    }

    private static func appendBigEndian(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
