import Configuration
import JSON
import Model
import Server
import TestSupport
import Testing
@testable import Gateway
@testable import Quotas
@testable import ThreadMessages

/// A delivery to many sessions costs their loops more than the write costs the writer: the writer estimates this and
/// waits.
struct CrowdTests {
    @Test func `a message to a user with many sessions reaches each of them once and in order`() throws {
        let server = try TestServer { $0.loops = 2 }
        defer { server.application.stop() }
        let (crowd, sender) = (server.name("crowd"), server.name("sender"))
        let devices = try (0..<80).map { try server.device(crowd, "d\($0)") }
        let writer = try server.device(sender)
        try writer.ok(["type": "follow", "topic": .string("user:" + crowd)])
        let texts = (0..<40).map { "m\($0)" }
        var last: Int64 = 0
        for text in texts {
            let sent = try writer.ok([
                "type": "send", "to": .string(crowd), "text": .string(text), "key": .string(text),
            ])
            last = sent["seq"]?.integerValue ?? last
        }
        for device in devices {
            try device.wait(forSeq: last)
            let heard = device.messages.filter { $0["type"] == "message" }.compactMap { $0["text"]?.stringValue }
            #expect(heard == texts)
        }
    }
}
