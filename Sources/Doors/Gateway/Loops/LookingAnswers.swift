import EventLoop
import Fanout
import ThreadMessages

/// One loop's answers to the sender of pushes, on this node or another, which asks who looks at a device before it sends.
///
/// - Confinement: loop
struct LookingAnswers {
    private let number: Int
    private let receivers: Receivers
    private let sender: Mailbox<PushMessage>?
    private let others: Mailbox<ClusterMessage>?

    /// - Parameters:
    ///   - number: of the loop.
    ///   - sender: nil where no pushes are sent; then nothing is answered.
    ///   - others: the way to the other nodes; nil when there are none.
    init(
        ofLoop number: Int, _ receivers: Receivers, to sender: Mailbox<PushMessage>?,
        _ others: Mailbox<ClusterMessage>?
    ) {
        self.number = number
        self.receivers = receivers
        self.sender = sender
        self.others = others
    }

    /// Answers a question, also when none of its users is connected here: the sender counts the answers. It costs a
    /// look-up for each user, and a step for each of their sessions. A number that is no user's has none.
    func answer(_ question: PushQuestion) {
        if let sender { sender.post(.looking(looking(question))) }
    }

    /// Answers the question of another node.
    func answerElsewhere(_ question: PushQuestion) { others?.post(.signal(.looked(looking(question)))) }

    private func looking(_ question: PushQuestion) -> PushLooking {
        var sessions: [LookingSession] = []
        for user in question.users {
            receivers.hub.subscribers(of: user).forEach { slot in
                if let session = receivers.bySlot[Int(slot)]?.looking, session.user == user { sessions.append(session) }
            }
        }
        return PushLooking(number: question.number, loop: number, sessions: sessions)
    }
}
