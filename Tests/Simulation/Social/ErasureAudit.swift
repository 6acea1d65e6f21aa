import ClientProtocol
import GRDB
import JSON
import Model
import SimulatedKernel

/// Checks that erasures end, and that no log and no database has the name or the texts of an erased person afterwards.
/// - Confinement: the one thread
struct ErasureAudit {
    let world: World

    private var ledger: Ledger { world.ledger }

    /// Waits until all erasures are done, and checks that the people are put out.
    ///
    /// - Throws: ``Broken``
    func run() throws {
        for erasure in ledger.social.erasures {
            try finish(erasure)
            if erasure.mode != "keep" { for text in ledger.texts(of: erasure.user) { ledger.social.isGone(text) } }
            if let device = world.devices.first(where: { $0.user == erasure.user && !$0.isStopped }) {
                throw Broken("\(device.name) of \(erasure.user), who is erased, still has a session")
            }
            let newcomer = try world.addDevice(of: erasure.user, isComplete: false)
            try world.run(until: sim_now() + 60_000) { newcomer.isStopped || newcomer.isLive }
            guard newcomer.isStopped else { throw Broken("\(erasure.user), who is erased, was let in") }
        }
    }

    private func finish(_ erasure: SocialLedger.Erasure) throws {
        guard let id = erasure.id else { throw Broken("the erasure of \(erasure.user) was not answered") }
        var state: JSONValue?
        for _ in 0..<120 {
            let question = Feed.Question("erasures/" + id)
            world.feed.add(.question(question))
            try world.run(until: sim_now() + 60_000) { question.answer != nil }
            state = question.answer
            if state?["state"] == "done" { break }
            try world.settle(milliseconds: 500)
        }
        guard state?["state"] == "done", state?["messages"] == .string(erasure.mode) else {
            throw Broken("the erasure of \(erasure.user) is not done after a minute: \(state?.text ?? "")")
        }
    }

    /// Checks the events of somebody else.
    ///
    /// - Throws: ``Broken``
    func check(_ events: [Device.Event], of user: UserID) throws {
        for erasure in ledger.social.erasures {
            let texts = erasure.mode == "keep" ? [] : Set(ledger.texts(of: erasure.user))
            for event in events {
                if event.body.text.contains(erasure.user.text) {
                    throw Broken("\(user) gets the name of somebody who is erased: \(event.body.text)")
                }
                let text = event.body["text"]?.stringValue
                if let text, texts.contains(text) {
                    throw Broken("\(user) gets a text of somebody who is erased: \(event.body.text)")
                }
                let isTheirs = event.name == .message && event.body["from"]?.stringValue == erasure.pseudonym
                guard isTheirs, erasure.mode != "keep", event.body["deleted"] != true else { continue }
                throw Broken("\(user) gets a message of somebody who is erased: \(event.body.text)")
            }
        }
    }

    /// Checks that the database of a machine that is off has neither the names nor the texts.
    ///
    /// - Throws: ``Broken``
    func check(_ machine: Machine) throws {
        guard !ledger.social.erasures.isEmpty else { return }
        var words: [String: UserID] = [:]
        for erasure in ledger.social.erasures {
            words[erasure.user.text] = erasure.user
            guard erasure.mode != "keep" else { continue }
            for text in ledger.texts(of: erasure.user) {
                if let word = text.split(separator: "]").first { words[word + "]"] = erasure.user }
            }
        }
        for (table, rows) in try NodesAudit.rows(of: machine) {
            for row in rows {
                guard let found = words.first(where: { row.contains($0.key) }) else { continue }
                throw Broken("the table \(table) still has \(found.key) of \(found.value), who is erased: \(row)")
            }
        }
    }
}
