package import Model

/// The revocations in force, looked up in constant time whenever a token is shown.
///
/// A value, which every loop holds: what the database has at the start, then what commits bring.
/// - Confinement: any
package struct Revocations: Sendable {
    /// Until when each is in force, by `jti`.
    private var tokens: [String: Timestamp] = [:]
    private var users: [UserID: (issuedUpTo: Timestamp, until: Timestamp)] = [:]
    /// The size at which those that are over are looked for next: each costs a look once in a while, and none stays.
    private var pruneAt = Revocations.pruneAtLeast

    private static let pruneAtLeast = 1024

    /// Those that stand in the database.
    package init(_ revocations: [Revocation] = []) {
        for revocation in revocations { put(revocation) }
        pruneAt = max(Revocations.pruneAtLeast, 2 * count)
    }

    /// How many there are, with those that are over and not forgotten yet.
    package var count: Int { tokens.count + users.count }

    /// Puts one in force, and forgets such as are over when many have come.
    package mutating func add(_ revocation: Revocation, at now: Timestamp) {
        put(revocation)
        guard count >= pruneAt else { return }
        tokens = tokens.filter { $0.value > now }
        users = users.filter { $0.value.until > now }
        pruneAt = max(Revocations.pruneAtLeast, 2 * count)
    }

    /// Takes one out of force.
    package mutating func lift(_ subject: Revocation.Subject) {
        switch subject {
        case .token(let id): tokens[id] = nil
        case .user(let user, _): users[user] = nil
        }
    }

    /// Whether the token of these facts is revoked.
    /// - Parameter issuedAt: nil counts as the oldest.
    package func cover(
        tokenID: String?, of user: UserID, issuedAt: Timestamp?, at now: Timestamp
    ) -> Bool {
        if !tokens.isEmpty, let tokenID, let until = tokens[tokenID], now < until { return true }
        guard !users.isEmpty, let entry = users[user], now < entry.until else { return false }
        return issuedAt.map { $0 <= entry.issuedUpTo } ?? true
    }

    private mutating func put(_ revocation: Revocation) {
        switch revocation.subject {
        case .token(let id): tokens[id] = revocation.until
        case .user(let user, let time): users[user] = (time, revocation.until)
        }
    }
}
