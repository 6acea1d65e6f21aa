import Client
import EventLoop
import JSON
import Model
import Session
import TestSupport
import Testing
import Wire

@Suite struct ClientSessionSocketTests {
    /// Keeps a session's reports, and calls the closures of the test.
    private final class Recorder: ClientSessionDelegate {
        var reports: [ClientSessionReport] = []
        var onReport: ((ClientSessionReport, ClientSession) -> Void)?

        func report(_ report: ClientSessionReport, from session: ClientSession) {
            reports.append(report)
            onReport?(report, session)
        }

        var positions: [Int64] {
            reports.compactMap { report in
                guard case .event(let event) = report else { return nil }
                return event.position?.value
            }
        }
    }

    @Test func `a session says hello, gets events and replies, answers pings and closes in order`() throws {
        let recorder = Recorder()
        try withServer { loop, server in
            var replies: [ClientReply] = []
            server.onMessage = { message, peer in
                switch message["type"]?.stringValue {
                case "hello": Self.answerHello(message, peer, seq: 5)
                case "send":
                    peer.ping()
                    peer.send(PlayedServer.message(6))
                    peer.send(["re": message["id"] ?? nil, "ok": ["seq": 6]])
                default: Issue.record("unexpected \(message.text)")
                }
            }
            recorder.onReport = { report, session in
                guard case .live = report, let write = Self.write else { return }
                session.submit(write) { reply in
                    replies.append(reply)
                    session.stop()
                    Self.whenClosed(server, on: loop) {
                        #expect(replies == [.ok(["seq": 6])])
                        #expect(server.pongs == [[1, 2, 3]])
                        #expect(server.closes == [1000])
                        loop.stop()
                    }
                }
            }
            return try Self.start(recorder, on: loop, server) { $0.ackAfterMilliseconds = nil }
        }
        #expect(recorder.positions == [6])
        #expect(recorder.reports.last == .ended(.stopped))
    }

    @Test func `a session that lost its connection resumes and repeats its writes`() throws {
        let recorder = Recorder()
        var hellos: [JSONValue] = []
        var keys: [JSONValue?] = []
        try withServer { loop, server in
            server.onMessage = { message, peer in
                if message["type"] == "hello" {
                    hellos.append(message)
                    Self.answerHello(message, peer, seq: 5)
                    if hellos.count == 1 { peer.send(PlayedServer.message(9)) }
                    return
                }
                keys.append(message["key"])
                // The write is done, but its reply is never sent.
                if keys.count == 1 { return peer.connection?.close() ?? () }
                peer.send(["re": message["id"] ?? nil, "ok": ["seq": 10]])
            }
            let session = try Self.start(recorder, on: loop, server)
            session.submit(try #require(Self.write)) { reply in
                #expect(reply == .ok(["seq": 10]))
                session.stop()
                loop.stop()
            }
            return session
        }
        #expect(keys == ["k", "k"])
        #expect(hellos.count == 2)
        #expect(hellos.last?["since"] == ["epoch": "e-1", "seq": 9])
    }

    @Test func `a session ends when the server asks the client to stay away`() throws {
        let recorder = Recorder()
        try withServer { loop, server in
            server.onMessage = { _, peer in peer.close(code: 4403) }
            recorder.onReport = { report, _ in
                if case .ended = report { loop.stop() }
            }
            return try Self.start(recorder, on: loop, server)
        }
        #expect(recorder.reports == [.ended(.transport(.closed(code: 4403, reason: "")))])
    }

    @Test func `nobody listening is an ordinary loss`() throws {
        let recorder = Recorder()
        try withServer { loop, server in
            recorder.onReport = { report, session in
                guard case .offline(.lost(let sentence?), _) = report else { return }
                #expect(sentence == "connection refused")
                session.stop()
                loop.stop()
            }
            let nobody = try ServerAddress("http://127.0.0.1:1")
            let session = ClientSession(on: loop, server: nobody, configuration: .init(), token: { "t" })
            session.delegate = recorder
            session.start()
            return session
        }
        #expect(recorder.reports.count == 2)
    }

    private static func start(
        _ recorder: Recorder,
        on loop: Loop,
        _ server: ScriptedServer,
        _ change: (inout ClientSessionConfiguration) -> Void = { _ in }
    ) throws -> ClientSession {
        var configuration = ClientSessionConfiguration(device: "phone")
        configuration.backoff = Backoff(baseMilliseconds: 10, capMilliseconds: 10)
        change(&configuration)
        let session = ClientSession(on: loop, server: try server.address, configuration: configuration, token: { "t" })
        session.delegate = recorder
        session.start()
        return session
    }

    /// A write with a key.
    private static var write: ClientCommand? {
        guard let bob = UserID("bob"), let key = WriteKey("k") else { return nil }
        return .send("hi", to: bob, key: key)
    }

    private static func answerHello(_ message: JSONValue, _ peer: ScriptedServer.Peer, seq: Int64) {
        peer.send(["re": message["id"] ?? nil, "ok": PlayedServer.helloBody(seq: seq)])
        peer.send(["type": "live", "seq": .integer(seq)])
    }

    /// Calls back once the server has got a close frame.
    private static func whenClosed(_ server: ScriptedServer, on loop: Loop, _ body: @escaping () -> Void) {
        var timer: LoopTimer?
        timer = LoopTimer(on: loop) {
            guard !server.closes.isEmpty else { return }
            timer?.close()
            timer = nil
            body()
        }
        timer?.start(afterMilliseconds: 0, repeatingMilliseconds: 1)
    }
}
