import Model
import Privacy
import Services
import ServicesTestSupport
import Store
import Testing

/// Rows of the audit about an erased person, from before the erasure and from after it.
struct ErasureAuditTests {
    private static func note(_ target: String, _ detail: String?) -> NoteAudit {
        let note = AuditNote(
            .operator, actor: "operator", tokenID: nil, address: "127.0.0.1", request: "r-1", action: "a",
            target: target,
            detail: detail)
        return NoteAudit(note, .done)
    }

    /// Requests of an operator, and how they stand in the audit; PSEUDONYM is that of bob.
    private static let rows: [(target: String, detail: String?, kept: String)] = [
        ("users/bob/kick", nil, "users/PSEUDONYM/kick"), ("publish/user:bob", nil, "publish/user:PSEUDONYM"),
        ("chats/bob:carol/messages", nil, "chats/carol:PSEUDONYM/messages"),
        ("documents/users/bob/notes/1", nil, "documents/users/PSEUDONYM/notes/1"),
        ("documents/users/carol/followers/bob", nil, "documents/users/carol/followers/PSEUDONYM"),
        ("documents/stations/bob", nil, "documents/stations/bob"), ("triggers/bob", nil, "triggers/bob"),
        ("revocations", #"{"user":"bob"}"#, #"revocations {"user":"PSEUDONYM"}"#),
        (
            "triggers/t", #"{"path":"users/bob/{x}/{y}","audience":"user:bob, film:bob"}"#,
            #"triggers/t {"path":"users/PSEUDONYM/{x}/{y}","audience":"user:PSEUDONYM, film:bob"}"#
        ),
        (
            "triggers/t/replay", #"{"collection":"users/bob/notes","reason":"bob"}"#,
            #"triggers/t/replay {"collection":"users/PSEUDONYM/notes","reason":"bob"}"#
        ),
        ("users/carol", #"{"user":"carol"}"#, #"users/carol {"user":"carol"}"#),
    ]

    @Test(arguments: [true, false])
    func `the audit has the pseudonym wherever the person stands in it`(isBefore: Bool) throws {
        let house = try House()
        for person in ["bob", "carol"] { _ = try house.actor(person) }
        func ask() throws {
            for row in Self.rows { try house.write(Self.note(row.target, row.detail), by: "server") }
        }
        if isBefore { try ask() }
        _ = try house.erase("bob")
        if !isBefore { try ask() }
        let (kept, pseudonym) = try house.look { transaction in
            let rows = try transaction.audit.page(AuditFilter(), before: .max, limit: 100, looked: 100)
                .entries.reversed()
            return (rows.map(\.note), try #require(try transaction.erasures.find(1)).pseudonym.text)
        }
        let shown = kept.map { note in note.detail.map { "\(note.target) \($0)" } ?? note.target }
        #expect(shown == Self.rows.map { $0.kept.replacing("PSEUDONYM", with: pseudonym) })
    }
}
