import ClientProtocol
import Fanout
import Mail
import Model
import Services
import Telemetry

/// The publication that is being delivered, as those of its receivers get it whom it does not interrupt: made when the
/// first of them is met, once for each language and reason, and shared by all of the loop.
///
/// - Confinement: loop
struct SilentPublications {
    private var position: Position?
    private var made: [Variant] = []

    private struct Variant {
        let language: LanguageTag?
        let reason: Silence
        let framed: FramedPublication
    }

    /// The publication for a receiver of `language` whom it does not interrupt, for a reason.
    mutating func variant(
        of framed: FramedPublication, for language: LanguageTag?, because reason: Silence
    ) -> FramedPublication {
        let publication = framed.publication
        let language = publication.payload.isSameForAll ? nil : language
        if position != publication.position {
            position = publication.position
            made.removeAll(keepingCapacity: true)
        }
        for variant in made where variant.reason == reason && variant.language == language { return variant.framed }
        let json = NotificationBody.silenced(publication.payload[language], because: reason)
        let silent = Publication(
            position: publication.position, name: publication.name, stream: publication.stream, payload: .same(json),
            unread: publication.unread, broadcast: publication.broadcast, notification: publication.notification)
        let variant = FramedPublication(silent, silence: reason)
        made.append(Variant(language: language, reason: reason, framed: variant))
        return variant
    }
}

extension Session {
    /// What a receiver gets instead of a notification that does not interrupt him; nil for all that goes out as it is,
    /// which costs a look at a pointer.
    func silentVariant(of framed: FramedPublication, for identity: SessionIdentity) -> FramedPublication? {
        guard let facts = framed.publication.notification else { return nil }
        let beginsDigest = identity.digestFirst == framed.publication.position
        let own = identity.preferences?.readerReason(against: facts, beginsDigest: beginsDigest) { stream in
            server.hub.isSubscribed(address.slot, to: stream)
        }
        guard let reason = own ?? facts.silence else { return nil }
        server.settings.metrics.silenced.count(reason)
        guard reason != facts.silence else { return nil }
        return server.silentPublications.variant(of: framed, for: identity.language, because: reason)
    }
}
