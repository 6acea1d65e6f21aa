import ClientProtocol
package import Execution
package import JSON
package import Model
import Notifying
package import PersonalData
import Store

/// `DELETE /v1/users/ID`: the first transaction of an erasure. The sessions end, the name is refused, and the rest is done in
/// slices (``EraseSlice``).
///
/// The same again gives the same answer.
///
/// - Confinement: any
package struct EraseUser: WriteUseCase {
    let user: UserID
    let mode: ErasureMode
    /// Patterns of documents elsewhere that go as well.
    let documents: [String]
    let chance: ErasureChance
    package let key: WriteKey?

    package init(
        _ user: UserID, _ mode: ErasureMode, documents: [String], chance: ErasureChance, key: WriteKey?
    ) {
        self.user = user
        self.mode = mode
        self.documents = documents
        self.chance = chance
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("erase")
        fingerprint.add(user.text)
        fingerprint.add(mode.rawValue)
        for pattern in documents { fingerprint.add(pattern) }
    }

    package func perform(in context: WriteContext) throws -> AnswerWithFact {
        let transaction = context.transaction
        let known = try transaction.users.number(of: user)
        if let earlier = try transaction.erasure(of: user), !earlier.erased.isInvited,
            earlier.finished == nil || known == nil
        {
            return answer(earlier, at: transaction.head)
        }
        guard let known else { throw Refusal.noUser(user) }
        let entry = try begin(of: known, at: context.now, in: transaction)
        _ = try transaction.erasures.deleteDevices(of: known)
        return answer(entry, at: try transaction.appendSilently())
    }

    private func begin(of id: StreamID, at now: Timestamp, in transaction: WriteTransaction) throws -> ErasureEntry {
        let key = try transaction.keyOfErasures(orNew: chance.key)
        let erased = ErasedName(
            hash: ErasedNames.hash(of: user, key: key), at: now,
            until: now.adding(milliseconds: Limits.revocationMilliseconds), isInvited: false)
        return try transaction.beginErasure(
            of: user, id, as: erased, mode.rawValue, documents: JSONValue.array(documents.map { .string($0) }).text,
            chance, key: key)
    }

    private func answer(_ entry: ErasureEntry, at position: Position) -> AnswerWithFact {
        AnswerWithFact(
            [
                "erasure": .string(entry.wireName), "pseudonym": .string(entry.pseudonym.text),
                "seq": .integer(position.value),
            ],
            .erased)
    }
}

extension WriteTransaction {
    /// The key of the digests, which is kept with the first erasure.
    fileprivate func keyOfErasures(orNew new: String) throws -> String {
        if let key = try erasures.key() { return key }
        try erasures.setKey(new)
        return new
    }

    fileprivate func beginErasure(
        of name: UserID, _ id: StreamID, as erased: ErasedName, _ mode: String, documents: String,
        _ chance: ErasureChance, key: String
    ) throws -> ErasureEntry {
        let entry = ErasureEntry(
            id: try erasures.nextID(), erased: erased, user: id, name: name, pseudonym: try pseudonym(chance),
            mode: mode, documents: documents)
        try erasures.insert(entry)
        note(.erased(name, erased, key: key))
        return entry
    }

    /// A name that nobody has.
    fileprivate func pseudonym(_ chance: ErasureChance) throws -> UserID {
        for count in 4...chance.pseudonym.count {
            guard let name = UserID(pseudonym: String(chance.pseudonym.prefix(count))) else { continue }
            if try users.number(of: name) == nil, try streams.find(named: "@" + name.text) == nil { return name }
        }
        throw Refusal(.internal, "no pseudonym is free")
    }
}

/// Erases again those whom the ledger beside a restored database names.
///
/// - Confinement: any
package struct EraseAgain: WriteUseCase {
    let lines: [ErasureLine]
    let chance: ErasureChance

    /// - Parameter lines: those of which the database has no row.
    package init(_ lines: [ErasureLine], chance: ErasureChance) {
        self.lines = lines
        self.chance = chance
    }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        let transaction = context.transaction
        for line in lines {
            let key = try transaction.keyOfErasures(orNew: line.key)
            let found = try person(of: line, in: transaction.reading)
            if let (id, name) = found {
                _ = try transaction.erasures.deleteDevices(of: id)
                let erased = ErasedName(
                    hash: ErasedNames.hash(of: name, key: key), at: line.erased.at, until: line.erased.until,
                    isInvited: line.erased.isInvited)
                _ = try transaction.beginErasure(
                    of: name, id, as: erased, line.mode, documents: line.documents, chance, key: key)
            } else if key == line.key {
                try transaction.erasures.insert(
                    ErasureEntry(
                        id: transaction.erasures.nextID(), erased: line.erased, user: .nobody, name: nil,
                        pseudonym: transaction.pseudonym(chance), mode: line.mode, documents: line.documents,
                        phase: ErasurePhase.files.rawValue, finished: line.erased.at))
            }
        }
        _ = try transaction.appendSilently()
        return .erased
    }

    /// The person whose name has the digest, among all.
    private func person(of line: ErasureLine, in transaction: Transaction) throws -> (StreamID, UserID)? {
        var after = StreamID.nobody
        while true {
            let page = try transaction.users.page(after: after, limit: 1000)
            for user in page where ErasedNames.hash(of: user.name, key: line.key) == line.erased.hash {
                return (user.id, user.name)
            }
            guard let last = page.last else { return nil }
            after = last.id
        }
    }
}

