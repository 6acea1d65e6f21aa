import Admin
import ClientProtocol
import EventLoop
import Model
import ThreadMessages
import Wire

/// A connection that is answered, before it has sent anything, that its address has too many. It may stay a second, so that
/// the client gets the answer, as long as only a few do.
///
/// - Confinement: loop
final class RefusedPeer: TCPConnectionDelegate {
    private static let lingerMilliseconds: Int64 = 1000
    private static let lingeringMax = 64

    /// How many of them a loop has at a time.
    ///
    /// - Confinement: loop
    final class Count {
        fileprivate var lingering = 0
        fileprivate let date = HTTPDate()
    }

    private let count: Count

    private init(_ count: Count) { self.count = count }

    /// Turns a connection away.
    ///
    /// - Parameter mayAnswer: false where another protocol would have to come before the answer.
    static func turnAway(_ tcp: TCPConnection, _ count: Count, at now: Timestamp, mayAnswer: Bool) {
        guard mayAnswer, count.lingering < lingeringMax else { return tcp.close() }
        count.lingering += 1
        tcp.delegate = RefusedPeer(count)
        tcp.write((try? answer.encoded(isKeepAlive: false, date: count.date.line(at: now))) ?? [])
        tcp.closeAfterFlush(timeoutMilliseconds: lingerMilliseconds)
    }

    private static let answer = Problem(Refusal.tooManyFromAddress).response

    func received(_ bytes: RawSpan, on connection: TCPConnection) {}
    func drained(on connection: TCPConnection) {}

    func closed(on connection: TCPConnection, error: UVError?) { count.lingering -= 1 }
}

@available(*, unavailable)
extension RefusedPeer: Sendable {}

@available(*, unavailable)
extension RefusedPeer.Count: Sendable {}
