import EventLoop
import Glibc
import Testing

@Suite struct SocketWatcherTests {
    /// Two ends of a stream.
    private func pair() throws -> [Int32] {
        var ends: [Int32] = [0, 0]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return ends
    }

    @Test func `a watcher reports a ready socket while it waits, and nothing when it does not wait`()
        throws
    {
        let ends = try pair()
        defer { for end in ends { close(end) } }
        var told: [SocketWatcher.Readiness] = []
        try withLoop { loop in
            var watcher: SocketWatcher?
            watcher = try SocketWatcher(on: loop, descriptor: ends[0]) { ready in
                told.append(ready)
                switch told.count {
                case 1:
                    watcher?.wait(for: .reading)
                    _ = unsafe write(ends[1], "x", 1)
                case 2:
                    watcher?.wait(for: [])
                    after(50, on: loop) { loop.stop() }
                default: break
                }
            }
            watcher?.wait(for: .writing)
            if let watcher { keep(watcher, on: loop) }
        }
        #expect(told == [.writing, .reading])
    }

    @Test func `the end of the other side is something to read`() throws {
        let ends = try pair()
        defer { close(ends[0]) }
        var told: SocketWatcher.Readiness = []
        try withLoop { loop in
            let watcher = try SocketWatcher(on: loop, descriptor: ends[0]) { ready in
                told.formUnion(ready)
                loop.stop()
            }
            watcher.wait(for: .reading)
            keep(watcher, on: loop)
            close(ends[1])
        }
        #expect(told.contains(.reading))
    }

    @Test func `a descriptor can be watched again after its watcher was closed, within one turn`() throws {
        let ends = try pair()
        defer { for end in ends { close(end) } }
        var isReady = false
        try withLoop { loop in
            let first = try SocketWatcher(on: loop, descriptor: ends[0]) { _ in Issue.record("it was closed") }
            first.wait(for: .writing)
            first.close()
            #expect(first.isClosed)
            let second = try SocketWatcher(on: loop, descriptor: ends[0]) { _ in
                isReady = true
                loop.stop()
            }
            second.wait(for: .writing)
            keep(second, on: loop)
        }
        #expect(isReady)
    }

    @Test func `a descriptor that is not a socket cannot be watched`() throws {
        try withLoop { loop in
            #expect(throws: UVError.self) { _ = try SocketWatcher(on: loop, descriptor: 9999) { _ in } }
            loop.stop()
        }
    }
}
