import Client
import ClientProtocol
import JSON
import Model

/// The conversations to play, and how.
struct ReplayPlan {
    var dialogues: [Dialogue]
    /// The members of the rooms.
    private(set) var rooms: [ChatID: [UserID]] = [:]
    let deviceCount: Int
    let concurrency: Int
    let speed: Speed
    let patienceMilliseconds: Int64
    /// Further nodes of the server's cluster.
    var others: [ServerAddress] = []
    /// How often some device moves to another node; nil for never.
    var moveEveryMilliseconds: Int64?

    /// The user with whose token triggers are read.
    var operatorID: UserID { dialogues[0].initiator }
}

extension ReplayPlan {
    /// The ledger has a bit for each device of a chat.
    private static let devicesMax = 64
    private static let dialoguesMax = 4

    /// Makes rooms and moves every Nth conversation into one; up to four share one, and everybody who talks in one of
    /// them is a member.
    ///
    /// - Parameter period: 0 moves none.
    mutating func makeRooms(every period: Int, on server: ServerAddress, mint: TokenMint) throws(LoadFailure) {
        guard period > 0 else { return }
        var (group, members): ([Int], [UserID]) = ([], [])
        for index in stride(from: period - 1, to: dialogues.count, by: period) {
            let pair = [dialogues[index].initiator, dialogues[index].respondent]
            let newcomers = pair.filter { !members.contains($0) }
            if group.count == Self.dialoguesMax || (members.count + newcomers.count) * deviceCount > Self.devicesMax {
                try makeRoom(group, members, on: server, mint: mint)
                (group, members) = ([], [])
            }
            group.append(index)
            members += pair.filter { !members.contains($0) }
        }
        if !group.isEmpty { try makeRoom(group, members, on: server, mint: mint) }
    }

    private mutating func makeRoom(
        _ group: [Int], _ members: [UserID], on server: ServerAddress, mint: TokenMint
    ) throws(LoadFailure) {
        let calls = AdminCalls(server: server, token: mint.token(for: members[0]))
        let command: JSONValue = [
            "type": .string(RoomCreateCommand.name), "title": "Films",
            "members": .array(members.dropFirst().map { .string($0.text) }),
        ]
        let answer = try calls.perform("POST", "/v1/commands", command)
        guard let room = answer["ok"]?["chat"]?.stringValue.flatMap(ChatID.init) else {
            throw LoadFailure("room.create was answered with \(answer.text)")
        }
        // Strangers are asked, and say yes.
        for member in members where answer["ok"]?["invited"]?.arrayValue?.contains(.string(member.text)) == true {
            let calls = AdminCalls(server: server, token: mint.token(for: member))
            let accept: JSONValue = ["type": .string(RoomAcceptCommand.name), "chat": .string(room.text)]
            let accepted = try calls.perform("POST", "/v1/commands", accept)
            guard accepted["ok"] != nil else {
                throw LoadFailure("room.accept was answered with \(accepted.text)")
            }
        }
        rooms[room] = members
        for index in group { dialogues[index].chat = room }
    }
}
