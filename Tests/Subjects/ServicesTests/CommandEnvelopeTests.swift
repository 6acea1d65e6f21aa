import ClientProtocol
import Execution
import Model
import Services
import Testing

/// The way from the bytes of a command to its work.
struct CommandEnvelopeTests {
    private func decode(_ text: String) throws -> CommandEnvelope {
        try CommandEnvelope.decode(Array(text.utf8)).get()
    }

    @Test(arguments: CommandTable.types.map { $0.name })
    func `every command of the table has its work`(name: String) {
        switch CommandEnvelope.decode(Array(#"{"id":7,"type":"\#(name)"}"#.utf8)) {
        case .success(let envelope): #expect(envelope.name == name)
        case .failure(let refused):
            #expect(refused.id == RequestID(7))
            #expect(refused.refusal.code == .badRequest)
        }
    }

    /// The rows of the table in Limits.md.
    @Test(arguments: [
        (#"{"type":"send","to":"bob","text":"hi","key":"k"}"#, 1),
        (#"{"type":"history","chat":"a:b","limit":200}"#, 21),
        (#"{"type":"chats","limit":9}"#, 1), (#"{"type":"notifications"}"#, 6),
        (#"{"type":"following","limit":20}"#, 3),
        (#"{"type":"followers","limit":20}"#, 3), (#"{"type":"seen","upTo":9}"#, 1),
        (#"{"type":"seen","ids":["n1","n2"]}"#, 2),
        (#"{"type":"snooze","ids":["n1","n2","n3","n4"],"until":"2026-11-21T10:00:00Z"}"#, 3),
        (#"{"type":"archive","ids":["n1","n2","n3","n4"]}"#, 3), (#"{"type":"archive","chat":"a:b","on":true}"#, 1),
        (#"{"type":"presence","watch":["a","b","c","d","e","f","g","h","i","j"]}"#, 2),
        (#"{"type":"room.create","title":"A","members":["a","b"],"key":"k"}"#, 3),
        (#"{"type":"room.invite","chat":"room:QQ3Z9NwMQ2hQXqUV","members":["a","b","c"],"key":"k"}"#, 4),
        (#"{"type":"watch","path":"a"}"#, 20),
        (#"{"type":"watch","path":"a/b"}"#, 2), (#"{"type":"patch","path":"a/b","data":{},"key":"k"}"#, 2),
        (#"{"type":"put","path":"a/b","data":{},"key":"k"}"#, 1),
    ])
    func `a command weighs what the page says`(text: String, weight: Int) throws {
        #expect(try decode(text).weight == weight)
        #expect(weight <= CommandEnvelope.weightMax(of: Array(text.utf8)))
    }

    /// Otherwise a client would wait for the time in its refusal, and never be let in.
    @Test func `the heaviest command fits into what may come at once`() throws {
        let names = (0..<RoomLimits.membersMax).map { number in
            "\"\(String(repeating: "a", count: 60))\(number)\""
        }
        let text =
            #"{"type":"room.create","title":"A","members":[\#(names.dropFirst().joined(separator: ","))],"key":"k"}"#
        let (weight, ofBytes) = (try decode(text).weight, text.utf8.count / Limits.bytesPerWeight)
        #expect(weight == Limits.commandWeightMax - 1)
        #expect(weight <= CommandEnvelope.weightMax(of: Array(text.utf8)))
        #expect(ofBytes + Limits.commandWeightMax <= Limits.commandsBurst)
    }

    @Test(arguments: [
        (#"{"type":"chats"}"#, true), (#"{"type":"notifications"}"#, true), (#"{"type":"watch","path":"a"}"#, true),
        (#"{"type":"typing","chat":"a:b","on":true}"#, true), (#"{"type":"presence","watch":[]}"#, true),
        (#"{"type":"preferences"}"#, true), (#"{"type":"preferences","set":{}}"#, false),
        (#"{"type":"preferences","set":{"colour":1}}"#, false), (#"{"type":"ping"}"#, false),
        (#"{"type":"hello"}"#, false), (#"{"type":"focus","on":true}"#, false),
        (#"{"type":"ack","seq":1}"#, false), (#"{"type":"unwatch","path":"a"}"#, false),
    ])
    func `a command that only reads is known before its work begins`(text: String, isRead: Bool) throws {
        #expect(try decode(text).work.isRead == isRead)
    }

    @Test func `a command that its use case refuses is read, so that the refusal waits for its turn`() throws {
        guard case .refused(let refusal) = try decode(#"{"type":"preferences","set":{"colour":1}}"#).work else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.field == "set.colour")
    }

    @Test func `a list and a document count with the memory that they take`() throws {
        let ids = #"{"type":"seen","ids":["n1","n2"]}"#
        #expect(try decode(ids).heldBytes == Limits.orderBytes + ids.utf8.count + 2 * Limits.listedIDBytes)
        let put = #"{"type":"put","path":"a/b","data":{"a":[1,2,3]},"key":"k"}"#
        #expect(try decode(put).heldBytes > Limits.orderBytes + put.utf8.count)
    }
}
