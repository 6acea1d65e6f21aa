import ClientProtocol
import EventLoop
import Fanout
import Model
import Services

// A stream without a token is a session without a user: it has no inbox and no follows, so the hub does not know it, nor
// do presence, devices and what counts users. It is told what it watches, document by document as the rules open them to
// anyone, and nothing else. It reads no log: who was too slow, or comes back, says from where on (`Last-Event-ID`), and is
// told what has changed of the watched since. A watch that cannot begin ends the stream before it gave an id.
extension Session {
    /// Begins such a session. It is live from the loop's own position on, and asks for its watches one by one.
    func startOpen(_ greeting: Greeting) {
        let head = server.recent.head
        var cursor = DeliveryCursor(position: head)
        cursor.becomeLive(at: head)
        let none = UnreadCounts(chats: 0, notifications: 0)
        let identity = SessionIdentity(
            person: nil, on: tcp, isPlain: false, device: "", deviceLanguage: nil, storedDeviceLanguage: nil,
            chosenLanguage: nil, preferences: nil, cursor: cursor, counts: CountsTold(none, asOf: head))
        state = .ready(identity)
        // No token ends.
        expiresAt = Timestamp(milliseconds: .max)
        leaveStart()
        identity.watches.ask(greeting.watches, since: greeting.hello.since)
        queueAskedWatch()
        runQueue()
        connection.settle()
    }
}
