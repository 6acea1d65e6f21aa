/// The things that people of a run do besides writing in chats of two, as the seed decides.
/// - Confinement: any
struct SocialKind {
    /// Whether people make rooms, come and go, and write in them.
    let hasRooms = Dice.once(in: 2)
    /// Whether messages are edited and deleted, and get reactions.
    let hasChanges = Dice.once(in: 3)
    /// Whether people block each other.
    let hasBlocks = Dice.once(in: 3)
    /// Whether there are guests, and they are erased while others write.
    let hasErasures = Dice.once(in: 4)
    /// Whether broadcasts wait for their time, or for that of each person's clock.
    let hasSchedules = Dice.once(in: 3)

    /// The commands whose writes the audits of rooms and changes count by their keys.
    static let counted: Set<String> = [
        "room.create", "room.update", "room.invite", "room.join", "room.accept", "room.decline", "room.leave",
        "room.remove", "room.role", "room.mute",
        "edit", "delete", "react", "block", "unblock",
    ]
}