/// `PUT /v1/users/ID`: makes a user known; the name of an erased person may come in again, as somebody new.
///
/// - Confinement: any
package struct InviteUser: WriteUseCase {
    let user: UserID
    package let key: WriteKey?

    package init(_ user: UserID, key: WriteKey?) {
        self.user = user
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("invite")
        fingerprint.add(user.text)
    }

    package func perform(in context: WriteContext) throws -> AnswerWithFact {
        let transaction = context.transaction
        if try transaction.erasures.isPseudonym(user) {
            throw Refusal(
                .conflict, "\(user.text) is the pseudonym of an erased person: nobody comes in under it", field: "user")
        }
        if let erasure = try transaction.erasure(of: user), !erasure.erased.isInvited {
            guard erasure.finished != nil, let key = try transaction.erasures.key() else {
                throw Refusal(
                    .conflict, "the erasure \(erasure.wireName) is at work; wait until it is done", field: "user")
            }
            try transaction.erasures.invite(erasure.id, at: context.now)
            let (old, hash) = (erasure.erased, erasure.erased.hash)
            transaction.note(
                .erased(nil, ErasedName(hash: hash, at: old.at, until: old.until, isInvited: true), key: key))
        }
        var notifier = Notifier(in: context)
        let isNew = try transaction.users.number(of: user) == nil
        _ = try notifier.inbox(of: user)
        let position = isNew ? try transaction.appendSilently() : transaction.head
        return AnswerWithFact(
            ["user": .string(user.text), "isNew": .bool(isNew), "seq": .integer(position.value)], .erased)
    }
}

/// `GET /v1/erasures/ID`: how far an erasure is, and in the end its certificate.
///
/// - Confinement: any
package struct ReadErasure: ReadUseCase {
    let name: String
    /// Seconds after which an entry of the journal goes; nil without a journal.
    let journalAgeSeconds: Int64?
    /// Milliseconds after which a copy goes that the server has made by itself; nil where it makes none.
    let copyMilliseconds: Int64?

    package init(_ name: String, journalAgeSeconds: Int64? = nil, copyMilliseconds: Int64? = nil) {
        self.name = name
        self.journalAgeSeconds = journalAgeSeconds
        self.copyMilliseconds = copyMilliseconds
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        guard let id = ErasureEntry.id(named: name), let entry = try context.transaction.erasures.find(id) else {
            throw Refusal(.notFound, "there is no erasure \(name)", field: "erasure")
        }
        var certificate = try entry.json
        let ages = [("journalForgets", journalAgeSeconds.map { $0 * 1000 }), ("copiesForget", copyMilliseconds)]
        for case (let member, let milliseconds?) in ages {
            certificate[member] = entry.finished.map { .string($0.adding(milliseconds: milliseconds).text) }
        }
        return certificate
    }
}

extension ErasureEntry {
    /// The name on the wire: `x7`.
    var wireName: String { "x\(id)" }

    /// The number of an erasure's name; nil when the text has another form.
    fileprivate static func id(named name: String) -> Int64? {
        guard name.first == "x", let id = Int64(name.dropFirst()), id > 0, "x\(id)" == name else { return nil }
        return id
    }

    /// The certificate. It does not have the name.
    fileprivate var json: JSONObject {
        get throws {
            var json: JSONObject = [
                "erasure": .string(wireName), "pseudonym": .string(pseudonym.text), "messages": .string(mode),
                "at": .string(erased.at.text), "state": finished == nil ? "running" : "done",
                "rows": .object(try StoredJSON.object(counts, place: "erasures.counts")),
                "kept": try JSONValue(parsing: Array(kept.utf8)),
                "refusedUntil": erased.isInvited ? .null : .string(erased.until.text),
                // Lines of the server's log up to then may have the name.
                "log": ["mayHaveNameUpTo": .string(erased.at.text)],
            ]
            if finished == nil {
                json["step"] = .integer(phase + 1)
                json["steps"] = .integer(Int64(ErasurePhase.allCases.count))
            }
            json["finished"] = finished.map { .string($0.text) }
            return json
        }
    }
}
