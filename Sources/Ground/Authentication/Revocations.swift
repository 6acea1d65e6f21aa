package import Model

/// The revocations in force, looked up in constant time for every token.
///
/// A value that every loop holds: those of the database at the start, and then those of commits.
/// - Confinement: any
package struct Revocations: Sendable {
    /// The end of each revocation, by `jti`.
    private var tokens: [String: Timestamp] = [:]
    private var users: [UserID: (issuedUpTo: Timestamp, until: Timestamp)] = [:]
    /// The number of revocations at which expired ones are removed next; so the removal costs little, and none stays
    /// for ever.
    private var pruneAt = Revocations.pruneAtLeast

    private static let pruneAtLeast = 1024

    /// Begins with the revocations in the database.
    package init(_ revocations: [Revocation] = []) {
        for revocation in revocations { put(revocation) }
        pruneAt = max(Revocations.pruneAtLeast, 2 * count)
    }

    /// The number of revocations, including expired ones that were not removed yet.
    package var count: Int { tokens.count + users.count }

    /// Puts a revocation in force, and removes expired ones when there are many.
    package mutating func add(_ revocation: Revocation, at now: Timestamp) {
        put(revocation)
        guard count >= pruneAt else { return }
        tokens = tokens.filter { $0.value > now }
        users = users.filter { $0.value.until > now }
        pruneAt = max(Revocations.pruneAtLeast, 2 * count)
    }

    /// Ends a revocation.
    package mutating func lift(_ subject: Revocation.Subject) {
        switch subject {
        case .token(let id): tokens[id] = nil
        case .user(let user, _): users[user] = nil
        }
    }

    /// Whether a token with these claims is revoked.
    /// - Parameter issuedAt: nil counts as the oldest time.
    package func cover(tokenID: String?, of user: UserID, issuedAt: Timestamp?, at now: Timestamp) -> Bool {
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
