import EventLoop
import Fanout
import Mail

/// One loop's answers to the sender of pushes, which asks who looks at a device before it sends.
///
/// - Confinement: loop
struct LookingAnswers {
    private let number: Int
    private let receivers: Receivers
    private let sender: Mailbox<PushMessage>?

    /// - Parameters:
    ///   - number: of the loop.
    ///   - sender: nil where no pushes are sent; then nothing is answered.
    init(ofLoop number: Int, _ receivers: Receivers, to sender: Mailbox<PushMessage>?) {
        self.number = number
        self.receivers = receivers
        self.sender = sender
    }

    /// Answers a question, also when none of its users is connected here: the sender counts the answers. It costs a
    /// look-up for each user, and a step for each of their sessions. A number that is no user's has none.
    func answer(_ question: PushQuestion) {
        guard let sender else { return }
        var sessions: [LookingSession] = []
        for user in question.users {
            receivers.hub.subscribers(of: user).forEach { slot in
                if let session = receivers.bySlot[Int(slot)]?.looking, session.user == user { sessions.append(session) }
            }
        }
        sender.post(.looking(PushLooking(number: question.number, loop: number, sessions: sessions)))
    }
}
