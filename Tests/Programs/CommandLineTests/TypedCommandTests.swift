import ClientProtocol
import JSON
import Session
import Testing

@testable import watchwise

/// Commands as they are typed at `watchwise listen`.
@Suite struct TypedCommandTests {
    private static func read(_ line: String) throws -> JSONValue {
        let command = try TypedCommand.read(line) { "k-1" }
        return try JSONValue(parsing: command.encoded(id: 7))
    }

    @Test(arguments: [
        ("ping", #"{"id":7,"type":"ping"}"#),
        ("send to=bob text=Seen it twice!", #"{"id":7,"type":"send","to":"bob","text":"Seen it twice!","key":"k-1"}"#),
        (#"send to=bob text="a  b" key=mine"#, #"{"id":7,"type":"send","to":"bob","text":"a  b","key":"mine"}"#),
        ("send to=bob text=1+1=2 x=y", #"{"id":7,"type":"send","to":"bob","text":"1+1=2 x=y","key":"k-1"}"#),
        ("send to=bob text=it's fine", #"{"id":7,"type":"send","to":"bob","text":"it's fine","key":"k-1"}"#),
        ("read chat=alice:bob n=3", #"{"id":7,"type":"read","chat":"alice:bob","n":3,"key":"k-1"}"#),
        ("typing chat=alice:bob on=true", #"{"id":7,"type":"typing","chat":"alice:bob","on":true}"#),
        ("presence watch=bob,carol", #"{"id":7,"type":"presence","watch":["bob","carol"]}"#),
        (
            #"recommend to=bob product.id=movie/603 product.title="The Matrix" product.year=1999"#,
            #"{"id":7,"type":"recommend","to":"bob","#
                + #""product":{"id":"movie/603","title":"The Matrix","year":1999},"key":"k-1"}"#
        ),
        (
            #"put path=tasks/1 data={"done":false}"#,
            #"{"id":7,"type":"put","path":"tasks/1","data":{"done":false},"key":"k-1"}"#
        ),
        ("seen ids=n1,n2", #"{"id":7,"type":"seen","ids":["n1","n2"]}"#),
        (#"{"type":"follow","topic":"user:bob"}"#, #"{"id":7,"type":"follow","topic":"user:bob","key":"k-1"}"#),
    ])
    func `a line becomes a command`(_ line: String, _ message: String) throws {
        #expect(try Self.read(line) == JSONValue(parsing: Array(message.utf8)))
    }

    @Test(arguments: [
        ("sned to=bob text=x", "did you mean 'send'?"),
        ("hello token=x", "there is no command 'hello'"),
        ("send bob text=x", "'bob' is not FIELD=VALUE; 'help send' shows its fields"),
        ("send too=bob", "send has no field 'too'; did you mean 'to'?"),
        ("read chat=alice:bob n=three", "n must be a number, not 'three'"),
        ("typing chat=alice:bob on=yes", "on must be true or false, not 'yes'"),
        (#"send to=bob text="open"#, "a \" is not closed"),
        (#"{"type":"send","#, "this is not JSON"),
        (#"{"to":"bob"}"#, "a command needs a type"),
    ])
    func `a mistake is named`(_ line: String, _ sentence: String) {
        let mistake = #expect(throws: TypedCommand.Mistake.self) { try Self.read(line) }
        #expect(mistake?.sentence.contains(sentence) == true, "\(mistake?.sentence ?? "")")
    }

    @Test func `help knows each command but those that the session sends itself`() throws {
        let named = TypedCommand.summary.compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(Set(named) == Set(CommandTable.types.map { $0.name }).subtracting(["hello", "ack"]))
        #expect(TypedCommand.summary.contains("send to= text= [replyTo=]"))
        for name in named { #expect(try TypedCommand(named: name).help.first == name) }
        let help = try TypedCommand(named: "send").help.joined(separator: "\n")
        #expect(help.contains("to: a text") && help.contains("replyTo (optional): a number"), "\(help)")
    }
}
