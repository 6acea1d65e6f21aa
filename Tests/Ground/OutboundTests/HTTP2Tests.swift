import Model
import Outbound
import TestSupport
import Testing

/// HTTP/2 against a real server: `bare.py` of `Tests/PushProviders`, on hyper-h2.
@Suite(
    .enabled(if: ProviderFake.isInstalled, "Tests/PushProviders/run --install was not run"),
    .enabled(if: TestAuthority.made != nil, "the openssl command line is not there")
)
struct HTTP2Tests {
    private let authority: TestAuthority

    init() throws { authority = try #require(TestAuthority.made) }

    @Test(arguments: [(OutboundRequest.Version.two, 1...1), (.one, 50...100)])
    func `a hundred requests at once share a connection, over HTTP/2 alone`(
        _ version: OutboundRequest.Version, _ connections: ClosedRange<Int>
    ) throws {
        let server = try ProviderFake("bare", ["--delay", "20"], authority: authority)
        let results = try send((0..<100).map { request(server, "/201/\($0)", version) }, .asNeeded)
        for (number, result) in results.enumerated() {
            let answer = try result.get()
            #expect(answer.status == 201 && answer.version == version)
            #expect(answer["Content-Type"] == "text/plain")
            #expect(answer.body == Array("/201/\(number)".utf8))
        }
        #expect(connections.contains(try server.events("connection").count))
    }

    @Test func `a server that chooses HTTP/1.1 is spoken to in HTTP/1.1`() throws {
        let server = try ProviderFake("bare", ["--only-1"], authority: authority)
        for connections in [OutboundClient.Connections.asNeeded, .onePerHost] {
            let results = try send((0..<10).map { request(server, "/200/\($0)") }, connections)
            #expect(try results.allSatisfy { try $0.get().version == .one })
        }
    }

    @Test func `where a service allows one stream before its first answer, no stream is lost`() throws {
        let server = try ProviderFake("bare", ["--delay", "20", "--first-streams", "1"], authority: authority)
        let results = try send((0..<300).map { request(server, "/200/\($0)") }, .onePerHost)
        #expect(try results.allSatisfy { try $0.get().status == 200 })
        #expect(try server.events("connection").count == 1)
        #expect(try server.events("refused").count == 0)
        let open = try server.events("request").map { $0.open ?? 0 }
        #expect(open.first == 1)
        #expect((90...100).contains(open.max() ?? 0), "they must use the streams that they have")
    }

    @Test(arguments: ["goaway", "shutdown", "cut", "refuse", "reset"])
    func `where connections and streams end, every request ends once, and succeeds when it is sent again`(
        _ ending: String
    ) throws {
        let server = try ProviderFake("bare", ["--delay", "10", "--first-streams", "1"], authority: authority)
        let paths = (0..<3000).map { $0 % 1000 == 499 ? "/\(ending)/\($0)" : "/200/\($0)" }
        let results = try send(paths.map { request(server, $0) }, .onePerHost, underWay: 100)
        let again = try paths.indices.filter { index in
            switch results[index] {
            case .success(let answer):
                #expect(answer.status == 200)
                return false
            case .failure(.connectionEnded(let code, _)):
                #expect([16, 18, 52, 55, 56, 92].contains(code))
                return true
            case .failure(let failure): throw failure
            }
        }
        let second = try send(again.map { request(server, paths[$0]) }, .onePerHost, underWay: 100)
        #expect(try second.allSatisfy { try $0.get().status == 200 })
        #expect(again.count <= 300, "only requests that were under way may have an unknown outcome")
        if ["cut", "shutdown", "reset"].contains(ending) { #expect(again.count >= 3) }
        #expect(try server.events("connection").count <= 8)
        #expect(try server.events("refused").count == 0)
    }

    @Test func `a connection that ended while nothing was under way is replaced`() throws {
        let server = try ProviderFake("bare", authority: authority)
        var statuses: [Int] = []
        try withClient(AddressPolicy(allowing: .loopback), authorities: authority.certificate) { client, finish in
            client.send(request(server, "/goaway/1")) { result in
                statuses.append((try? result.get().status) ?? 0)
                client.send(request(server, "/200/1")) { result in
                    statuses.append((try? result.get().status) ?? 0)
                    finish()
                }
            }
        }
        #expect(statuses == [200, 200])
        #expect(try server.events("connection").count == 2)
    }

    // MARK: Bounds

    @Test(arguments: [OutboundClient.Connections.asNeeded, .onePerHost])
    func `a body without an end is refused, and the other requests on the connection get their answers`(
        _ connections: OutboundClient.Connections
    ) throws {
        let server = try ProviderFake("bare", ["--delay", "20"], authority: authority)
        let paths = (0..<20).map { $0 == 10 ? "/endless-body/1" : "/200/\($0)" }
        let results = try send(paths.map { request(server, $0) }, connections)
        for (number, result) in results.enumerated() {
            if number == 10 {
                #expect(result == .failure(.tooLarge(bytesMax: 8 << 10)))
            } else {
                #expect(try result.get().status == 200)
            }
        }
        #expect(try server.events("connection").count == 1)
    }

    /// libcurl and its library for HTTP/2 have bounds of their own on heads, and end the connection.
    @Test(arguments: ["endless-head", "huge-head"])
    func `a head without an end ends the connection`(_ ending: String) throws {
        let server = try ProviderFake("bare", authority: authority)
        let result = try send([request(server, "/\(ending)/1")], .onePerHost)[0]
        guard case .failure(.connectionEnded) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(try send([request(server, "/200/1")], .onePerHost)[0].get().status == 200)
    }

    @Test func `a request that waits for another one ends in its own time`() throws {
        let server = try ProviderFake("bare", authority: authority)
        var slow = request(server, "/silent/1")
        slow.totalMilliseconds = 3000
        var quick = request(server, "/200/1")
        quick.totalMilliseconds = 300
        let clock = ContinuousClock()
        let began = clock.now
        var ended: [Duration] = []
        try withClient(
            AddressPolicy(allowing: .loopback), authorities: authority.certificate, connections: .onePerHost
        ) { client, finish in
            for request in [slow, quick] {
                client.send(request) { result in
                    #expect(result == .failure(.timedOut))
                    ended.append(clock.now - began)
                    if ended.count == 2 { finish() }
                }
            }
        }
        #expect(ended.count == 2 && ended[0] < .milliseconds(1500) && ended[1] >= .milliseconds(2900), "\(ended)")
    }

    // MARK: Sending

    private func request(
        _ server: ProviderFake, _ path: String, _ version: OutboundRequest.Version = .two
    ) -> OutboundRequest {
        OutboundRequest(
            .post(Array("{}".utf8)), url: server.url + path, version: version, connectMilliseconds: 5000,
            totalMilliseconds: 20_000, answerBytesMax: 8 << 10)
    }

    /// Sends requests, a number of them at once, and returns their results in their order; each must end once.
    private func send(
        _ requests: [OutboundRequest], _ connections: OutboundClient.Connections, underWay: Int = .max
    ) throws -> [Result<OutboundAnswer, OutboundFailure>] {
        guard !requests.isEmpty else { return [] }
        var results: [Result<OutboundAnswer, OutboundFailure>?] = requests.map { _ in nil }
        var waiting = requests.indices.makeIterator()
        var left = requests.count
        try withClient(
            AddressPolicy(allowing: .loopback), authorities: authority.certificate, connections: connections,
            secondsMax: 60
        ) { client, finish in
            func sendNext() {
                guard let index = waiting.next() else { return }
                client.send(requests[index]) { result in
                    #expect(results[index] == nil, "it ended twice")
                    results[index] = result
                    left -= 1
                    if left == 0 { finish() } else { sendNext() }
                }
            }
            for _ in 0..<min(underWay, requests.count) { sendNext() }
        }
        return try results.map { try #require($0) }
    }
}
