import Compression
import Configuration
import Fanout
import Mail
import Model
import Wire

/// What receivers are sent of the publication that is being delivered, where it is not its plain frame: made when the first
/// receiver wants it, and shared by all of the loop that want the same. Of those whose frames are compressed, these are
/// nearly all: they forget their windows after each message.
///
/// - Confinement: loop
struct SharedFrames {
    private var position: Position?
    private var made: [Frame] = []

    private enum Form: Equatable {
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

    private mutating func frame(
        of framed: FramedPublication, for language: LanguageTag?, as form: Form,
        _ make: (_ json: [UInt8], LanguageTag?) -> [UInt8]
    ) -> [UInt8] {
        // What was made for some of its receivers bears their language alone, and is still another one than for others.
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
    var isSameForAll: Bool {
        if case .same = self { true } else { false }
    }
}

extension Session {
    /// One message as it is sent to this client.
    ///
    /// - Parameters:
    ///   - name: of the event that it is; asked for only where it is sent.
    ///   - position: up to which the client has everything when it has this; nil when it does not say so.
    func frame(
        _ json: [UInt8], named name: @autoclosure () -> EventName?, at position: Position? = nil
    ) -> [UInt8] {
        if case .serverSentEvents(let stream) = framing {
            return stream.event(json, named: name(), at: eventID(position))
        }
        guard let compression, json.count >= Limits.compressedBytesMin, let payload = compression.compress(json) else {
            return FrameEncoder.text(json)
        }
        return FrameEncoder.compressed(.text, payload)
    }

    private func eventID(_ position: Position?) -> Position? { identity?.withholdsIDs == true ? nil : position }

    /// A publication as it is sent to this client.
    func frame(_ framed: FramedPublication, for language: LanguageTag?) -> [UInt8] {
        if case .serverSentEvents(let stream) = framing {
            let hasID = eventID(framed.publication.position) != nil
            return server.sharedFrames.event(of: framed, for: language, in: stream, hasID: hasID)
        }
        guard let compression else { return framed.frame[language] }
        let json = framed.publication.payload[language]
        guard json.count >= Limits.compressedBytesMin else { return framed.frame[language] }
        guard let windowBits = compression.sharedWindowBits else { return frame(json, named: framed.publication.name) }
        return server.sharedFrames.compressed(
            of: framed, for: language, windowBits: windowBits, streams: server.streams)
    }
}

extension LoopServer {
    /// What is made of the extensions that a client offered; nil when the connection stays uncompressed.
    func acceptCompression(
        _ offered: [WebSocketExtension], isEcho: Bool
    ) -> (compression: ConnectionCompression, answer: String)? {
        let policy: PerMessageDeflatePolicy
        switch settings.configuration.compression {
        case .off: return nil
        // Conformance suites try all that there is.
        case _ where isEcho: policy = PerMessageDeflatePolicy(takesServerContext: true, clientContext: .always)
        case .shared: policy = PerMessageDeflatePolicy()
        case .context:
            policy = PerMessageDeflatePolicy(
                takesServerContext: true, clientContext: .unlessHinted, windowBitsMax: Limits.contextWindowBitsMax)
        }
        return ConnectionCompression.accept(offered, policy: policy, streams: streams, budget: settings.contextBudget)
    }
}
