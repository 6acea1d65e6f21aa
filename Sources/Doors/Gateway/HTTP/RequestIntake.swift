import Admin
import ClientProtocol
import Configuration
import EventLoop
import Model
import Quotas
import Telemetry
import ThreadMessages
import Wire

/// The requests that come in on a connection, one at a time: their bytes, how many of them are taken, and by when they must
/// be here.
///
/// - Confinement: loop
final class RequestIntake {
    private unowned let connection: ServerConnection
    /// The address that the connection comes from; a request's own header may say more.
    private let origin: IPAddress
    private var parser = HTTPRequestParser(limits: RequestIntake.limits)
    private var events: [HTTPRequestEvent] = []
    /// The request that comes in, or is being answered.
    private(set) var request: HTTPCall?
    /// Bytes of the request's head, and how many its body may have.
    private(set) var headBytes = 0
    private var bodyBytesMax = 0
    /// The address of the last request's client, and its text.
    private var shownClient: (address: IPAddress, text: String)?
    /// By when the request must be whole, or the idle connection ends; the loop's clock.
    private var deadline: Int64

    private static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        limits.bodyBytesMax = Limits.requestBodyBytesMax
        return limits
    }()

    init(_ connection: ServerConnection, from origin: IPAddress) {
        self.connection = connection
        self.origin = origin
        deadline = connection.door.loop.now + connection.door.settings.configuration.requestMilliseconds
    }

    private var door: LoopDoor { connection.door }

    /// Bytes kept for the client; a body has the room that it was given as it grew.
    var heldBytes: Int { parser.heldBytes + (request.map { headBytes + $0.body.capacity } ?? 0) }

    /// Whether nothing of a request is here.
    var isIdle: Bool { parser.isBetweenRequests && request == nil }

    func isOverdue(at now: Int64) -> Bool { now >= deadline }

    // MARK: Bytes

    func receive(_ bytes: RawSpan) {
        if parser.isBetweenRequests { beginWaiting() }
        parser.receive(bytes, into: &events)
    }

    /// Goes on with the bytes that came after the last request.
    func beginNext() {
        parser.nextRequest(into: &events)
        if events.isEmpty && !parser.isBetweenRequests { beginWaiting() }
    }

    private func beginWaiting() { deadline = door.loop.now + door.settings.configuration.requestMilliseconds }

    /// The parts of the request that have arrived since the last call.
    func takeEvents() -> [HTTPRequestEvent] {
        let found = events
        events.removeAll(keepingCapacity: true)
        return found
    }

    /// The bytes that came after the request, when the connection no longer speaks HTTP.
    func takeRemainder() -> [UInt8] { parser.takeRemainder() }

    // MARK: The request

    /// A head is whole. A client that may not send a body of its size is refused before the body comes, and none of it is
    /// kept; a small body is taken from anybody, so that the connection can be kept.
    ///
    /// - Returns: the answer to a request that HTTP itself refuses.
    func begin(_ head: HTTPRequestHead) throws(Refusal) -> Problem? {
        var call = HTTPCall(head: head)
        call.id = idGivenByProxy(head) ?? door.newRequestID()
        call.isAtFigures = connection.isAtFigures
        if Router.localPaths.contains(head.path) { call.isOfThisMachine = connection.isOfThisMachine(head) }
        request = call
        headBytes = head.heldBytes
        try connection.identify(head, from: origin)
        call.client = clientText
        request = call
        guard head.hasBody else { return nil }
        // No coding is undone here, and a body in one is not taken for what it is not (RFC 9110 section 15.5.16).
        let codings = head.headers.values("Content-Encoding")
        guard codings.allSatisfy({ $0.isEmpty || $0.lowercased() == "identity" }) else { return Problem.codedBody }
        let announced = head.contentLength ?? 0
        let isSmall = head.contentLength != nil && announced <= Limits.smallHoldingBytes
        bodyBytesMax = isSmall ? announced : try Router.bodyBytesMax(call, at: door)
        guard announced <= bodyBytesMax else { throw Refusal.tooLarge(bodyBytesMax) }
        guard connection.mayHold(headBytes + announced) else {
            door.settings.refused(.memory, connection.client)
            throw Refusal.overloaded
        }
        // No more than was announced, and no room for it before some of it is there.
        request?.body.reserveCapacity(min(announced, Limits.smallHoldingBytes))
        if head.expectsContinue { connection.tcp.write(HTTPResponse.continueBytes) }
        return nil
    }

    /// A piece of the body.
    func take(_ bytes: [UInt8]) throws(Refusal) {
        guard let count = request?.body.count else { return }
        guard count + bytes.count <= bodyBytesMax else { throw Refusal.tooLarge(bodyBytesMax) }
        request?.body += bytes
    }

    /// The request is being answered, and nothing more is read meanwhile.
    func pause() { deadline = .max }

    /// The request is answered: the client may send another one for a while.
    func end(keepsAlive: Bool) {
        request = nil
        connection.forget(origin)
        if keepsAlive { deadline = door.loop.now + door.settings.configuration.keepAliveMilliseconds }
    }

    /// The id that a trusted proxy has given the request; nil for others.
    private func idGivenByProxy(_ head: HTTPRequestHead) -> String? {
        guard let id = HTTPCall.givenID(head), door.settings.peers.trustedProxies.contains(origin) else { return nil }
        return id
    }

    private var clientText: String {
        let address = connection.client
        if let shownClient, shownClient.address == address { return shownClient.text }
        let text = "\(address)"
        shownClient = (address, text)
        return text
    }
}

@available(*, unavailable)
extension RequestIntake: Sendable {}
