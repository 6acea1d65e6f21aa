import JSON
import TestSupport
import Testing

/// The calls about devices and push jobs: refused requests, and their messages.
struct PushCallsTests {
    @Test(
        arguments: [
            ("GET", "/v1/push", 404, nil), ("POST", "/v1/push/key", 405, nil), ("POST", "/v1/push/devices", 405, nil),
            ("GET", "/v1/push/devices?user=", 400, "user"), ("GET", "/v1/push/devices?user=nobody-at-all", 404, nil),
            ("GET", "/v1/push/devices/7", 405, nil), ("DELETE", "/v1/push/devices/7", 404, "id"),
            ("DELETE", "/v1/push/devices/x", 404, "id"), ("POST", "/v1/push/jobs", 405, nil),
            ("GET", "/v1/push/jobs?state=lost", 400, "state"), ("GET", "/v1/push/jobs?limit=0", 400, "limit"),
            ("GET", "/v1/push/jobs?before=x", 400, "before"), ("GET", "/v1/push/jobs?user=nobody-at-all", 404, nil),
            ("DELETE", "/v1/push/jobs/7", 405, nil), ("GET", "/v1/push/jobs/7000000", 404, "id"),
            ("GET", "/v1/push/jobs/x", 404, "id"), ("GET", "/v1/push/jobs/0", 404, "id"),
            ("GET", "/v1/push/jobs/7?after=x", 400, "after"), ("GET", "/v1/push/jobs/7/tries", 404, nil),
        ] as [(String, String, Int, String?)])
    func `calls that cannot be are refused`(_ method: String, _ target: String, _ status: Int, _ field: String?) throws
    {
        let answer = try TestServer.shared.get().admin().call(method, target)
        #expect(answer.status == status, "\(answer.text)")
        if let field { #expect(try answer.json()["field"] == .string(field)) }
    }

    @Test func `devices and jobs are the administrator's, the key is everybody's`() throws {
        let server = try TestServer.shared.get()
        let user = Admin(try HTTPPeer(port: server.port), token: try server.token(server.name("mallory")))
        for target in ["/v1/push/devices", "/v1/push/jobs", "/v1/push/jobs/1"] {
            #expect(try user.call("GET", target).status == 403)
        }
        #expect(try user.call("DELETE", "/v1/push/devices/1").status == 403)
        #expect(try user.call("GET", "/v1/push/key").status == 404, "there is none on this server")
    }
}
