package import Model
import Wire

/// A publication with its frame: encoded and framed once, for all loops and all receivers.
///
/// A class, so that a step of a commit, and every holder of one, needs only a pointer.
///
/// - Confinement: any
package final class FramedPublication: Sendable {
    package let publication: Publication
    /// The event's bytes inside a WebSocket text frame.
    package let frame: Publication.Payload
    /// The reason why it does not interrupt the receivers for whom it was made; nil when it was made for all.
    package let silence: Silence?
    /// Its share of the bound on recent commits, in steps.
    package let cost: Int

    package init(_ publication: Publication, silence: Silence? = nil) {
        self.publication = publication
        self.silence = silence
        let framed: Publication.Payload =
            switch publication.payload {
            case .same(let json): .same(FrameEncoder.text(json))
            case .localized(let texts):
                .localized(
                    Localized(
                        fallback: FrameEncoder.text(texts.fallback),
                        byLanguage: texts.byLanguage.mapValues { FrameEncoder.text($0) }))
            }
        frame = framed
        cost = 1 + framed[nil].count / Limits.recentStepBytes
    }
}
