import ClientProtocol
import Compression
import Configuration
import EventLoop
import Model
import Quotas
import Wire

/// The receiver of a client's messages, see ``MessageReceiver``.
///
/// - Confinement: loop
protocol MessageClient: AnyObject {
    var door: SessionDoor { get }
    var tcp: TCPConnection { get }
    /// Nil when the client did not ask for compression, or the server does without.
    var compression: ConnectionCompression? { get }
    /// The account of the connection's user, if that is known.
    var inflationAccount: UserAccount? { get }
    var intake: MessageIntake { get set }
    var pace: CommandPace { get set }
    /// Whether nothing more is to be received.
    var isClosing: Bool { get }

    /// A message is whole.
    func receiveMessage(_ payload: [UInt8])

    /// Ends the connection with a close frame.
    func end(_ code: UInt16?, _ reason: String)

    /// The client sends more than a client does that waits when it is asked to.
    func flooded()

    /// A message is larger than may be inflated by now.
    func inflatedTooMuch()
}

/// Takes bytes from a WebSocket, and gives its client's messages on: in pieces where they are compressed, in a later turn
/// where this one is long.
///
/// - Confinement: loop
struct MessageReceiver<Client: MessageClient> {
    private let client: Client

    init(_ client: Client) { self.client = client }

    /// Takes the bytes of one read.
    func receive(_ bytes: RawSpan) {
        let door = client.door
        if client.compression == nil {
            var incoming = takeIncoming()
            client.intake.receive(bytes, into: &incoming)
            handle(incoming)
        } else {
            // Compressed bytes may grow a thousandfold, so they are taken piece by piece, and few of them are held at a time.
            client.intake.receivedCompressed(bytes.byteCount)
            inflate(bytes)
        }
        client.intake.noteUnfinished(at: door.loop.now, milliseconds: door.settings.configuration.requestMilliseconds)
        // A client that sends without reading its replies is not read from until it does: they must not pile up here.
        // Only congested connections are notified when that is over.
        let tcp = client.tcp
        if tcp.isCongested, tcp.queuedBytes > min(Limits.unreadRepliesBytesMax, tcp.loop.queueBytesMax) {
            tcp.pauseReading()
        }
    }

    /// The turn has come for what was left for a later one.
    func goOn() {
        guard let taken = client.intake.takePostponed() else { return }
        handle(each: taken.events)
        guard !client.isClosing, !taken.rest.isEmpty else { return }
        taken.rest.withRawSpan { again in
            if client.intake.isPostponed { client.intake.postpone(compressed: again) } else { inflate(again) }
        }
    }

    private func inflate(_ bytes: RawSpan) {
        var offset = 0
        while offset < bytes.byteCount, !client.isClosing {
            if !client.intake.isPostponed, client.door.loop.isTurnLong { postpone([]) }
            if client.intake.isPostponed { return client.intake.postpone(compressed: bytes.extracting(offset...)) }
            let end = min(offset + CompressionLimits.compressedPieceBytes, bytes.byteCount)
            var incoming = takeIncoming()
            client.intake.receive(bytes.extracting(offset..<end), client.compression?.inflater, into: &incoming)
            handle(incoming)
            offset = end
        }
    }

    /// Moves the loop's shared room out.
    private func takeIncoming() -> [WebSocketEvent] {
        var taken: [WebSocketEvent] = []
        swap(&taken, &client.door.incoming)
        return taken
    }

    /// Acts on what a read has brought, and gives the room back.
    private func handle(_ incoming: consuming [WebSocketEvent]) {
        handle(each: incoming)
        incoming.removeAll(keepingCapacity: true)
        client.door.incoming = incoming
    }

    private func handle(each incoming: [WebSocketEvent]) {
        var others = client.intake.takeFrameCount()
        var ping: [UInt8]?
        events: for (index, event) in incoming.enumerated() {
            guard !client.isClosing else { break }
            if client.pace.isFlooded { return client.flooded() }
            switch event {
            case .text(let payload):
                if postpones(payload, with: incoming[index...]) {
                    others -= incoming[index...].count { $0.isText }
                    break events
                }
                others -= 1
                client.intake.messageIsWhole()
                if mayInflate(payload) { client.receiveMessage(payload) } else { client.inflatedTooMuch() }
            case .binary: client.end(CloseCode.unsupportedData.rawValue, "messages are JSON text")
            case .ping(let payload): ping = payload
            case .pong: break
            case .close(let code, _): client.end(code, "")
            case .violation(let violation): client.end(violation.closeCode, violation.reason)
            }
        }
        // Of several pings the latest is answered (RFC 6455 section 5.5.3).
        if let ping, !client.isClosing { client.tcp.write(FrameEncoder.pong(ping)) }
        if others > 0 { client.pace.takeFrames(others, at: client.door.loop.now) }
        if client.pace.isFlooded { client.flooded() }
    }

    private func mayInflate(_ payload: [UInt8]) -> Bool {
        client.compression == nil
            || client.intake.mayInflate(
                to: payload.count, for: client.inflationAccount, at: client.door.loop.now)
    }

    /// Leaves a large message, and what came after it, for a later turn, where this one is long already: many that come at
    /// once must not keep others from their turn.
    private func postpones(_ payload: [UInt8], with incoming: ArraySlice<WebSocketEvent>) -> Bool {
        guard payload.count > Limits.bytesPerWeight, client.door.loop.isTurnLong else { return false }
        postpone(incoming)
        return true
    }

    private func postpone(_ incoming: ArraySlice<WebSocketEvent>) {
        client.intake.postpone(incoming)
        client.tcp.yieldTurn()
    }
}

extension WebSocketEvent {
    fileprivate var isText: Bool {
        if case .text = self { true } else { false }
    }
}
