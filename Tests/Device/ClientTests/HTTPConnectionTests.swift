import Client
import EventLoop
import Synchronization
import Testing
import Wire

@Suite struct HTTPConnectionTests {
    private static let request = HTTPRequest(method: "GET", target: "/x")

    @Test func `requests go over one connection, one after the other`() throws {
        try withServer { loop, server in
            server.onRequest = { head, _ in HTTPResponse(status: 200, body: Array(head.path.utf8)) }
            let connection = HTTPConnection(on: loop, to: try server.address)
            var bodies: [String] = []
            for path in ["/a", "/b", "/c"] {
                connection.perform(HTTPRequest(method: "GET", target: path)) { result in
                    bodies.append((try? result.get()).map { String(decoding: $0.body, as: UTF8.self) } ?? "failed")
                    guard bodies.count == 3 else { return }
                    #expect(bodies == ["/a", "/b", "/c"])
                    #expect(server.peers.count == 1)
                    connection.close()
                    loop.stop()
                }
            }
            return connection
        }
    }

    @Test func `a kept connection that the server closed meanwhile is replaced without notice`() throws {
        try withServer { loop, server in
            var requests = 0
            server.onRequest = { _, peer in
                requests += 1
                guard requests != 2 else {
                    peer.connection?.close()
                    return nil
                }
                return HTTPResponse(status: 204)
            }
            let connection = HTTPConnection(on: loop, to: try server.address)
            connection.perform(Self.request) { _ in
                connection.perform(Self.request) { result in
                    #expect((try? result.get())?.status == 204)
                    #expect(server.peers.count == 2)
                    connection.close()
                    loop.stop()
                }
            }
            return connection
        }
    }

    @Test func `a server that does not answer is given up`() throws {
        try withServer { loop, server in
            server.onRequest = { _, _ in nil }
            let connection = HTTPConnection(on: loop, to: try server.address)
            connection.perform(Self.request, timeoutMilliseconds: 50) { result in
                #expect(result == .failure(.timedOut(milliseconds: 50)))
                connection.close()
                loop.stop()
            }
            return connection
        }
    }

    @Test func `a blocking client gets the answer of a server on another thread`() throws {
        let (thread, address) = try LoopThread.start(named: "server") { loop in
            let server = try ScriptedServer(on: loop)
            server.onRequest = { head, _ in HTTPResponse(status: 200, body: Array(head.path.utf8)) }
            let keeper = try Mailbox<Int>(on: loop) { _ in withExtendedLifetime(server) {} }
            withExtendedLifetime(keeper) {}
            return try server.address
        }
        defer {
            thread.stop()
            thread.join()
        }
        let client = HTTPClient(server: address, timeoutMilliseconds: 5_000)
        #expect(try client.perform(Self.request).body == Array("/x".utf8))
        var pieces: [UInt8] = []
        let streamed = try client.perform(Self.request) { pieces += $0 }
        #expect(pieces == Array("/x".utf8))
        #expect(streamed.body.isEmpty)
    }

    @Test func `a blocking client fails when nobody listens`() throws {
        let client = HTTPClient(server: try ServerAddress("http://127.0.0.1:1"))
        let failure = #expect(throws: HTTPFailure.self) { try client.perform(Self.request) }
        guard case .connection(let error) = failure else {
            Issue.record("not a failed connection")
            return
        }
        #expect(error.name == "ECONNREFUSED")
    }
}
