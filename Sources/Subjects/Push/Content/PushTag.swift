import Crypto
import Digits
package import Model

/// The name under which platforms keep a push: a later push with the same tag replaces the earlier one.
///
/// It is an HMAC, because a provider that reads it must not be able to guess the topic or the chat. The first 32
/// characters of base64url are valid everywhere: the field `Topic` of Web Push takes exactly this alphabet and length
/// (RFC 8030, section 5.4), `apns-collapse-id` takes 64 bytes, and Android takes any text.
///
/// - Confinement: any
package struct PushTag: Sendable, Hashable, CustomStringConvertible {
    private static let characterCount = 32

    /// The tag as it is sent.
    package let text: String

    /// A tag that was stored; nil when it has another form.
    package init?(stored text: String) {
        let isTag =
            text.utf8.count == Self.characterCount
            && Identifier.matches(text, lengthMax: Self.characterCount, extra: Identifier.base64URLExtra)
        guard isTag else { return nil }
        self.text = text
    }

    fileprivate init(digest: [UInt8]) {
        text = String(decoding: Base64.url.encode(digest).prefix(Self.characterCount), as: UTF8.self)
    }

    package var description: String { text }
}

/// The key of all tags of a server. It stays the same for good: with another one no push would replace an earlier one.
///
/// - Confinement: any
package struct PushTagKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    /// - Parameter bytes: 32 bytes, derived from the server's secret for this purpose alone.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == 32, "the key of the tags has 32 bytes")
        self.bytes = bytes
    }

    /// The tag of a notification.
    ///
    /// - Parameters:
    ///   - topic: in the form for clients, `person:525`.
    ///   - collapse: The name that later notifications share, or else the notification's id.
    package func tag(topic: String, collapse: String) -> PushTag {
        PushTag(digest: HMAC.sha256(key: bytes, message: Array("\(topic)\u{0}\(collapse)".utf8)))
    }

    /// The tag of a chat's messages: one push for each chat, the newest message. No topic contains the text that is
    /// signed here, because it has no NUL.
    package func tag(chat: ChatID) -> PushTag {
        PushTag(digest: HMAC.sha256(key: bytes, message: Array("chat:\(chat.text)".utf8)))
    }

    /// The name of the type, without the key.
    package var description: String { "PushTagKey" }

    /// Hides the key from `dump` and debuggers.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
