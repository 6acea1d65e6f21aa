import ClientProtocol
import Execution
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing

/// Unneeded streams are deleted, others stay, and no number is given twice.
struct SweepStreamsTests {
    private let house: House
    private let watched = WatchedPaths()

    init() throws { house = try House() }

    /// Sweeps once through all streams.
    private func sweep(isMember: Bool = false) throws {
        try house.write(SweepStreams(after: .nobody, watched: watched, isMember: isMember), by: "server")
        watched.settleLeaving()
    }

    private func open(_ path: String) throws { try house.write(OpenWatchedStream(watchedPath(path)), by: "server") }

    private func watchedPath(_ path: String) throws -> WatchedPath {
        path.split(separator: "/").count.isMultiple(of: 2) ? .document(try DocumentPath(path)) : .collection(path)
    }

    private func isThere(_ name: String) throws -> Bool {
        guard let topic = Topic(name) else {
            return try house.look { transaction in
                switch try watchedPath(name) {
                case .document(let path): try transaction.documentStreams.find(document: path) != nil
                case .collection(let path): try transaction.documentStreams.find(collection: path) != nil
                }
            }
        }
        return try house.look { try $0.streams.find(topic) != nil }
    }

    /// Makes a stream that is the newest, because the newest one always stays.
    private func makeNewest() throws { try house.follow("zoe", "t:newest") }

    @Test func `a topic whose last follower has left goes when the log has forgotten it`() throws {
        try house.follow("alice", "user:ghost")
        try house.follow("alice", "user:bob")
        try house.follow("alice", "user:ghost", isOn: false)
        try makeNewest()
        try sweep()
        #expect(try isThere("user:ghost"), "the log still leads there")
        try house.trim(keeping: 1000)
        house.now = house.now.adding(milliseconds: 10_000)
        try house.follow("alice", "t:other")
        try house.trim(keeping: 1000)
        try sweep()
        #expect(try !isThere("user:ghost"))
        #expect(try isThere("user:bob"))
        #expect(try isThere("t:newest"))
        #expect(try house.follow("alice", "user:ghost")["followers"] == 1)
    }

    @Test func `on a member topics go at once, and paths a day after they were opened`() throws {
        try house.follow("alice", "user:ghost")
        try house.follow("alice", "user:ghost", isOn: false)
        try makeNewest()
        try house.trim(keeping: 1000)
        house.now = house.now.adding(milliseconds: 10_000)
        try house.follow("alice", "t:other")
        try house.trim(keeping: 1000)
        try open("items/none")
        try makeNewest()
        let stream = try #require(try house.look { try $0.documentStreams.find(document: DocumentPath("items/none")) })
        try sweep(isMember: true)
        #expect(try !isThere("user:ghost"))
        #expect(try isThere("items/none"), "there is no mark after it")
        try house.follow("alice", "t:third")
        try house.trim(keeping: 1000)
        house.now = house.now.adding(milliseconds: DocumentLimits.pathMilliseconds - 20_000)
        try sweep(isMember: true)
        #expect(try isThere("items/none"))
        house.now = house.now.adding(milliseconds: 20_000)
        var interest: WatchedPaths.Interest? = watched.begin(try watchedPath("items/none"))
        try sweep(isMember: true)
        #expect(try isThere("items/none") && interest != nil, "a session of this node watches it")
        interest = nil
        try sweep(isMember: true)
        #expect(try !isThere("items/none"))
        guard case .change(.unlogged(stream.id))? = house.commits.last?.last else {
            Issue.record("\(house.commits.last ?? [])")
            return
        }
    }

    @Test func `a topic with a notification stays`() throws {
        try house.follow("alice", "t:1")
        try house.broadcast("t:1")
        try house.follow("alice", "t:1", isOn: false)
        house.now = house.now.adding(milliseconds: 10_000)
        try makeNewest()
        try house.trim(keeping: 1000)
        house.now = house.now.adding(milliseconds: 10_000)
        try house.follow("alice", "t:other")
        try house.trim(keeping: 1000)
        try sweep()
        #expect(try isThere("t:1"))
    }

    @Test func `a path where there is nothing keeps its stream while it is watched, and no longer`() throws {
        for path in ["items/none", "nothings"] {
            var interest: WatchedPaths.Interest? = watched.begin(try watchedPath(path))
            #expect(interest?.mustOpen == false)
            try open(path)
            try makeNewest()
            try house.follow("alice", "t:\(path.count)")
            try sweep()
            #expect(try isThere(path))
            interest = nil
            try sweep()
            #expect(try !isThere(path))
        }
    }

    @Test func `paths where there is something keep their streams, for those who come back`() throws {
        try house.put("items/1", ["n": 1])
        try open("items")
        try open("items/1")
        try makeNewest()
        try sweep()
        #expect(try isThere("items"))
        #expect(try isThere("items/1"))
    }

    @Test func `a watch that begins while its path is removed opens the path again`() throws {
        let path = try watchedPath("items/none")
        try open("items/none")
        try makeNewest()
        try house.write(SweepStreams(after: .nobody, watched: watched), by: "server")
        #expect(watched.begin(path).mustOpen)
        watched.settleLeaving()
        #expect(!watched.begin(path).mustOpen)
    }

    @Test func `the newest stream stays, so that its number is not given again`() throws {
        try open("items/none")
        try sweep()
        #expect(try isThere("items/none"))
    }

    @Test func `a sweep is bounded and goes on`() throws {
        for number in 0..<Limits.sweptStreamsMax + 100 { try open("items/none\(number)") }
        try makeNewest()
        let first = try house.fact(of: SweepStreams(after: .nobody, watched: watched), by: "server")
        watched.settleLeaving()
        guard case .swept(Limits.sweptStreamsMax, let next) = first else {
            Issue.record("\(first)")
            return
        }
        let second = try house.fact(of: SweepStreams(after: next, watched: watched), by: "server")
        #expect(second == .swept(count: 100, next: .nobody))
    }
}
