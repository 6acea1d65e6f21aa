import ClientProtocol
import Fanout
import Model

/// An event for those who are online, encoded and framed once for each language.
///
/// - Confinement: loop
final class NoticeFrames {
    /// - Confinement: loop
    private struct Variant: Hashable {
        let language: LanguageTag?
        let silence: Silence?
    }

    let notice: OnlineNotice
    private var made: [Variant: FramedSignal] = [:]

    init(_ notice: OnlineNotice) { self.notice = notice }

    /// The event in a language.
    ///
    /// - Parameter silence: why it does not interrupt its reader; nil when it does.
    func signal(in language: LanguageTag?, because silence: Silence?) -> FramedSignal {
        let variant = Variant(language: notice.payload.isSameForAll ? nil : language, silence: silence)
        if let known = made[variant] { return known }
        let json = notice.payload[language]
        let signal = FramedSignal(
            EncodedEvent(notice.name, json: silence.map { NotificationBody.silenced(json, because: $0) } ?? json))
        made[variant] = signal
        return signal
    }
}

@available(*, unavailable)
extension NoticeFrames: Sendable {}
