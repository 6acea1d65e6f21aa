import JSON
import Model
import Session
import Testing

@testable import watchwise

/// Texts of others have no power over the terminal that shows them.
@Suite struct EventLineTests {
    @Test(arguments: [
        (
            #"{"type":"message","seq":9,"chat":"alice:bob","n":2,"from":"bob","text":"Twice\u001b[2J!"}"#,
            "message               alice:bob 2  bob: Twice\\u{1b}[2J!"
        ),
        (
            #"{"type":"message","seq":9,"chat":"alice:bob","n":1,"from":"alice","product":{"id":"movie/603","title":"The Matrix"},"text":"see it"}"#,
            "message               alice:bob 1  alice: recommends The Matrix (movie/603): see it"
        ),
        (
            #"{"type":"message.deleted","seq":9,"chat":"room:x","n":4,"reason":"moderated"}"#,
            "message.deleted       room:x 4  deleted  [moderated]"
        ),
        (
            #"{"type":"notification","seq":9,"title":"New follower","body":"alice\u009b31m"}"#,
            "notification          New follower | alice\\u{9b}31m"
        ),
        (
            #"{"type":"document","seq":9,"path":"tasks/1","version":2,"data":null}"#,
            "document              tasks/1  removed"
        ),
        (#"{"type":"new\u001b.kind","a":1}"#, #"new\u{1b}.kind        {"type":"new\u001b.kind","a":1}"#),
    ])
    func `an event is one line without power`(_ json: String, _ line: String) throws {
        let body = try JSONValue(parsing: Array(json.utf8))
        let event = ClientEvent(type: body["type"]?.stringValue ?? "", position: nil, body: body)
        #expect(EventLine.of(event) == line)
    }

    @Test func `a table's cell is printable, too`() throws {
        let row = try JSONValue(parsing: Array(#"{"reason":"\u001b[31mred"}"#.utf8))
        #expect(row.shown("reason") == "\\u{1b}[31mred")
    }
}
