package import ClientProtocol
import Crypto
package import Model
package import Store

/// The names of erased people, which only their digests tell.
///
/// - Confinement: any
package struct ErasedNames: Sendable {
    /// Nil as long as nobody was erased.
    private var key: [UInt8]?
    private var names: [String: ErasedName] = [:]

    /// - Parameter key: of the digests, in hexadecimal digits.
    package init(key: String? = nil, _ names: [ErasedName] = []) {
        self.key = key.map { Array($0.utf8) }
        for name in names { put(name) }
    }

    /// The refusal of everything that an erased person wants.
    package static let refusal = Refusal(
        .forbidden, "this person was erased; PUT /v1/users/ID lets the name in again", field: "token")

    /// Reads all that are stored, with their pseudonyms.
    package init(in transaction: Transaction) throws {
        let key = try transaction.erasures.key()
        self.init(
            key: key,
            try transaction.erasures.all().flatMap { erasure in
                guard let key, !erasure.pseudonym.isPseudonym else { return [erasure.erased] }
                return [erasure.erased, Self.refused(erasure.pseudonym, since: erasure.erased.at, key: key)]
            })
    }

    /// A pseudonym of an earlier version, which a token could have for its user: it is refused like the name, and for ever.
    private static func refused(_ pseudonym: UserID, since time: Timestamp, key: String) -> ErasedName {
        ErasedName(
            hash: hash(of: pseudonym, key: key), at: time, until: Timestamp(milliseconds: .max), isInvited: false)
    }

    /// A name is erased from here on, or may come in again.
    package mutating func put(_ name: ErasedName, key: String) {
        self.key = Array(key.utf8)
        put(name)
    }

    private mutating func put(_ name: ErasedName) {
        guard names[name.hash].map({ $0.at <= name.at }) ?? true else { return }
        names[name.hash] = name
    }

    /// The digest of a name.
    package static func hash(of user: UserID, key: String) -> String { hash(of: user, key: Array(key.utf8)) }

    private static func hash(of user: UserID, key: [UInt8]) -> String {
        HMAC.sha256(key: key, message: Array(user.text.utf8))
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Whether a name is that of an erased person, and not let in again: the server's log leaves it out.
    package func has(_ user: UserID, at now: Timestamp) -> Bool {
        guard let key, let name = names[Self.hash(of: user, key: key)] else { return false }
        return now < name.until && !name.isInvited
    }

    /// - Throws: `Refusal`: `forbidden` for the token of an erased person; `token-revoked` for one from before the erasure, when
    ///   the name may come in again.
    package func check(_ user: UserID, issuedAt: Timestamp?, at now: Timestamp) throws(Refusal) {
        guard let key, let name = names[Self.hash(of: user, key: key)], now < name.until else { return }
        guard name.isInvited else { throw Self.refusal }
        guard let issuedAt, issuedAt > name.at else {
            throw Refusal(.tokenRevoked, "the token was revoked; a new one is needed", field: "token")
        }
    }
}

extension Tables {
    /// The newest erasure of a name; nil when there is none.
    package func erasure(of user: UserID) throws -> ErasureEntry? {
        guard let key = try erasures.key() else { return nil }
        return try erasures.newest(of: ErasedNames.hash(of: user, key: key))
    }

    /// Whether a name was erased, and is still refused: nobody makes it known again. A pseudonym always is.
    package func isErased(_ user: UserID, at now: Timestamp) throws -> Bool {
        if user.isPseudonym { return true }
        guard let erasure = try erasure(of: user) else { return false }
        return !erasure.erased.isInvited && now < erasure.erased.until
    }
}

extension WriteTransaction {
    /// Nothing new that bears a name comes into tables that its erasure has passed already.
    ///
    /// - Throws: `Refusal` (`not-found`) while the erasure of the name is at work.
    package func checkErasure(of name: UserID, field: String) throws {
        if try erasures.isAtWork(name) { throw Refusal.noUser(name, field: field) }
    }

    /// The same for the name in the path of a document of somebody's own.
    package func checkErasure(ofOwnerOf path: DocumentPath) throws {
        for name in try erasures.namesAtWork() where path.isOwn(by: name) { throw Refusal.noUser(name, field: "path") }
    }

    /// Puts a request into the audit. The pseudonym stands in the place of an erased
    /// person.
    package func noteInAudit(_ note: AuditNote, at time: Timestamp, _ outcome: AuditOutcome) throws {
        try audit.insert(try withoutErasedNames(note), at: time, outcome)
    }

    private func withoutErasedNames(_ note: AuditNote) throws -> AuditNote {
        guard try erasures.hasAny() else { return note }
        let places = NamedPlaces { id in try UserID(admitted: id).flatMap { try self.pseudonym(ofErased: $0) } }
        let target = try places.rewritten(target: note.target)
        return note.with(target: target, detail: try note.detail.map { try places.rewritten(detail: $0) })
    }

    /// Nil for somebody who is there, and for a name that was never erased.
    private func pseudonym(ofErased name: UserID) throws -> String? {
        guard try users.number(of: name) == nil else { return nil }
        return try erasure(of: name)?.pseudonym.text
    }
}
