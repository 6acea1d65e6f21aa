import Configuration
import Foundation
import JSON
import Model
import Server
import TestSupport
import Testing

/// Rows that are kept for a time go, and the operator sees the oldest, the last run, and how many went.
@Suite struct SweepTests {
    private func row(_ admin: Admin, _ kind: RetentionKind) throws -> JSONValue? {
        try admin.call("GET", "/v1/stats").json()["retention"]?[kind.rawValue]
    }

    @Test func `each kind shows its retention, its oldest row, its last run and its deleted rows`() throws {
        let server = try TestServer {
            $0.retention.audit = 1000
            $0.retention.log = nil
        }
        defer { server.application.stop() }
        let admin = try server.admin()
        for number in 1...3 { _ = try admin.call("PUT", "/v1/documents/notes/\(number)", [:]) }
        let deadline = Date(timeIntervalSinceNow: 20)
        var audit: JSONValue?
        // The newest row stays.
        while Date() < deadline, (audit?["removed"]?.integerValue ?? 0) < 2 {
            Thread.sleep(forTimeInterval: 0.1)
            audit = try row(admin, .audit)
        }
        #expect(audit?["removed"] == 2 && audit?["kept"] == "1s", "\(audit ?? .null)")
        let times = ["oldest", "lastRun"].compactMap { audit?[$0]?.stringValue.flatMap(Timestamp.init) }
        #expect(times.count == 2 && times[0] < times[1])
        #expect(try row(admin, .log)?["kept"] == "forever")
        let reports = try row(admin, .reports)
        #expect(
            reports?["kept"] == "180d" && reports?["oldest"] == .null && reports?["removed"] == 0, "\(reports ?? .null)"
        )
        let page = try admin.call("GET", "/metrics").text
        #expect(page.contains("watchwise_retention_removed_total{kind=\"audit\"} 2\n"))
        #expect(page.contains("watchwise_retention_overdue_seconds{kind=\"log\"} 0\n"))
        #expect(page.contains("watchwise_retention_last_run_timestamp_seconds{kind=\"edits\"} "))
    }
}
