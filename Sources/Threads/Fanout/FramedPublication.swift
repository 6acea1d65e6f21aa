package import Model
import Wire

/// A publication with its frame: encoded and framed once, for all loops and all receivers.
///
/// A class, so that each place that holds one costs a pointer.
///
/// - Confinement: any
package final class FramedPublication: Sendable {
    package let publication: Publication
    /// The event's bytes inside a WebSocket text frame.
    package let frame: Publication.Payload
    /// Why it does not interrupt the receivers for whom it was made; nil when it was made for all receivers.
    package let silence: Silence?
    /// The number of steps that it counts as among the recent commits.
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
