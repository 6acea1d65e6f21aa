import ClientProtocol
import Model
import Store

/// Which chats a user may read and write.
///
/// - Confinement: store
struct ConversationRights {
    let transaction: Transaction

    /// The chat, if `user` is one of its members.
    ///
    /// - Throws: `Refusal`: `forbidden` for a chat of others, whether or not it exists; `not-found` for a chat of the
    ///   user that was never opened.
    func memberChat(
        _ name: ChatID,
        of user: StreamID,
        _ userName: UserID
    ) throws -> (chat: ChatEntry, members: [MemberEntry]) {
        if case .pair = name, name.other(than: userName) == nil { throw Self.foreignChat }
        guard let chat = try transaction.chats.find(name) else {
            if case .room = name { throw Self.foreignChat }
            throw Refusal(.notFound, "there is no chat \(name.text) yet; recommend something to open it", field: "chat")
        }
        let members = try transaction.chats.members(of: chat.id)
        guard members.contains(where: { $0.user == user }) else { throw Self.foreignChat }
        return (chat, members)
    }

    /// The numbers of the chats that a user may read.
    func memberChats(of user: StreamID) throws -> [Int64] { try transaction.chats.numbers(of: user) }

    /// Nobody writes to a person while one of the two blocks the other. In a room both stay.
    ///
    /// - Throws: `Refusal` (`blocked`), the same for both of them.
    func checkBlock(in chat: ChatID, _ members: [MemberEntry], of user: StreamID, field: String) throws {
        guard case .pair = chat, try transaction.blocks.concern(user),
            let other = members.first(where: { $0.user != user })?.user
        else { return }
        try checkBlock(between: user, and: other, field: field)
    }

    /// - Throws: `Refusal` (`blocked`) when one of two users blocks the other.
    func checkBlock(between user: StreamID, and other: StreamID, field: String) throws {
        guard try transaction.blocks.stands(between: user, and: other) else { return }
        throw Refusal(.blocked, "one of you has blocked the other", field: field)
    }

    /// Whether a member may delete a message of a chat: its author.
    func mayDelete(_ message: MessageEntry, in chat: ChatEntry, _ member: StreamID) -> Bool {
        message.author == member
    }

    static let foreignChat = Refusal(.forbidden, "you are not a member of this chat", field: "chat")
}
