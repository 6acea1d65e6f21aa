import DequeModule
package import EventLoop
package import Wire

/// Requests to one server over a kept connection, one after the other; a new connection is made when there is none.
///
/// A request that a kept connection loses before any answer is sent once more if a repetition is harmless: the server
/// may have closed the idle connection at that moment (RFC 9110, section 9.2.2).
/// Its owner must call `close()` before releasing it.
/// - Confinement: loop
package final class HTTPConnection {
    /// Called with the result of a request.
    package typealias Completion = (Result<HTTPResponse, HTTPFailure>) -> Void

    private struct Order {
        let request: HTTPRequest
        let timeoutMilliseconds: Int64
        let receiveBody: (([UInt8]) -> Void)?
        let completion: Completion
        var isRepeated = false
    }

    private let loop: Loop
    private let server: ServerAddress
    private let localAddress: SocketAddress?
    private let timer: LoopTimerSlot
    private var connection: TCPConnection?
    /// Nil without TLS.
    private var layer: ClientTLSLayer?
    private var isReused = false
    private var current: (order: Order, exchange: HTTPExchange)?
    private var waiting: Deque<Order> = []

    /// Connects when the first request comes.
    /// - Parameter localAddress: The address to connect from.
    package init(on loop: Loop, to server: ServerAddress, from localAddress: SocketAddress? = nil) {
        self.loop = loop
        self.server = server
        self.localAddress = localAddress
        timer = LoopTimerSlot(on: loop)
        timer.fire = { [weak self] in self?.timedOut() }
    }

    /// Sends a request when those before it are answered.
    /// - Parameters:
    ///   - timeoutMilliseconds: for the whole exchange, from when it is sent.
    ///   - receiveBody: Gets the answer's body piece by piece, of any length; then the answer itself has none.
    ///   - completion: Called once, on the loop, and never before this returns.
    package func perform(
        _ request: HTTPRequest,
        timeoutMilliseconds: Int64 = 10_000,
        receiveBody: (([UInt8]) -> Void)? = nil,
        completion: @escaping Completion
    ) {
        loop.preconditionOnLoop()
        waiting.append(
            Order(
                request: request,
                timeoutMilliseconds: timeoutMilliseconds,
                receiveBody: receiveBody,
                completion: completion
            )
        )
        if current == nil, waiting.count == 1 { loop.atTurnEnd(self) }
    }

    /// Ends the connection; requests without an answer fail.
    package func close() {
        timer.close()
        connection?.close()
        connection = nil
        fail(.cancelled)
        let dropped = waiting
        waiting = []
        for order in dropped { order.completion(.failure(.cancelled)) }
    }

    private func sendNext() {
        guard current == nil, let order = waiting.popFirst() else { return }
        let exchange: HTTPExchange
        do {
            exchange = try HTTPExchange(
                order.request,
                authority: server.authority,
                basePath: server.basePath,
                bodyBytesMax: order.receiveBody == nil ? 64 << 20 : 1 << 46
            )
        } catch {
            order.completion(.failure(.unsendable(error)))
            return sendNext()
        }
        current = (order, exchange)
        do throws(UVError) {
            let connection = try openConnection()
            connection.write(exchange.requestBytes)
            timer.start(afterMilliseconds: order.timeoutMilliseconds)
        } catch {
            fail(.connection(error))
        }
    }

    private func openConnection() throws(UVError) -> TCPConnection {
        isReused = connection != nil
        if let connection { return connection }
        let made = try TCPConnection.connect(on: loop, to: server.socketAddress, from: localAddress, delegate: self)
        layer = try server.encryption?.protect(made)
        connection = made
        return made
    }

    private func take(_ progress: HTTPExchange.Progress) {
        if let receive = current?.order.receiveBody, let body = current?.exchange.takeBody(), !body.isEmpty {
            receive(body)
        }
        switch progress {
        case .incomplete: return
        case .failed(let failure): fail(failure)
        case .answered(var response, let isKept):
            guard let order = current?.order else { return }
            current = nil
            timer.stop()
            if !isKept { drop() }
            if let receive = order.receiveBody, !response.body.isEmpty {
                receive(response.body)
                response.body = []
            }
            order.completion(.success(response))
        }
        sendNext()
    }

    private func fail(_ failure: HTTPFailure) {
        guard let order = current?.order else { return }
        current = nil
        timer.stop()
        drop()
        order.completion(.failure(failure))
    }

    private func drop() {
        connection?.close()
        connection = nil
    }

    private func timedOut() {
        guard let current else { return }
        fail(.timedOut(milliseconds: current.order.timeoutMilliseconds))
        sendNext()
    }
}

extension HTTPConnection: TurnEndHook {
    package func turnEnded() {
        sendNext()
    }
}

extension HTTPConnection: TCPConnectionDelegate {
    package func received(_ bytes: RawSpan, on connection: TCPConnection) {
        guard connection === self.connection else { return }
        guard let progress = current?.exchange.receive(bytes) else { return drop() }
        take(progress)
    }

    package func drained(on connection: TCPConnection) {}

    package func closed(on connection: TCPConnection, error: UVError?) {
        guard connection === self.connection else { return }
        self.connection = nil
        layer?.transportEnded()
        let failure = layer?.failure
        layer = nil
        guard var (order, exchange) = current else { return }
        if isReused, !exchange.hasBegun, !order.isRepeated, Self.isHarmlessToRepeat(order.request) {
            order.isRepeated = true
            current = nil
            timer.stop()
            waiting.prepend(order)
            return sendNext()
        }
        if let failure {
            fail(.encryption(failure))
            sendNext()
        } else if exchange.hasBegun, error == nil {
            take(exchange.receiveEnd())
        } else {
            fail(error.map { .connection($0) } ?? .ended)
            sendNext()
        }
    }

    private static func isHarmlessToRepeat(_ request: HTTPRequest) -> Bool {
        ["GET", "HEAD", "PUT", "DELETE"].contains(request.method) || request.headers["Idempotency-Key"] != nil
    }
}

@available(*, unavailable)
extension HTTPConnection: Sendable {}
