import Configuration
import Foundation
import JSON
import TestSupport
import Testing
@testable import Server

/// `GET /v1/cluster` and `POST /v1/cluster/step-down`.
@Suite(.serialized)
struct ClusterRoutesTests {
    @Test func `a server that is alone has nothing to show, and users see nothing at all`() throws {
        let server = try TestServer.shared.get()
        let answer = try server.admin().call("GET", "/v1/cluster")
        #expect(answer.status == 404)
        #expect(try answer.json()["detail"]?.stringValue?.contains("without --journal") == true)
        let user = Admin(try HTTPPeer(port: server.port), token: try server.token("alice"))
        #expect(try user.call("GET", "/v1/cluster").status == 403)
        #expect(try server.admin().call("POST", "/v1/cluster/step-down").status == 404)
    }

    @Test(.enabled(if: NATSServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"))
    func `a node shows itself and the journal`() throws {
        let nats = try NATSServers()
        let node = ClusterFolder(nats, node: "a")
        try node.found()
        let server = try TestServer(in: node.folder) {
            $0.cluster = node.configuration.cluster
            $0.cluster.address = "http://127.0.0.1:1"
        }
        defer { server.application.stop() }
        let admin = try server.admin()
        var json = JSONValue.null
        for _ in 0..<400 {
            let answer = try admin.call("GET", "/v1/cluster")
            if answer.status == 200 { json = try answer.json() }
            let isKnown = json["nodes"]?.arrayValue?.isEmpty == false && json["journal"]?["server"]?.stringValue != nil
            if isKnown { break }
            Thread.pause(milliseconds: 25)
        }
        let own = try #require(json["nodes"]?.arrayValue?.first)
        #expect(json["node"] == "a" && own["node"] == "a" && own["address"] == "http://127.0.0.1:1")
        #expect(own["settings"]?.stringValue?.count == 12 && own["zones"]?.stringValue?.count == 12)
        #expect(own["schema"]?.integerValue ?? 0 >= 25)
        #expect(json["journal"]?["stream"] == "WW-test" && json["journal"]?["leader"] == "n1")
        #expect(try admin.call("GET", "/v1/cluster/step-down").status == 405)
        #expect(try admin.call("POST", "/v1/cluster").status == 405)
        #expect(try admin.call("GET", "/v1/cluster/nothing").status == 404)
        try comparesTablesAndStepsDown(admin)
    }

    /// A node that leads compares its tables, and lets another lead.
    private func comparesTablesAndStepsDown(_ admin: Admin) throws {
        func cluster() throws -> JSONValue { try admin.call("GET", "/v1/cluster").json() }
        try eventually("it leads") { try cluster()["role"] == "leading" }
        #expect(try admin.call("POST", "/v1/cluster/verify").status == 202)
        try eventually("its tables are read") {
            try cluster()["nodes"]?.arrayValue?.first?["verified"]?["tables"]?.integerValue ?? 0 > 20
        }
        let stepping = try admin.call("POST", "/v1/cluster/step-down")
        #expect(stepping.status == 202, "\(stepping.text)")
        #expect(try stepping.json()["node"] == "a")
    }
}

/// Waits until a condition holds.
private func eventually(_ what: String, seconds: Int = 20, _ isTrue: () throws -> Bool) throws {
    for _ in 0..<seconds * 50 {
        if try isTrue() { return }
        Thread.pause(milliseconds: 20)
    }
    throw TCPSocket.Failure(description: "not in time: \(what)")
}
