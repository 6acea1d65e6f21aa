import Foundation
import JSON
import Server
import TestSupport
import Testing

/// A closed account at the door.
@Suite struct ClosedAccountTests {
    @Test
    func `sessions end with 4403 deactivated, tokens open nothing, also after a restart, until it is opened again`()
        throws
    {
        let folder = TemporaryFolder()
        do {
            let server = try TestServer(in: folder) { _ in }
            defer { server.application.stop() }
            let admin = try server.admin()
            let devices = [try server.device("bob", "phone"), try server.device("bob", "laptop")]
            let answer = try admin.call("POST", "/v1/users/bob/deactivate", ["reason": "left the company"])
            #expect(answer.status == 200, "\(answer.text)")
            for device in devices { #expect(try device.waitForEnd() == .close(code: 4403, reason: "deactivated")) }
            try Self.checkRefused(server)
            let row = try admin.call("GET", "/v1/audit?action=user.deactivate").json()["audit"]?.arrayValue?.first
            #expect(row?["target"] == "users/bob" && row?["detail"] == ["reason": "left the company"])
            let export = try admin.call("GET", "/v1/users/bob/export").text
            #expect(export.contains(#""restriction":"deactivated""#))
        }
        let server = try TestServer(in: folder) { _ in }
        defer { server.application.stop() }
        try Self.checkRefused(server)
        let admin = try server.admin()
        // A ban beside it ends, and the account is still closed.
        _ = try admin.call("PUT", "/v1/users/bob/restrictions", ["kind": "ban", "reason": "spam"])
        #expect(try admin.call("DELETE", "/v1/users/bob/restrictions").json()["ended"] == ["ban"])
        try Self.checkRefused(server)
        #expect(try admin.call("POST", "/v1/users/bob/reactivate").json()["deactivated"] == false)
        try server.device("bob", "phone").settle()
    }

    private static func checkRefused(_ server: TestServer) throws {
        let error = try server.connect().refused(Device.helloCommand(token: server.token("bob")))
        #expect(error["code"] == "forbidden" && error["message"] == "this account is deactivated")
        let caller = Admin(try HTTPPeer(port: server.port), token: try server.token("bob"))
        #expect(try caller.call("POST", "/v1/commands", ["type": "chats"]).status == 403)
        #expect(try caller.call("GET", "/v1/events").status == 403)
    }

    @Test func `a moderator neither closes an account nor opens it`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        _ = try server.device("bob", "phone")
        let moderator = Admin(
            try HTTPPeer(port: server.port), token: try server.token("mod", scopes: ["admin:moderate"]))
        for call in ["deactivate", "reactivate"] {
            #expect(try moderator.call("POST", "/v1/users/bob/\(call)").status == 403)
        }
        let restriction: JSONValue = ["kind": "deactivated", "reason": "x"]
        #expect(try moderator.call("PUT", "/v1/users/bob/restrictions", restriction).status == 400)
        #expect(try server.admin().call("POST", "/v1/users/nobody/deactivate").status == 404)
    }
}
