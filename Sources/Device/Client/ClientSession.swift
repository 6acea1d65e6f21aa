package import ClientProtocol
package import EventLoop
package import Session

/// Receives the reports of a session.
/// - Confinement: loop
package protocol ClientSessionDelegate: AnyObject {
    /// Something happened; the delegate may submit commands or stop the session.
    func report(_ report: ClientSessionReport, from session: ClientSession)
}

/// One device's session with a server: a ``ClientSessionState`` on a socket.
///
/// Its owner holds it and must `stop()` it before releasing it.
/// - Confinement: loop
package final class ClientSession {
    /// The path of the protocol, version 1.
    package static let target = "/v1/ws"
    package static let subprotocol = "watchwise.v1"

    /// Receives the reports.
    package weak var delegate: (any ClientSessionDelegate)?
    private let loop: Loop
    private var endpoint: WebSocketClient.Endpoint
    private let token: () -> String?
    private let timer: LoopTimerSlot
    private var timerAt: Int64?
    private var state: ClientSessionState
    private var socket: WebSocketClient?
    private var replyHandlers: [Int64: (ClientReply) -> Void] = [:]
    private var todo: [ClientSessionAction] = []
    private var isPerforming = false

    /// A session that has not begun.
    /// - Parameters:
    ///   - localAddress: The address to connect from.
    ///   - token: Returns a fresh token for each connect, and when one expires; nil ends the session.
    package init(
        on loop: Loop,
        server: ServerAddress,
        configuration: ClientSessionConfiguration,
        from localAddress: SocketAddress? = nil,
        token: @escaping () -> String?
    ) {
        self.loop = loop
        var endpoint = WebSocketClient.Endpoint(
            server: server, target: ClientSession.target, compression: configuration.compression)
        endpoint.subprotocols = [ClientSession.subprotocol]
        endpoint.localAddress = localAddress
        self.endpoint = endpoint
        self.token = token
        state = ClientSessionState(configuration, chance: Chance(seed: .random(in: .min ... .max)))
        timer = LoopTimerSlot(on: loop)
        timer.fire = { [unowned self] in timerFired() }
    }

    /// The point in the log up to which this device has everything.
    package var cursor: ResumePoint? { state.cursor }
    /// Commands not answered yet.
    package var pendingCount: Int { state.pendingCount }
    /// Whether the session accepts commands and has got all missed events.
    package var isLive: Bool { state.isLive }
    /// How often a connection was lost after it had been online.
    package var reconnects: Int { state.reconnects }

    /// Connects.
    package func start() {
        loop.preconditionOnLoop()
        state.start(at: loop.now)
        perform()
    }

    /// Ends the session. Commands without an answer are lost.
    package func stop() {
        loop.preconditionOnLoop()
        state.stop()
        perform()
    }

    /// Submits a command, which is sent as soon as possible.
    /// - Parameter onReply: Called once, when it is answered or lost; without it the delegate gets the reply.
    /// - Returns: its number.
    @discardableResult
    package func submit(_ command: ClientCommand, onReply: ((ClientReply) -> Void)? = nil) -> Int64 {
        loop.preconditionOnLoop()
        let id = state.submit(command, at: loop.now)
        if let onReply { replyHandlers[id] = onReply }
        perform()
        return id
    }

    /// Names the server of the next connection: another node of the same cluster, where the cursor holds as well. The
    /// connection of now stays.
    package func move(to server: ServerAddress) {
        endpoint.server = server
    }

    /// Breaks the connection without a close, as a tunnel does; the session then reconnects.
    package func dropConnection() {
        socket?.abort()
    }

    private func timerFired() {
        timerAt = nil
        state.tick(at: loop.now)
        perform()
    }

    /// Performs the actions of the state; actions that arise meanwhile are appended, never nested.
    private func perform() {
        todo += state.takeActions()
        guard !isPerforming else { return }
        isPerforming = true
        var next = 0
        while next < todo.count {
            let action = todo[next]
            next += 1
            perform(action)
            todo += state.takeActions()
        }
        todo.removeAll(keepingCapacity: true)
        isPerforming = false
        armTimer()
    }

    private func perform(_ action: ClientSessionAction) {
        switch action {
        case .connect: connect()
        case .send(let message): socket?.send(text: message)
        case .disconnect(let code): socket?.close(code: code)
        case .renewToken: state.renew(token: token(), at: loop.now)
        // Only owners that store events need it.
        case .reached: break
        case .report(let report): tell(report)
        }
    }

    private func connect() {
        do {
            socket = try WebSocketClient.connect(on: loop, to: endpoint, delegate: self)
        } catch {
            state.transportEnded(.lost(error.message), at: loop.now)
        }
    }

    private func tell(_ report: ClientSessionReport) {
        if case .reply(let id, let reply) = report, let handler = replyHandlers.removeValue(forKey: id) {
            return handler(reply)
        }
        delegate?.report(report, from: self)
    }

    /// A timer that fires too early only checks and is set again; so it need not be set with every message.
    private func armTimer() {
        if state.isEnded {
            return timer.close()
        }
        guard let deadline = state.nextDeadline else { return }
        if let timerAt, timerAt <= deadline { return }
        timerAt = deadline
        timer.start(afterMilliseconds: deadline - loop.now)
    }
}

extension ClientSession: WebSocketClientDelegate {
    package func opened(_ socket: WebSocketClient) {
        guard socket === self.socket else { return }
        state.opened(token: token(), at: loop.now)
        perform()
    }

    package func received(text: [UInt8], on socket: WebSocketClient) {
        guard socket === self.socket else { return }
        state.receive(text, at: loop.now)
        perform()
    }

    package func heard(on socket: WebSocketClient) {
        guard socket === self.socket else { return }
        state.heard(at: loop.now)
    }

    package func ended(_ socket: WebSocketClient, _ end: TransportEnd) {
        guard socket === self.socket else { return }
        self.socket = nil
        state.transportEnded(end, at: loop.now)
        perform()
    }
}

@available(*, unavailable)
extension ClientSession: Sendable {}
