import ClientProtocol
package import Model

/// The variants of the publication that is being delivered for receivers which it does not interrupt: each is made when
/// the first such receiver is found, once for each language and reason, and shared by all receivers of the loop.
///
/// - Confinement: loop
package struct SilentPublications {
    private var position: Position?
    private var made: [Variant] = []

    private struct Variant {
        let language: LanguageTag?
        let reason: Silence
        let framed: FramedPublication
    }

    package init() {}

    /// The publication for a receiver of `language` which it does not interrupt, for a reason.
    package mutating func variant(
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
