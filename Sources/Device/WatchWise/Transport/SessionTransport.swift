import Session
import Synchronization

/// A WebSocket to the server, over any number of connections. One is open at a time.
protocol SessionTransport: Sendable {
    /// Connects.
    /// - Parameter number: of the connection; its events bear it.
    func open(_ number: Int)
    /// Sends a text message.
    func send(_ message: [UInt8])
    /// Ends the connection; its end is reported.
    func close(code: UInt16)
    /// Ends all that the transport holds. Nothing is reported afterwards.
    func shutDown()
}

/// An event of a connection. They come in order.
enum TransportEvent: Sendable {
    case opened
    case received([UInt8])
    /// Bytes that are no message: the server lives.
    case heard
    case ended(TransportEnd)
}

/// Events on their way from the thread of a transport to the actor of the library: what has come meanwhile is taken at once.
/// - Confinement: any
final class TransportInbox: Sendable {
    private let waiting = Mutex<[(connection: Int, event: TransportEvent)]>([])
    private let continuation: AsyncStream<Void>.Continuation
    /// One element each time when something came.
    let signals: AsyncStream<Void>

    init() {
        (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds an event of a connection; from any thread.
    func post(_ event: TransportEvent, of connection: Int) {
        waiting.withLock { $0.append((connection, event)) }
        continuation.yield()
    }

    /// All that came, in order.
    func take() -> [(connection: Int, event: TransportEvent)] {
        waiting.withLock { events in
            defer { events = [] }
            return events
        }
    }

    func finish() { continuation.finish() }
}
