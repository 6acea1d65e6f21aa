/// The bounds of rooms, each with its reason.
///
/// - Confinement: any
package enum RoomLimits {
    /// Members of a room.
    package static let membersMax = 1000
    /// Rooms that a user may be in: each is a stream to merge at a resume.
    package static let roomsMax: Int64 = 1000
    /// Characters of a room's title.
    package static let titleCharactersMax = 200
    /// Seconds between two messages of a member of a room.
    package static let paceSecondsMax: Int64 = 21_600
    /// Characters of the reason of a removal.
    package static let reasonCharactersMax = 500
    /// Members up to which a room shows how far each of them has read and got the messages: beyond it each message of a room would cause an
    /// event of each member to each member. In larger rooms only one's own devices hear of what one has read.
    package static let receiptMembersMax: Int64 = 100
    /// Invitations that wait for one person's answer: a list that a person still reads.
    package static let invitationsMax: Int64 = 100
    /// Those of them that one person made: so nobody fills another's list.
    package static let invitationsOfOneMax: Int64 = 5
    /// Invitations of one person that wait for answers: they are withdrawn in one write.
    package static let invitedMax: Int64 = 1000
    /// Milliseconds that an invitation waits for its answer, and in which nobody asks again after a no or a leaving.
    package static let invitationMilliseconds: Int64 = 30 * 86_400_000
    /// Messages of a chat of two, the newest ones, among which one of the other person says that the two know each other.
    package static let acquaintanceMessages: Int64 = 200
    /// People that an event `room` names.
    package static let namedMax = 100
}
