import Digits
public import Foundation
import JSON

/// A push as the server meant it: opened, when it was sealed.
///
/// ```swift
/// let push = try PushMessage(userInfo: content.userInfo, keys: keys)
/// ```
/// - Confinement: any
public struct PushMessage: Sendable, Hashable {
    /// How much it may interrupt a person.
    /// - Confinement: any
    public enum Level: String, Sendable, Hashable {
        case passive, active, critical
        case timeSensitive = "time-sensitive"
    }

    /// The version of the envelope that this library knows.
    private static let version: Int64 = 1

    /// Nil when the push shows nothing: it only takes others away.
    public let title: String?
    public let body: String?
    /// The language of the texts (BCP 47).
    public let language: String?
    /// `n4711` for a notification, `m4711` for a message; nil when the push only takes others away.
    public let id: String?
    /// `release`, or `message`; nil when the push is hidden.
    public let kind: String?
    /// `person:525`; nil when the push is hidden.
    public let topic: String?
    /// The chat of a message; nil when the push is hidden.
    public let chat: String?
    /// The number of a message in its chat.
    public let n: Int64?
    public let level: Level
    /// The name under which the system shows it: a later push with this name takes its place.
    public let tag: String?
    /// After this time it shows nothing any more.
    public let expires: Date?
    /// The number on the icon: unread chats and notifications.
    public let badge: Int
    /// The names of shown pushes that were read or taken back, to remove from the screen.
    public let gone: [String]
    /// The data that the application gave with the notification, as JSON text.
    public let data: String?
    /// Whether only its id is known, since its content was not to pass through Apple: ``fetched(from:token:within:)`` brings it.
    public let isHidden: Bool

    /// Reads a push as the system hands it to an application or an extension.
    /// - Parameter keys: of this device; nil when it never registered any.
    /// - Throws: ``PushError``. Show the system's text then, which is a generic one.
    public init(userInfo: [AnyHashable: Any], keys: PushKeys?) throws(PushError) {
        let members = userInfo.reduce(into: [String: Any]()) { object, member in
            if let name = member.key as? String { object[name] = member.value }
        }
        guard JSONSerialization.isValidJSONObject(members),
            let json = try? JSONSerialization.data(withJSONObject: members)
        else { throw .malformed("it is no JSON object") }
        try self.init(json: json, keys: keys)
    }

    /// Reads a push as it came over the line.
    /// - Parameter json: the object that Apple's service was given.
    /// - Throws: ``PushError``.
    public init(json: Data, keys: PushKeys?) throws(PushError) {
        let payload = try Self.object(Array(json))
        guard let sealed = payload.string("sealed") else {
            try self.init(texts: payload["aps"]?["alert"]?.objectValue ?? [:], payload, isOpened: false)
            return
        }
        guard let keys else { throw .sealed }
        guard let bytes = Base64.url.decode(Array(sealed.utf8)), let message = SealedMessage(bytes) else {
            throw .malformed("`sealed` has another form")
        }
        guard let plaintext = message.opened(with: keys) else { throw .notOpened }
        let opened = try Self.object(plaintext)
        try self.init(texts: opened, opened, isOpened: true)
    }

    /// - Parameters:
    ///   - texts: with `title` and `body`.
    ///   - payload: with the envelope `ww`.
    private init(texts: JSONObject, _ payload: JSONObject, isOpened: Bool) throws(PushError) {
        guard let envelope = payload["ww"]?.objectValue else { throw .malformed("`ww` is missing") }
        guard let version = envelope["v"]?.integerValue else { throw .malformed("`ww.v` is missing") }
        guard version == Self.version else {
            throw .malformed("its version is \(version), and this library knows version \(Self.version)")
        }
        title = texts.string("title")
        body = texts.string("body")
        language = texts.string("lang")
        id = envelope.string("id")
        kind = envelope.string("kind")
        topic = envelope.string("topic")
        chat = envelope.string("chat")
        n = envelope["n"]?.integerValue
        level = envelope.string("level").flatMap(Level.init) ?? .active
        tag = envelope.string("tag")
        expires = envelope.string("exp").flatMap(Self.date)
        badge = Int(clamping: max(0, envelope["badge"]?.integerValue ?? 0))
        gone = envelope["gone"]?.arrayValue?.compactMap(\.stringValue) ?? []
        data = envelope["data"]?.text
        isHidden = !isOpened && id != nil && kind == nil && topic == nil && chat == nil
    }

    /// A notification as the server answers it, in place of a hidden push.
    init(_ notification: JSONObject, of push: PushMessage) {
        title = notification.string("title")
        body = notification.string("body")
        language = nil
        id = push.id
        kind = notification.string("kind")
        topic = notification.string("topic")
        chat = nil
        n = nil
        level = notification.string("level").flatMap(Level.init) ?? push.level
        tag = push.tag
        expires = notification.string("expires").flatMap(Self.date) ?? push.expires
        badge = push.badge
        gone = push.gone
        data = notification["data"]?.text
        isHidden = false
    }

    /// Whether its time is over: some push services keep messages longer than asked.
    public func isOver(at now: Date = .now) -> Bool { expires.map { $0 <= now } ?? false }

    private static func object(_ bytes: [UInt8]) throws(PushError) -> JSONObject {
        guard let object = (try? JSONValue(parsing: bytes))?.objectValue else {
            throw .malformed("it is no JSON object")
        }
        return object
    }

    /// RFC 3339 with milliseconds, as the server writes times.
    private static func date(_ text: String) -> Date? {
        try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
