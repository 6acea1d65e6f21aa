/// The chats in which the user is writing, said to the others: not with each key, and not for longer than keys are pressed.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class Typings {
    /// How often it is said again, and how long after the last key it ends. Applications show it for some seconds more.
    static let againMilliseconds: Int64 = 3000
    static let endsMilliseconds: Int64 = 5000

    /// A chat in which something was typed.
    private struct Typing {
        var saidAt: Int64?
        let end: Deadline
    }

    private let clock: ClientClock
    private let say: (_ chat: String, _ isOn: Bool) -> Void
    private var chats: [String: Typing] = [:]

    /// - Parameter say: Tells the server.
    init(_ clock: ClientClock, say: @escaping (_ chat: String, _ isOn: Bool) -> Void) {
        self.clock = clock
        self.say = say
    }

    /// A key was pressed.
    func press(in chat: String) {
        let now = clock.ticks()
        var typing = chats[chat] ?? Typing(end: deadline(of: chat))
        if typing.saidAt.map({ now - $0 >= Self.againMilliseconds }) ?? true {
            typing.saidAt = now
            say(chat, true)
        }
        typing.end.set(now + Self.endsMilliseconds)
        chats[chat] = typing
    }

    private func deadline(of chat: String) -> Deadline {
        let end = Deadline(clock)
        end.fire = { [weak self] in self?.end(in: chat) }
        return end
    }

    /// The user does not write any more; nothing is said where nothing was said before.
    func end(in chat: String) {
        guard let typing = chats.removeValue(forKey: chat) else { return }
        typing.end.set(nil)
        say(chat, false)
    }
}
