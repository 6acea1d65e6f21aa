import ClientProtocol
import JSON
import Model
import Services
import Testing
@testable import Admin

/// The bodies of `POST /v1/broadcasts` and `POST /v1/documents`: what is wrong is refused, and the field is named.
@Suite struct RequestBodyTests {
    private func object(_ text: String) throws -> JSONObject {
        try #require(try JSONValue(parsing: Array(text.utf8)).objectValue)
    }

    /// The field of the refusal, which must be a `bad-request`.
    private func refusedField(_ body: () throws -> Void) throws -> String {
        do { try body() } catch let refusal as Refusal {
            #expect(refusal.code == .badRequest)
            return refusal.field ?? ""
        }
        return "nothing was refused"
    }

    @Test(arguments: [
        (#"{"title":"T"}"#, "audience"),
        (#"{"audience":"all","title":"T"}"#, "audience"),
        (#"{"audience":"everyone"}"#, "title"),
        (#"{"audience":"everyone","title":""}"#, "title"),
        (#"{"audience":"everyone","title":{}}"#, "title"),
        (#"{"audience":"everyone","title":{"en":"T","it":1}}"#, "title.it"),
        (#"{"audience":"everyone","title":{"no tag":"T"}}"#, "title.no tag"),
        (#"{"audience":"everyone","title":"T","body":7}"#, "body"),
        (#"{"audience":"everyone","title":"T","level":"loud"}"#, "level"),
        (#"{"audience":"everyone","title":"T","data":[]}"#, "data"),
        (#"{"audience":"everyone","title":"T","expires":"tomorrow"}"#, "expires"),
        (#"{"audience":"everyone","title":"T","collapse":""}"#, "collapse"),
        (#"{"audience":"everyone","title":"T","dryRun":1}"#, "dryRun"),
        (#"{"audience":"everyone","title":"T","when":"now"}"#, "when"),
    ]) func `a broadcast with a wrong field`(_ body: String, _ field: String) throws {
        #expect(try refusedField { _ = try BroadcastBody(try object(body)) } == field)
    }

    @Test func `a broadcast's title and body are as long as allowed, counted in characters and not in bytes`() throws {
        let title = String(repeating: "é", count: Limits.titleCharactersMax)
        _ = try BroadcastBody(try object(#"{"audience":"everyone","title":"\#(title)"}"#))
        let field = try refusedField {
            _ = try BroadcastBody(try object(#"{"audience":"everyone","title":"\#(title)é"}"#))
        }
        #expect(field == "title")
    }

    @Test(arguments: [
        (#"{}"#, "writes"),
        (#"{"writes":[]}"#, "writes"),
        (#"{"writes":[{"op":"delete"}]}"#, "writes[0].path"),
        (#"{"writes":[{"op":"delete","path":"a/b"},{"op":"delete","path":"a"}]}"#, "writes[1].path"),
        (#"{"writes":[{"op":"move","path":"a/b"}]}"#, "writes[0].op"),
        (#"{"writes":[{"op":"put","path":"a/b"}]}"#, "writes[0].data"),
        (#"{"writes":[{"op":"delete","path":"a/b","ifVersion":-1}]}"#, "writes[0].ifVersion"),
    ]) func `a batch with a wrong field`(_ body: String, _ field: String) throws {
        #expect(try refusedField { _ = try BatchBody(try object(body)) } == field)
    }

    @Test func `a batch may have as many writes as allowed, and not one more`() throws {
        let write = #"{"op":"put","path":"a/b","data":{}}"#
        let full = Array(repeating: write, count: DocumentLimits.batchMax).joined(separator: ",")
        #expect(try BatchBody(try object(#"{"writes":[\#(full)]}"#)).writes.count == DocumentLimits.batchMax)
        #expect(try refusedField { _ = try BatchBody(try object(#"{"writes":[\#(full),\#(write)]}"#)) } == "writes")
    }
}
