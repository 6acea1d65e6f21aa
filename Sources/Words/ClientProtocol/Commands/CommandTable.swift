import Model

/// Every command that a client can send.
///
/// - Confinement: any
package enum CommandTable {
    /// The commands in the order of the page Commands.md.
    package static let types: [any Command.Type] = [
        HelloCommand.self,
        AckCommand.self,
        PingCommand.self,
        PresenceCommand.self,
        FocusCommand.self,
        RecommendCommand.self,
        SendCommand.self,
        EditCommand.self,
        DeleteCommand.self,
        ReactCommand.self,
        ReadCommand.self,
        ArchiveCommand.self,
        TypingCommand.self,
        ChatsCommand.self,
        HistoryCommand.self,
        RoomCreateCommand.self,
        RoomUpdateCommand.self,
        RoomInviteCommand.self,
        RoomInvitationsCommand.self,
        RoomAcceptCommand.self,
        RoomDeclineCommand.self,
        RoomJoinCommand.self,
        RoomLeaveCommand.self,
        RoomRemoveCommand.self,
        RoomRoleCommand.self,
        RoomMuteCommand.self,
        RoomMembersCommand.self,
        RoomsCommand.self,
        SearchCommand.self,
        FollowCommand.self,
        UnfollowCommand.self,
        FollowingCommand.self,
        FollowersCommand.self,
        BlockCommand.self,
        UnblockCommand.self,
        BlocksCommand.self,
        ReportCommand.self,
        NotificationsCommand.self,
        NotificationCommand.self,
        SeenCommand.self,
        SnoozeCommand.self,
        PreferencesCommand.self,
        DeviceCommand.self,
        DevicesCommand.self,
        GetCommand.self,
        PutCommand.self,
        PatchCommand.self,
        RemoveCommand.self,
        WatchCommand.self,
        UnwatchCommand.self,
    ]

    /// The names of all members that each command may have, in the order of ``types``.
    static let fields: [KnownNames] = types.map { type in
        var names = ["id", "type"]
        for member in type.form.fields.joined() where !names.contains(member.name) { names.append(member.name) }
        return KnownNames(names)
    }

    private static let places = Dictionary(uniqueKeysWithValues: types.indices.map { (types[$0].name, $0) })

    /// The place of a command in ``types``.
    ///
    /// - Throws: `unknown-command`, with the name that was perhaps meant.
    static func place(of name: String) throws(Refusal) -> Int {
        if let place = places[name] { return place }
        let hint = NearestName.of(name, among: types.map { $0.name }).map { "; did you mean '\($0)'?" } ?? ""
        throw Refusal(.unknownCommand, "there is no command '\(name.prefix(64))'\(hint)", field: "type")
    }
}
