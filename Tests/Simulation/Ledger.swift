import ClientProtocol
import JSON
import Model
import Session
import SimulatedKernel

/// The requests to the server and its answers: the truth with which its state is compared.
/// - Confinement: the one thread
final class Ledger {
    /// A command that writes, with its key.
    final class Write {
        let user: UserID
        let key: WriteKey
        let command: ClientCommand
        /// By the clock that nobody sets.
        let begunAt = sim_now()
        /// How often the wall clock had been set before.
        let clockMoves: Int
        /// Whether it goes by HTTP, and not by a session.
        var isPosted = false
        /// Whether it was stored while the wall clock was as far ahead as ever: then the server knows its age.
        var isDated = false
        /// The first `ok`; every later one must be the same.
        var reply: JSONValue?
        /// The reason of a final refusal.
        var refusal: Refusal?
        /// The number in the order of the first answers.
        var answers = 0

        init(_ user: UserID, _ key: WriteKey, _ command: ClientCommand, clockMoves: Int) {
            self.user = user
            self.clockMoves = clockMoves
            self.key = key
            self.command = command
        }
    }

    /// A document written over HTTP.
    final class Document {
        /// The date of a release that has been out for long.
        static let longAgo = "2000-01-01T09:00:00"

        let person: String
        let product: String
        /// The local time at which each follower is notified.
        let when: String
        /// The position of the write, when it was answered.
        var seq: Int64?
        /// Whether it is being deleted, or was.
        var isDeleted = false

        init(person: String, product: String, when: String) {
            self.person = person
            self.product = product
            self.when = when
        }

        var path: String { "people/\(person)/credits/\(product)" }
    }

    /// A broadcast to everyone or to a topic's followers.
    final class Notice {
        let title: String
        let audience: String
        let collapse: String?
        /// The time at which it is sent; without a zone, that of each person's clock. Nil for at once.
        let at: String?
        /// Set when it was answered.
        var id: String?
        /// Whether it is being taken back, or was.
        var isWithdrawn = false
        /// Whether it had no key, and its answer was lost: it may have been sent or not.
        var isUncertain = false

        init(_ title: String, to audience: String, collapse: String? = nil, at: String? = nil) {
            self.title = title
            self.at = at
            self.audience = audience
            self.collapse = collapse
        }
    }

    /// A trigger that is put once, and not repeated after a failure: the disk decides whether it exists.
    final class Trial {
        let name: String

        init(_ name: String) { self.name = name }
    }

    /// A name given to a person, with the position of the write when it was answered.
    final class Name {
        let person: String
        let text: String
        var seq: Int64?

        init(of person: String, _ text: String) {
            self.person = person
            self.text = text
        }
    }

    private(set) var writes: [Write] = []
    private var byKey: [WriteKey: Write] = [:]
    var documents: [Document] = []
    var names: [Name] = []
    var notices: [Notice] = []
    var trials: [Trial] = []
    var social = SocialLedger()
    var ages = Ages()
    /// Whether the log is trimmed, so that a device may be too late for missed events.
    var mayReset = false
    /// The first invariant that broke.
    private(set) var broken: Broken?
    private var nextKey = 0

    func broke(_ reason: String) {
        if broken == nil { broken = Broken(reason) }
    }

    /// A key that was never used.
    func makeKey() -> WriteKey? {
        nextKey += 1
        return WriteKey("k\(nextKey)")
    }

    func begin(_ command: ClientCommand, by user: UserID, _ key: WriteKey) -> Write {
        let write = Write(user, key, command, clockMoves: ages.moves)
        writes.append(write)
        byKey[key] = write
        return write
    }

    func answered(_ key: WriteKey, of user: UserID, _ reply: ClientReply) {
        guard let write = byKey[key] else { return broke("an answer to a write that nobody made: \(key)") }
        switch reply {
        case .ok(let body):
            write.answers += 1
            if write.reply == nil { write.isDated = ages.isHighest && write.clockMoves == ages.moves }
            if let first = write.reply, plain(first) != plain(body) {
                broke("\(key) was answered with \(body.text) after \(first.text)")
            }
            if write.refusal != nil { broke("\(key) was done after it was refused") }
            write.reply = body
            social.answered(write, body)
        case .refused(let refusal):
            if write.reply != nil, !isErased(user) { broke("\(key) was refused after it was done: \(refusal.message)") }
            if !mayRefuse(write, refusal) { broke("\(key) was refused: \(refusal.message)") }
            if write.refusal != nil, !refusal.isKept, !isErased(user) {
                broke("\(key) was decided again after it was refused: \(refusal.message)")
            }
            if let first = write.refusal, first.code != refusal.code, !isErased(user) {
                broke("\(key) was refused with \(refusal.code) after \(first.code)")
            }
            write.refusal = refusal
        case .lost: break  // the device was stopped, or says why it ended
        }
    }
}
