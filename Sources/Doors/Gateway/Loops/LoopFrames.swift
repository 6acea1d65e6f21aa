import Compression
import Fanout
import Model
import Wire

/// Bytes that many sessions of one loop are sent, made once for all of them.
///
/// - Confinement: loop
final class LoopFrames {
    var counts = CountFrames()
    var shared = SharedFrames()
    var silent = SilentPublications()
    /// The compression of the connections that forget their windows after each message.
    let streams = SharedStreams()
}

@available(*, unavailable)
extension LoopFrames: Sendable {}

extension SharedFrames {
    /// The compressed frame for a receiver, or the plain one where compressing it does not pay.
    mutating func compressed(
        of framed: FramedPublication, for language: LanguageTag?, windowBits: Int, streams: SharedStreams
    ) -> [UInt8] {
        frame(of: framed, for: language, as: .compressed(windowBits: windowBits)) { json, language in
            let payload = streams.deflater(windowBits: windowBits).compress(json)
            return payload.count < json.count ? FrameEncoder.compressed(.text, payload) : framed.frame[language]
        }
    }

    /// The event for a receiver of a stream of events.
    ///
    /// - Parameter hasID: whether it says up to where the client has everything.
    mutating func event(
        of framed: FramedPublication, for language: LanguageTag?, in stream: EventStream, hasID: Bool
    ) -> [UInt8] {
        frame(of: framed, for: language, as: .event(isChunked: stream.isChunked, hasID: hasID)) { json, _ in
            stream.event(json, named: framed.publication.name, at: hasID ? framed.publication.position : nil)
        }
    }
}
