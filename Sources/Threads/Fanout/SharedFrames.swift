package import Model

/// The forms of the publication that is being delivered which differ from its plain frame: each is made when the first
/// receiver needs it, and shared by all receivers of the loop that need the same. Nearly all receivers with compression
/// share one: they forget their windows after each message.
///
/// - Confinement: loop
package struct SharedFrames {
    private var position: Position?
    private var made: [Frame] = []

    /// How the publication is laid out.
    package enum Form: Sendable, Equatable {
        case compressed(windowBits: Int)
        /// A Server-Sent Event. All streams of a server have its epoch.
        case event(isChunked: Bool, hasID: Bool)
    }

    private struct Frame {
        let silence: Silence?
        let language: LanguageTag?
        let form: Form
        let bytes: [UInt8]
    }

    package init() {}

    /// The publication in a form, for a receiver of a language.
    ///
    /// - Parameter make: makes it of the event in the receiver's language, which is nil where all languages have the same.
    package mutating func frame(
        of framed: FramedPublication, for language: LanguageTag?, as form: Form,
        _ make: (_ json: [UInt8], LanguageTag?) -> [UInt8]
    ) -> [UInt8] {
        // A variant that was made for some receivers has only their language, and still differs from the one for others.
        let isForAll = framed.silence == nil && framed.publication.payload.isSameForAll
        let language = isForAll ? nil : language
        if position != framed.publication.position {
            position = framed.publication.position
            made.removeAll(keepingCapacity: true)
        }
        for frame in made where frame.form == form && frame.language == language && frame.silence == framed.silence {
            return frame.bytes
        }
        let bytes = make(framed.publication.payload[language], language)
        made.append(Frame(silence: framed.silence, language: language, form: form, bytes: bytes))
        return bytes
    }
}

extension Publication.Payload {
    /// Whether the reader's language makes no difference.
    package var isSameForAll: Bool {
        if case .same = self { true } else { false }
    }
}
