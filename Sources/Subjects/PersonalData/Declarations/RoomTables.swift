/// The tables of rooms.
///
/// - Confinement: any
enum RoomTables {
    static let rooms = TableDeclaration(
        key: ["chat"],
        [
            .numbers("chat", "open", "pace", "members", "created", "shown"), .texts("title", are: .othersWords),
            .texts("posting", "history", are: .word),
        ],
        export: .command("`rooms`"), kept: .state("a room stays as long as its chat"))

    static let members = TableDeclaration(
        key: ["chat", "user"],
        [
            .numbers("chat", "since", "first", "joined", "muted", "sent", "willing"),
            .person("user", .handled("MessageErasure.eraseMarks makes the person leave each room")),
            .texts("role", are: .word),
        ],
        export: .command("`rooms`, with the role"), kept: .state("until the member leaves"))

    static let bans = TableDeclaration(
        key: ["chat", "user"],
        [
            .numbers("chat", "at", "until", "firm"), .person("user", .rowGoes("ban from a room")),
            .texts("reason", are: .othersWords),
        ],
        export: .lines([banLines]), kept: .state("until somebody lifts the ban"))

    static let restraints = TableDeclaration(
        key: ["chat", "user"], [.numbers("chat", "muted", "sent"), .person("user", .rowGoes("restriction"))],
        export: .lines([restraintLines]), kept: .state("until the person joins the room again"))

    static let invitations = TableDeclaration(
        key: ["chat", "user"],
        [
            .numbers("chat", "at"), .person("user", .rowGoes("invitation")),
            .person(
                "inviter", .handled("RelationErasure withdraws those that the person made, with an event for each")),
        ],
        export: .lines([invitationLines, invitedLines]),
        kept: .swept("TrimLog deletes those that nobody has answered; a no stays, so that nobody puts the person back"))

    static let pastRooms = TableDeclaration(
        key: ["user", "until"], [.person("user", .pseudonym), .numbers("until", "chat", "since")],
        export: .omitted("the server's own work, which ends by itself"), kept: .log(by: "until"))

    static let leftRooms = TableDeclaration(
        key: ["user", "chat"], [.person("user", .pseudonym), .numbers("chat")],
        export: .command("the person's own messages in rooms that the person has left"),
        kept: .state("one row for each room that a person was in; the erasure needs it"))

    static let deletions = TableDeclaration(
        key: ["chat", "n"], [.numbers("chat", "n")], export: .omitted("has no person"),
        kept: .state("one number for each deleted message of a room"))

    static let changes = TableDeclaration(
        key: ["seq"], [.numbers("seq", "message")], export: .omitted("has no person"), kept: .log(by: "seq"))

    private static let banLines = ExportedLines(
        "ban", place: "chats.name",
        """
        'room', chats.name, 'at', \(ExportedLines.time("at")), 'until', \(ExportedLines.time("until")),
        'reason', reason
        """,
        from: "room_bans JOIN chats ON chats.id = room_bans.chat", of: "room_bans.user = ?1")

    private static let restraintLines = ExportedLines(
        "restraint", place: "chats.name",
        "'room', chats.name, 'mutedUntil', \(ExportedLines.time("muted")), 'sent', \(ExportedLines.time("sent"))",
        from: "room_restraints JOIN chats ON chats.id = room_restraints.chat", of: "room_restraints.user = ?1")

    private static let invitationLines = ExportedLines(
        "invitation", place: "chats.name",
        """
        'chat', chats.name, 'by', users.name, 'at', \(ExportedLines.time("at")),
        'declined', iif(inviter IS NULL, json('true'), NULL)
        """,
        from: """
            room_invitations JOIN chats ON chats.id = room_invitations.chat
            LEFT JOIN users ON users.id = room_invitations.inviter
            """,
        of: "room_invitations.user = ?1")

    private static let invitedLines = ExportedLines(
        "invitation", place: "chats.name || ' ' || users.name",
        "'chat', chats.name, 'user', users.name, 'at', \(ExportedLines.time("at"))",
        from: """
            room_invitations JOIN chats ON chats.id = room_invitations.chat
            JOIN users ON users.id = room_invitations.user
            """,
        of: "room_invitations.inviter = ?1")
}
