import Compression
import Fanout
import Model
import Wire

/// Compressed frames of the publication that is being delivered: made when the first receiver wants one, and shared by
/// all of the loop that forget their windows after each message, which are nearly all.
///
/// - Confinement: loop
struct CompressedFrames {
    private var position: Position?
    private var made: [Frame] = []

    private struct Frame {
        let silence: Silence?
        let language: LanguageTag?
        let windowBits: Int
        let bytes: [UInt8]
    }

    /// The frame for a receiver, or the plain one where compressing it does not pay.
    mutating func frame(
        of framed: FramedPublication, for language: LanguageTag?, windowBits: Int, streams: SharedStreams
    ) -> [UInt8] {
        // What was made for some of its receivers bears their language alone, and is still another one than for others.
        let isForAll = framed.silence == nil && framed.publication.payload.isSameForAll
        let language = isForAll ? nil : language
        if position != framed.publication.position {
            position = framed.publication.position
            made.removeAll(keepingCapacity: true)
        }
        for frame in made
        where frame.windowBits == windowBits && frame.language == language && frame.silence == framed.silence {
            return frame.bytes
        }
        let json = framed.publication.payload[language]
        let payload = streams.deflater(windowBits: windowBits).compress(json)
        let bytes =
            payload.count < json.count ? FrameEncoder.compressed(.text, payload) : framed.frame[language]
        made.append(Frame(silence: framed.silence, language: language, windowBits: windowBits, bytes: bytes))
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
    /// - Parameter position: up to which the client has everything when it has this; nil when it does not say so.
    func frame(_ json: [UInt8], at position: Position? = nil) -> [UInt8] {
        if case .serverSentEvents(let stream) = framing { return stream.event(json, at: position) }
        guard let compression, json.count >= Limits.compressedBytesMin, let payload = compression.compress(json) else {
            return FrameEncoder.text(json)
        }
        return FrameEncoder.compressed(.text, payload)
    }

    /// A publication as it is sent to this client.
    func frame(_ framed: FramedPublication, for language: LanguageTag?) -> [UInt8] {
        if case .serverSentEvents(let stream) = framing {
            return stream.event(framed.publication.payload[language], at: framed.publication.position)
        }
        guard let compression else { return framed.frame[language] }
        let json = framed.publication.payload[language]
        guard json.count >= Limits.compressedBytesMin else { return framed.frame[language] }
        guard let windowBits = compression.sharedWindowBits else { return frame(json) }
        return server.compressedFrames.frame(
            of: framed, for: language, windowBits: windowBits, streams: server.streams)
    }
}

extension LoopServer {
    /// What is made of the extensions that a client offered; nil when the connection stays uncompressed.
    func acceptCompression(
        _ offered: [WebSocketExtension], isEcho: Bool
    ) -> (compression: ConnectionCompression, answer: String)? {
        let policy: PerMessageDeflatePolicy
        switch settings.compression {
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
