import Client
import ClientProtocol
import EventLoop
import Model
import Session

/// A client that connects, gets the events that it missed, and leaves.
///
/// - Confinement: one thread
final class Returning: ClientSessionDelegate {
    /// The result of a visit.
    struct Visit {
        /// From the connect to `live`.
        var time: Duration
        var events: Int
        /// The new cursor of the client.
        var cursor: ResumePoint?
    }

    private static let patienceMilliseconds: Int64 = 30_000

    private let loop: Loop
    private var events = 0
    private var problem: String?
    private var wasLive = false

    private init(on loop: Loop) { self.loop = loop }

    /// Runs on the calling thread until the client is live.
    static func visit(_ course: Course, _ user: UserID, since: ResumePoint?) throws -> Visit {
        guard let mint = course.mint else { throw LoadFailure("this server knows no users") }
        let loop = try Loop()
        let client = Returning(on: loop)
        var configuration = ClientSessionConfiguration(device: "returning")
        configuration.since = since
        configuration.reconnects = false
        let session = ClientSession(on: loop, server: course.server, configuration: configuration) {
            mint.token(for: user)
        }
        session.delegate = client
        let timer = LoopTimer(on: loop) {
            client.problem = "a client was not live within \(patienceMilliseconds / 1000) s"
            loop.stop()
        }
        timer.start(afterMilliseconds: patienceMilliseconds)
        let start = ContinuousClock.now
        session.start()
        loop.run()
        if let problem = client.problem { throw LoadFailure(problem) }
        return Visit(time: .now - start, events: client.events, cursor: session.cursor)
    }

    func report(_ report: ClientSessionReport, from session: ClientSession) {
        switch report {
        case .event(let event): if event.position != nil, !wasLive { events += 1 }
        case .live:
            wasLive = true
            loop.stop()
        case .reset(let reason): problem = "a client was reset: \(reason)"
        case .violation(let violation): problem = "the server broke the contract: \(violation)"
        case .offline(let end, _) where !wasLive:
            problem = end.description
            loop.stop()
        case .ended where !wasLive:
            problem = problem ?? "the session ended"
            loop.stop()
        case .online, .reply, .offline, .ended: break
        }
    }
}

@available(*, unavailable)
extension Returning: Sendable {}
