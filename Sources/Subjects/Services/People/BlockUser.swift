package import ClientProtocol
package import Execution
package import JSON
package import Model
import Notifying
import Store
import TriggerExecution

/// `block` and `unblock`. A repetition is no error.
///
/// From the commit of a block on, neither of the two writes to the other, nor sees whether the other is online; the other
/// does not follow the user, invitations between the two are withdrawn, and what the other writes notifies the user of nothing. Only the user's own devices
/// hear of it.
///
/// - Confinement: any
package struct BlockUser: WriteUseCase {
    let other: UserID
    let isOn: Bool
    package let key: WriteKey?

    /// - Parameter isOn: false to end the block.
    package init(_ other: UserID, isOn: Bool, key: WriteKey?) {
        self.other = other
        self.isOn = isOn
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add(isOn ? "block" : "unblock")
        fingerprint.add(other.text)
    }

    package func perform(in context: WriteContext) throws -> Answer {
        let (id, name) = try context.user()
        guard other != name else { throw Refusal.badRequest(field: "user", "must be another user") }
        let transaction = context.transaction
        var firing = TriggerFiring(in: context)
        if isOn, try transaction.isErased(other, at: context.now) { throw Refusal.noUser(other) }
        // Somebody can be blocked before the server knows them, and is known from then on.
        let known = isOn ? try firing.notifier.inbox(ofNamed: other) : try transaction.users.number(of: other)
        let since = try known.flatMap { try transaction.blocks.since($0, by: id) }
        // The request is fulfilled already.
        guard let known, (since == nil) == isOn else { return Answer(position: since ?? transaction.head) }
        if isOn {
            guard try transaction.blocks.count(of: id) < ModerationLimits.blocksMax else {
                throw Refusal(.tooMany, "a user blocks at most \(ModerationLimits.blocksMax) people", field: "user")
            }
            try endFollow(of: name, by: known, in: context, &firing)
        }
        let event = Event.block(isOn, seq: transaction.nextPosition, user: other, key: key, at: context.now)
        let position = try transaction.append(event, to: id)
        if isOn {
            try transaction.blocks.insert(known, by: id, at: position, context.now)
            try Invitations(in: context).withdraw(by: known, to: id)
            try Invitations(in: context).withdraw(by: id, to: known)
        } else {
            try transaction.blocks.delete(known, by: id)
        }
        transaction.note(.blocked(known, by: id, isOn: isOn))
        return Answer(position: position)
    }

    /// The answer: `seq`.
    package struct Answer: UseCaseAnswer {
        let position: Position

        package func write(to reply: inout JSONWriter) { reply.member("seq", position.value) }
    }

    /// The other follows the user no longer. Their devices get `unfollowed`, as for every follow that ends.
    private func endFollow(
        of name: UserID, by follower: StreamID, in context: WriteContext, _ firing: inout TriggerFiring
    ) throws {
        let topic = Topic(user: name)
        guard let stream = try context.transaction.streams.find(topic),
            try context.transaction.follows.since(follower: follower, stream: stream.id) != nil
        else { return }
        _ = try FollowTopic(topic, isOn: false, key: nil, follower: other).perform(in: context, &firing)
    }
}

extension BlockCommand: AnsweredCommand {
    package var work: CommandWork { .write(BlockUser(user, isOn: true, key: key)) }
}

extension UnblockCommand: AnsweredCommand {
    package var work: CommandWork { .write(BlockUser(user, isOn: false, key: key)) }
}
