import JSON
import Model
import Testing

@testable import ClientProtocol

/// The envelope: ids, unknown commands, and texts refused as a whole.
@Suite struct CommandMessageTests {
    @discardableResult
    private func decode(_ text: String) throws(RefusedCommand) -> any Command {
        try CommandMessage(Array(text.utf8)).command()
    }

    private func refused(_ text: String) -> RefusedCommand? { refused(Array(text.utf8)) }

    private func refused(_ bytes: [UInt8]) -> RefusedCommand? {
        do throws(RefusedCommand) {
            _ = try CommandMessage(bytes).command()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: ["7", "-1", "1.50", "1e3", #""a""#, #""\u0061\n""#, "0.0", #""é""#])
    func `the id is sent back exactly as it came`(id: String) throws {
        let message = try CommandMessage(Array(#"{"type":"ping","id": \#(id) }"#.utf8))
        let reply = Reply.ok(re: message.id)
        #expect(String(decoding: reply, as: UTF8.self) == #"{"re":\#(id),"ok":{}}"#)
    }

    @Test(arguments: [#"{"type":"ping"}"#, #"{"type":"ping","id":null}"#, #"{"type":"ping","id":""}"#])
    func `without an id no reply is wanted`(text: String) throws {
        #expect(try CommandMessage(Array(text.utf8)).id == nil)
    }

    @Test(arguments: [
        (#"{"type":"notifications","id":1,"kind":"review"}"#, "notifications ignores the unknown field 'kind'"),
        (#"{"type":"ping","id":1,"a":1,"b":null}"#, "ping ignores the unknown field 'a'"),
        (
            #"{"type":"ping","id":1,"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}"#,
            "ping ignores the unknown fields 'a', 'b', 'c', 'd' and 2 more"
        ),
        (
            "{\"type\":\"ping\",\"id\":1,\"\(String(repeating: "x", count: 900))\":1}",
            "ping ignores the unknown field '\(String(repeating: "x", count: 32))'"
        ),
        (#"{"type":"ping","id":1,"\u0061\"":1}"#, #"ping ignores the unknown field 'a"'"#),
    ])
    func `fields that a command does not have are ignored, and the reply names them`(text: String, warning: String)
        throws
    {
        let message = try CommandMessage(Array(text.utf8))
        #expect(message.warning == warning)
        for bytes in [Reply.ok(re: message.id), Reply.ok(re: message.id, encoded: Array("{}".utf8))] {
            let reply = try JSONValue(parsing: bytes)
            #expect(reply == ["re": 1, "ok": [:], "warnings": [.string(warning)]])
            #expect(try ServerMessage.decode(bytes) == .reply(re: RequestID(1), .success([:])))
        }
        #expect(
            try JSONValue(parsing: Reply.error(re: message.id, Refusal(.internal, "x")))["warnings"] == [
                .string(warning)
            ])
    }

    @Test func `no command of the vocabulary has an unknown field`() throws {
        for row in vocabulary {
            #expect(try CommandMessage(row.example.bytes).warning == nil, "\(row.testDescription)")
        }
    }

    @Test(arguments: ["true", "[]", "{}"])
    func `an id of another type is refused`(id: String) {
        #expect(refused(#"{"type":"ping","id":\#(id)}"#)?.refusal.field == "id")
    }

    @Test func `an erased person is named as the author of messages alone`() throws {
        let search = try decode(#"{"type":"search","q":"x","from":"~4f2c"}"#)
        #expect((search as? SearchCommand)?.author?.text == "~4f2c")
        let chat = try decode(#"{"type":"history","chat":"bob:~4f2c"}"#)
        #expect((chat as? HistoryCommand)?.chat.text == "bob:~4f2c")
        for command in [
            #""type":"send","to":"~4f2c","text":"x","key":"k""#, #""type":"block","user":"~4f2c""#,
            #""type":"room.create","title":"t","members":["~4f2c"]"#,
        ] { #expect(refused("{\(command)}")?.refusal.code == .badRequest, "\(command)") }
    }

    @Test func `an unknown command is answered as such`() {
        let answer = refused(#"{"id":"x","type":"teleport"}"#)
        #expect(answer?.id == RequestID("x"))
        #expect(answer?.refusal.code == .unknownCommand)
        #expect(answer?.refusal.message == "there is no command 'teleport'")
    }

    @Test(
        arguments: [
            (#"{"id":7}"#, "type"), (#"{"id":7,"type":5}"#, "type"), (#"{"id":7,"type":"ping","x":1,"x":2}"#, "x"),
            (#"{"type":"ping","x":{"y":1,"y":2},"id":7}"#, "x.y"), (#"{"x":[1e999],"id" : 7,"type":"ping"}"#, "x.0"),
            (#"{"a":"\"id\":1","b":["id",{"id":2}],"c":tru,"id":7}"#, "c"), (#"{"id":7,"type":"ping""#, nil),
            (#"{"id":7,"type":"ping"} x"#, nil), (#"{"id":7,"id":8,"type":"ping"}"#, "id"),
        ] as [(String, String?)]
    )
    func `the id is found in a command that is refused`(text: String, field: String?) {
        let answer = refused(text)
        #expect(answer?.id == RequestID(7))
        #expect(answer?.refusal.code == .badRequest)
        #expect(answer?.refusal.field == field)
    }

    @Test(arguments: [
        "", "7", "[]", "null", "\"ping\"", "{", "{\"id\":", "{\"id\":[1],\"x\":tru}", "\u{feff}{}", "{\"id",
    ])
    func `a message that is not a command and has no id is refused without an id`(text: String) {
        let answer = refused(text)
        #expect(answer != nil)
        #expect(answer?.id == nil)
        #expect(answer?.refusal.code == .badRequest)
    }

    @Test(arguments: [
        ("", "the command ends too early"), ("[]", "the command must be an object"),
        (#"{"type":"ping","x":tru}"#, "x has an unexpected '}' at byte 22"),
        (#"{"type":"ping"} 5"#, "the command is followed by something else, from byte 16"),
        (#"{"type":"ack","seq":"4"}"#, "seq must be a whole number"), (#"{"type":"ack"}"#, "seq is required"),
        (#"{"type":"read","chat":"bob:alice","n":1}"#, "chat must be \(ChatID.form)"),
        (#"{"type":"get","path":"a"}"#, "path is not a document path: \(DocumentPath.Problem.collectionOnly.message)"),
    ])
    func `a refusal says what is wanted`(text: String, message: String) {
        #expect(refused(text)?.refusal.message == message)
    }

    @Test func `invalid UTF-8 is refused naming the member, with the id`() {
        let bytes = Array(#"{"id":7,"type":"send","text":""#.utf8) + [0xff] + Array(#""}"#.utf8)
        #expect(refused(bytes)?.id == RequestID(7))
        #expect(refused(bytes)?.refusal.field == "text")
    }

    @Test func `depth over sixteen is refused also where nobody looks`() {
        let nested = String(repeating: "[", count: 15) + String(repeating: "]", count: 15)
        #expect(throws: Never.self) { try decode(#"{"id":7,"type":"ping","x":\#(nested)}"#) }
        let answer = refused(#"{"id":7,"type":"ping","x":[\#(nested)]}"#)
        #expect(answer?.id == RequestID(7))
        #expect(answer?.refusal.field?.hasPrefix("x.0") == true)
    }

    @Test func `a document may use the depth that is left`() throws {
        let nested = String(repeating: "{\"a\":", count: 14) + "1" + String(repeating: "}", count: 14)
        let text = #"{"type":"put","path":"a/b","key":"k","data":{"x":\#(nested)}}"#
        let put = try #require(try decode(text) as? PutCommand)
        #expect(JSONValue.object(put.data).text == #"{"x":\#(nested)}"#)
    }

    @Test func `a message over the limit is too large, and its id is found`() {
        let text = #"{"id":7,"type":"ping","x":"\#(String(repeating: "x", count: Limits.messageBytesMax))"}"#
        #expect(refused(text)?.id == RequestID(7))
        #expect(refused(text)?.refusal.code == .tooLarge)
        let bytes = Array(#"{"id":7,"type":"ping"}"#.utf8)
        #expect(throws: Never.self) { try CommandMessage(bytes, messageBytesMax: bytes.count) }
        #expect(throws: RefusedCommand.self) {
            try CommandMessage(bytes, messageBytesMax: bytes.count - 1)
        }
    }

    @Test(arguments: ["x", "é", "😀"])
    func `a text has at most 4,000 characters, however many bytes they take`(character: String) throws {
        func send(_ count: Int) -> String {
            let text = String(repeating: character, count: count)
            return #"{"type":"send","to":"bob","key":"k","text":"\#(text)"}"#
        }
        #expect(throws: Never.self) { try decode(send(4000)) }
        #expect(refused(send(4001))?.refusal.message == "text must be 1 to 4000 characters")
    }

    @Test(arguments: [
        (#"{"type":"send","chat":"alice:bob","to":"bob","text":"x","key":"k"}"#, "to"),
        (#"{"type":"history","chat":"alice:bob","before":5,"after":2}"#, "after"),
        (#"{"type":"seen","upTo":5,"ids":["a"]}"#, "ids"),
    ])
    func `members that exclude each other are refused together`(text: String, field: String) {
        #expect(refused(text)?.refusal.field == field)
    }

    @Test func `a hostile number of members is refused or read, not suffered`() {
        let members = (0..<9000).map { "\"a\($0)\":0" }.joined(separator: ",")
        #expect(throws: Never.self) { try decode("{\(members),\"type\":\"ping\"}") }
        #expect(refused("{\(members),\"a5\":1,\"id\":7}")?.id == RequestID(7))
    }
}
