import EventLoop
import JournalLink
import Model
import Outbound
import Testing

/// The monitoring port of a real NATS server.
@Suite(.serialized, .enabled(if: JournalServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"))
struct MonitorTests {
    private func ask(_ servers: JournalServers) throws -> Result<JournalServerReport, JournalFailure> {
        let loop = try Loop()
        let outbound = try OutboundClient(on: loop, policy: AddressPolicy(allowing: .loopback))
        var result: Result<JournalServerReport, JournalFailure>?
        JournalMonitor.ask(servers.monitorURL(0), about: try servers.options(), with: outbound) {
            result = $0
            outbound.close()
            loop.stop()
        }
        loop.run()
        return try #require(result)
    }

    @Test func `a server that is set right has no difference, and shows the stream`() throws {
        let servers = try JournalServers()
        let user = try JournalUser(try servers.options())
        try user.makeStream()
        #expect(try user.append("one", after: 0) == .appended(1))
        let report = try ask(servers).get()
        #expect(report.differences == [])
        #expect(report.name == "n1" && report.version == ServerVersion(2, 15, 1) && report.syncsAlways)
        #expect(report.stream?.last == 1 && report.stream?.first == 1)
        #expect((report.stream?.bytes ?? 0) > 3)
        #expect(report.ailment == nil)
    }

    @Test func `a server that has a part that does not work says so itself`() throws {
        func ailment(_ healthz: String) throws -> String? {
            try JournalServerReport(
                varz: Array("{}".utf8), jsz: Array("{}".utf8), healthz: Array(healthz.utf8), stream: "S"
            )
            .ailment
        }
        let sentence = "JetStream stream '$G > S' is not current: stream assignment error: raft: snapshot corrupt"
        #expect(try ailment(#"{"status":"unavailable","status_code":503,"error":"\#(sentence)"}"#) == sentence)
        #expect(try ailment(#"{"status":"unavailable"}"#) == "unavailable")
        #expect(try ailment("not found") == "it does not say")
        #expect(try ailment(#"{"status":"ok"}"#) == nil)
    }

    @Test func `a server that flushes later, or takes less, is named`() throws {
        let servers = try JournalServers(sync: "10s", more: "max_payload: 1MB")
        let user = try JournalUser(try servers.options())
        try user.connect()
        let report = try ask(servers).get()
        #expect(
            report.differences.map(\.description) == [
                "sync_interval is 10.0 s, and must be always", "max_payload is 1048576, and must be at least 8388608",
            ]
        )
        #expect(report.stream == nil)
    }

    @Test func `a port where nobody answers is a failure with its address`() throws {
        let servers = try JournalServers()
        servers.kill(0)
        #expect(throws: JournalFailure.self) { try ask(servers).get() }
    }
}
