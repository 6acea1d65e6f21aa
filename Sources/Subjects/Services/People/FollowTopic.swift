package import ClientProtocol
package import Execution
package import JSON
package import Model
import Notifying
import Store
import TriggerExecution
import Triggers

/// `follow` and `unfollow`: of a user, a film person, a series, a station. A repetition is no error.
///
/// - Confinement: any
package struct FollowTopic: WriteUseCase {
    let topic: Topic
    let isOn: Bool
    package let key: WriteKey?
    /// Set when an administrator writes the follow of a user as a document.
    let follower: UserID?

    /// - Parameters:
    ///   - isOn: false to stop following.
    ///   - follower: the user who follows; nil for the asking user.
    package init(_ topic: Topic, isOn: Bool, key: WriteKey?, follower: UserID? = nil) {
        self.topic = topic
        self.isOn = isOn
        self.key = key
        self.follower = follower
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add(isOn ? "follow" : "unfollow")
        fingerprint.add(topic.text)
        fingerprint.add(follower?.text)
    }

    package func perform(in context: WriteContext) throws -> Answer {
        var firing = TriggerFiring(in: context)
        return try perform(in: context, &firing)
    }

    /// The result of following or unfollowing.
    package struct Answer: UseCaseAnswer {
        let position: Position
        let followers: Int64
        /// Nil when nothing changed.
        let reports: TriggerReports?

        package func write(to reply: inout JSONWriter) {
            reply.member("seq", position.value)
            reply.member("followers", followers)
        }
    }

    func perform(in context: WriteContext, _ firing: inout TriggerFiring) throws -> Answer {
        let transaction = context.transaction
        let (id, name) = try followerIdentity(in: context, &firing.notifier)
        guard topic.user != name else { throw Refusal.badRequest(field: "topic", "must not be yourself") }
        let known = try transaction.streams.find(topic)
        let since = try known.flatMap { try transaction.follows.since(follower: id, stream: $0.id) }
        guard (since == nil) == isOn else {
            return Answer(position: since ?? transaction.head, followers: known?.followers ?? 0, reports: nil)
        }
        if isOn { try checkFollow(by: id, in: context) }
        let user = try transaction.reading.storedUser(id)
        guard !isOn || user.follows < Limits.followsMax else {
            throw Refusal(
                .tooMany,
                "a user follows at most \(Limits.followsMax) topics; unfollow one first",
                field: "topic"
            )
        }
        if isOn, let name = topic.user, try transaction.isErased(name, at: context.now) {
            throw Refusal.noUser(name, field: "topic")
        }
        let stream = try known?.id ?? transaction.streams.findOrMake(topic)
        if isOn { try transaction.topicCounts.willFollow(user, at: transaction.head) }
        let next = transaction.nextPosition
        let event =
            isOn
            ? Event.followed(seq: next, topic: topic, key: key, at: context.now)
            : Event.unfollowed(seq: next, topic: topic, key: key, at: context.now)
        let position = try transaction.append(event, to: id)
        if isOn {
            try transaction.follows.insert(follower: id, stream: stream, since: position)
        } else {
            try transaction.topicCounts.willUnfollow(stream, user, at: transaction.head)
            try transaction.follows.end(follower: id, stream: stream, at: position)
        }
        transaction.note(.subscription(user: id, stream: stream, isOn: isOn))
        context.countsChanged(of: id)
        let followers = try transaction.streams.addFollowers(isOn ? 1 : -1, to: stream)
        let reports = try firing.fire(
            isOn ? .create : .delete,
            in: context.collections.followCollections(ofKind: topic.kind),
            path: context.collections.followPath(of: topic, by: name),
            at: position
        ) {
            // The type is needed: without it, `nil` beside a document would become the null of JSON, which is a
            // document.
            let document: JSONValue? = StandingDocuments.follow(topic, by: name, at: context.now)
            return isOn ? (nil, document) : (document, nil)
        }
        return Answer(position: position, followers: followers, reports: reports)
    }

    /// - Throws: `Refusal`: `blocked` when the topic is a user who blocks the follower; `rate-limited` when the asking
    ///   user follows too often; `forbidden` when a muted user wants to follow another.
    private func checkFollow(by follower: StreamID, in context: WriteContext) throws {
        let transaction = context.transaction
        if self.follower == nil {
            try topic.user == nil ? context.count(.follow) : context.reachOthers(.follow)
        }
        guard let name = topic.user, try transaction.blocks.concern(follower),
            let user = try transaction.users.number(of: name),
            try transaction.blocks.since(follower, by: user) != nil
        else { return }
        throw Refusal(.blocked, "\(name.text) does not let you follow", field: "topic")
    }

    private func followerIdentity(
        in context: WriteContext, _ notifier: inout Notifier
    ) throws -> (StreamID, UserID) {
        guard let follower else { return try context.user() }
        return (try notifier.inbox(of: follower), follower)
    }
}

extension FollowCommand: AnsweredCommand {
    package var work: CommandWork { .write(FollowTopic(topic, isOn: true, key: key)) }
}

extension UnfollowCommand: AnsweredCommand {
    package var work: CommandWork { .write(FollowTopic(topic, isOn: false, key: key)) }
}
