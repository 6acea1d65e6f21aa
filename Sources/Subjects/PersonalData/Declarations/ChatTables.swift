import Model
import Store

/// The tables of chats and of their messages.
///
/// - Confinement: any
enum ChatTables {
    static let chats = TableDeclaration(
        key: ["id"],
        [
            .numbers("id", "last", "last_seq", "last_event"),
            .texts("name", are: .handled("RelationErasure.rename gives chats of two the pseudonym")),
        ],
        export: .command("`chats`"),
        kept: .state("a chat of two stays as long as its messages; only an erasure deletes it"))

    static let members = TableDeclaration(
        key: ["chat", "user"],
        [.numbers("chat", "read", "delivered", "unread"), .person("user", .pseudonym)],
        export: .command("`chats` and read marks"), kept: .with(.chats))

    static let messages = TableDeclaration(
        key: ["chat", "n"],
        [
            .numbers(
                "chat", "n", "seq", "at", "reply_to", "seen", "rev", "edited", "changed_seq", "deleted", "reactions"),
            .person("author", .pseudonym),
            .texts(
                "text", "product", are: .handled("MessageDeletion.erase takes it, unless the mode is keep")),
            .texts("key", are: .handled("clearKey takes it")),
        ],
        export: .command("`history`"),
        kept: .state("SweepMessages takes the content; the number stays, since numbers have no gaps"))

    static let pastMessages = TableDeclaration(
        key: ["chat", "n", "rev"],
        [
            .numbers("chat", "n", "rev", "at"),
            .texts("text", "product", are: .handled("MessageErasure.erasePast takes the row")),
        ],
        export: .omitted("texts that were taken back; they are kept for reports alone"),
        kept: .age(.edits, by: "at"))

    static let reactions = TableDeclaration(
        key: ["chat", "n", "emoji", "user"],
        [
            .numbers("chat", "n", "seq"),
            .person("user", .handled("MessageErasure takes each back, with an event")),
            .texts("emoji", are: .othersWords),
        ],
        export: .command("`reaction` of a message"), kept: .state("until it is taken back, or the message goes"))

    static let archivedChats = TableDeclaration(
        key: ["user", "chat"], [.person("user", .rowGoes("mark")), .numbers("chat", "seq")],
        export: .command("`archived` of a chat"), kept: .with(.chats))
}
