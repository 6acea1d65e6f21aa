import JSON
package import Model

/// One push to one device, before it takes the form of a platform: the texts in the language of its reader, and the
/// envelope.
///
/// - Confinement: any
package struct PushContent: Sendable, Hashable {
    package var kind: PushKind
    package var title: String
    package var body: String
    /// The language of the texts.
    package var language: LanguageTag?
    /// The language of the reader, for the generic text in place of a hidden content; the texts' own when it is nil.
    package var readerLanguage: LanguageTag?
    /// The address of the web app that a click opens; nil when none is known.
    package var open: WebAddress?
    /// When the push is over; see ``PushLifetime``.
    package var ends: Timestamp
    package var envelope: PushEnvelope

    package init(
        _ kind: PushKind, title: String, body: String, language: LanguageTag?, open: WebAddress?, ends: Timestamp,
        envelope: PushEnvelope
    ) {
        self.kind = kind
        self.title = title
        self.body = body
        self.language = language
        self.open = open
        self.ends = ends
        self.envelope = envelope
    }

    /// A push that takes earlier ones away and shows nothing.
    package static func withdrawal(_ envelope: PushEnvelope, ends: Timestamp) -> PushContent {
        PushContent(.withdrawal, title: "", body: "", language: nil, open: nil, ends: ends, envelope: envelope)
    }

    /// How it behaves on the device.
    package var urgency: PushUrgency { PushUrgency(kind, envelope.entry?.level ?? .active) }

    /// The address that a click opens: the web app reads the entry's id from the fragment, which no server sees.
    var navigate: String? {
        guard let open, let entry = envelope.entry else { return nil }
        return "\(open.text)#ww=\(entry.id)"
    }

    /// The group on the screen: the chat, or else the topic.
    var thread: String? { envelope.entry?.chat?.text ?? envelope.entry?.topic }

    /// The same push for a device that shows nothing of its content: a generic text, and an envelope that names only
    /// the entry.
    package var hidden: PushContent {
        var content = self
        content.envelope.entry = envelope.entry?.withoutContent
        guard kind != .withdrawal else { return content }
        let text = GenericText.of(isMessage: envelope.entry?.isMessage ?? false)[readerLanguage ?? language]
        content.title = text.title
        content.body = ""
        content.language = text.language
        return content
    }

    /// Texts and envelope alone: what is sealed for a device, and what counts against the bound of FCM.
    ///
    /// An app that decrypts this shows it by itself, so it also names the channel.
    var plainJSON: [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        if kind != .withdrawal {
            writer.member("title", title)
            if !body.isEmpty { writer.member("body", body) }
            if let language { writer.member("lang", language.text) }
            writer.member("channel", urgency.channel)
        }
        writer.name("ww")
        envelope.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}
