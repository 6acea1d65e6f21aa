import Configuration
import JSON
import Model
import Notifying
import Push
import Store
import Triggers

/// Everything that a push to the devices of one user says, before it takes the language of a device.
///
/// - Confinement: any
struct PushMaterial: Sendable {
    /// The texts and their languages.
    enum Texts: Sendable {
        case notification(StoredTexts)
        case message(title: String, body: String)
        /// Something is taken away.
        case nothing
    }

    let kind: PushKind
    let user: UserEntry
    let texts: Texts
    let entry: PushEntry?
    /// When the entry was written.
    let at: Timestamp
    /// The notification's own end.
    let expires: Timestamp?
    /// When the push is over.
    let ends: Timestamp
    let badge: Int64
    let epoch: Epoch

    /// The push for one device.
    ///
    /// - Parameters:
    ///   - gone: the removed entries to name.
    ///   - open: the address for devices that have named none.
    func content(for device: PushDeviceEntry, gone: [PushTag], open: WebAddress?) -> PushContent {
        let reader = user.language(onDevice: device.registration.language)
        let envelope = PushEnvelope(epoch: epoch, at: at, expires: expires, badge: badge, gone: gone, entry: entry)
        let (title, body, language) = texts(for: reader)
        var content = PushContent(
            kind, title: title, body: body, language: language,
            open: device.registration.open.flatMap(WebAddress.init) ?? open, ends: ends, envelope: envelope)
        content.readerLanguage = reader
        return content
    }

    private func texts(for reader: LanguageTag?) -> (title: String, body: String, language: LanguageTag?) {
        switch texts {
        case .notification(let stored):
            let text = stored.texts[reader]
            let title = text.title.isEmpty ? text.body : text.title
            return (title, text.title.isEmpty ? "" : text.body, stored.texts.language(for: reader))
        case .message(let title, let body): return (title, body, nil)
        case .nothing: return ("", "", nil)
        }
    }
}

extension Localized {
    /// The language of the value for `language`; nil when that is the default.
    func language(for language: LanguageTag?) -> LanguageTag? {
        var wanted = language
        while let tag = wanted {
            if byLanguage[tag] != nil { return tag }
            wanted = tag.wider
        }
        return nil
    }
}

extension PushBadge {
    /// The number on the icon.
    func count(_ unread: UnreadCounts) -> Int64 {
        switch self {
        case .both: unread.chats + unread.notifications
        case .chats: unread.chats
        case .notifications: unread.notifications
        }
    }
}
