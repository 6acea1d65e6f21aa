import Compression
import Fanout
import Model
import Wire

/// How the messages of a session are laid out on its connection.
///
/// - Confinement: loop
enum Framing {
    /// Frames, compressed when the client asked for it.
    case webSocket(ConnectionCompression?)
    /// `GET /v1/events`: the same messages one way, and no replies.
    indirect case serverSentEvents(EventStream)

    /// Whether it takes WebSocket frames as they are.
    var isPlain: Bool {
        if case .webSocket(nil) = self { true } else { false }
    }

    /// Whether nothing is read from the client, so that it answers no ping and sees no close code.
    var isOneWay: Bool {
        if case .serverSentEvents = self { true } else { false }
    }

    /// Bytes that show now and then that the connection lives.
    var signOfLife: [UInt8] {
        switch self {
        case .webSocket: Self.ping
        case .serverSentEvents(let stream): stream.chunk(ServerSentEvent.comment)
        }
    }

    /// One message as it is sent to this client.
    ///
    /// - Parameters:
    ///   - name: the name of its event; computed only where it is sent.
    ///   - position: up to which the client has everything when it has this; nil when it does not say so.
    func frame(
        _ json: [UInt8], named name: @autoclosure () -> EventName?, at position: Position? = nil
    ) -> [UInt8] {
        switch self {
        case .serverSentEvents(let stream): return stream.event(json, named: name(), at: position)
        case .webSocket(let compression):
            guard let compression, json.count >= CompressionLimits.compressedBytesMin,
                let payload = compression.compress(json)
            else { return FrameEncoder.text(json) }
            return FrameEncoder.compressed(.text, payload)
        }
    }

    /// A publication as it is sent to this client.
    ///
    /// - Parameter hasID: whether an event says up to where the client has everything.
    func frame(
        _ framed: FramedPublication, for language: LanguageTag?, hasID: @autoclosure () -> Bool, _ frames: LoopFrames
    ) -> [UInt8] {
        switch self {
        case .serverSentEvents(let stream):
            return frames.shared.event(of: framed, for: language, in: stream, hasID: hasID())
        case .webSocket(nil): return framed.frame[language]
        case .webSocket(let compression?):
            let json = framed.publication.payload[language]
            guard json.count >= CompressionLimits.compressedBytesMin else { return framed.frame[language] }
            guard let windowBits = compression.sharedWindowBits else { return frame(json, named: nil) }
            return frames.shared.compressed(
                of: framed, for: language, windowBits: windowBits, streams: frames.streams)
        }
    }

    /// The last bytes of the connection.
    func end(_ code: UInt16?, _ reason: String) -> [UInt8] {
        switch self {
        case .webSocket: FrameEncoder.close(code: code, reason: reason)
        case .serverSentEvents(let stream): stream.isChunked ? HTTPChunk.last : []
        }
    }

    private static let ping = FrameEncoder.ping()
}

/// Messages as Server-Sent Events inside a response's body.
///
/// - Confinement: any
struct EventStream: Sendable {
    let epoch: Epoch
    /// False for HTTP/1.0, where the connection's end is the body's.
    let isChunked: Bool

    /// One message under the name of its event.
    ///
    /// - Parameters:
    ///   - name: nil for a message that is no event.
    ///   - position: up to which the client has everything when it has this; it comes back as `Last-Event-ID`.
    func event(_ json: [UInt8], named name: EventName?, at position: Position?) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            let id = position.map { "\(epoch.text).\($0.value)" }
            try ServerSentEvent.append(id: id, event: name?.rawValue, data: json, to: &bytes)
        } catch {
            preconditionFailure("an epoch and the name of an event have no line ends")
        }
        return chunk(bytes)
    }

    /// A piece of the body.
    func chunk(_ content: [UInt8]) -> [UInt8] {
        guard isChunked else { return content }
        var bytes: [UInt8] = []
        HTTPChunk.append(content, to: &bytes)
        return bytes
    }
}
