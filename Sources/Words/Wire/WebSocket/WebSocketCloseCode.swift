/// The close codes that this module sends, and a check of those that a peer may send (RFC 6455 section 7.4).
///
/// - Confinement: any
package enum WebSocketCloseCode {
    /// The connection has done its work.
    package static let normal: UInt16 = 1000
    /// The peer broke the framing rules.
    package static let protocolError: UInt16 = 1002
    /// The payload does not fit the kind of message: text that is not UTF-8, or data that cannot be inflated.
    package static let invalidPayload: UInt16 = 1007
    /// The message is larger than accepted.
    package static let messageTooBig: UInt16 = 1009
    /// This side failed.
    package static let internalError: UInt16 = 1011

    /// Whether `code` is allowed in a close frame.
    ///
    /// 1004 is reserved. 1005, 1006 and 1015 only describe an end and are never sent. 1012–1014 were registered with
    /// IANA later. 1016–2999 are unassigned, and 3000–4999 belong to libraries and applications.
    package static func maySend(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
