import Model
import Testing
@testable import Fanout

/// Events that follow each other as one chunk, and the counts after them.
@Suite struct PublicationRunTests {
    private func framed(
        _ position: Int64, bytes: Int = 10, unread: Publication.UnreadEffect = .unchanged
    ) -> FramedPublication {
        let json = Array(repeating: UInt8(ascii: "a") + UInt8(truncatingIfNeeded: position % 20), count: bytes)
        return FramedPublication(
            Publication(
                position: Position(position), name: .message, stream: StreamID(stored: 9), payload: .same(json),
                unread: unread)
        )
    }

    @Test func `a run is its frames one after the other`() {
        let parts = [framed(1, unread: .oneMore), framed(2), framed(3, bytes: 300, unread: .oneMore)]
        let run = PublicationRun(parts)
        #expect(run.frames == parts.flatMap { $0.frame[nil] })
        #expect(run.first == Position(1) && run.last == Position(3))
        #expect(run.notified == [Position(1), Position(3)])
    }

    @Test func `counts sent with a run are after it, and those of another session are its own`() {
        let run = PublicationRun([framed(1, unread: .oneMore)])
        var frames = CountFrames()
        for notifications in [1, 2, 257, 1] as [Int64] {
            let counts = UnreadCounts(chats: 0, notifications: notifications)
            #expect(frames.frames(of: run, counts) == run.frames + frames[counts])
        }
        frames.end()
        let next = PublicationRun([framed(2, unread: .oneMore)])
        let counts = UnreadCounts(chats: 0, notifications: 1)
        #expect(frames.frames(of: next, counts) == next.frames + frames[counts])
    }

    @Test(arguments: [(5, 3), (11, 2), (12, 1), (13, 0)] as [(Int64, Int64)])
    func `notifications count from where the counts are of`(asOf: Int64, more: Int64) {
        var known = CountsSent(UnreadCounts(chats: 0, notifications: 10), asOf: Position(asOf))
        known.addNotifications(at: [11, 12, 13].map { Position($0) })
        #expect(known.current.notifications == 10 + more)
        known.addNotifications(at: [11, 12, 13].map { Position($0) })
        #expect(known.current.notifications == 10 + more)
    }
}
