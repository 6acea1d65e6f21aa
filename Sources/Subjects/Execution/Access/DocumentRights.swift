package import ClientProtocol
import JSON
package import Model
import Store

/// The rights of the asking user on documents.
///
/// A document that the user may not read looks like one that is not there: the answer is `not-found` in the same words.
/// The path alone decides whether the user may write, before anything is looked up, so `forbidden` does not show what
/// is there. Where the document itself must name the writer, a user who may write other documents there can learn that
/// it exists and names somebody else.
///
/// - Confinement: store
package struct DocumentRights {
    package let rules: AccessRules
    let collections: TopicCollections
    let transaction: Transaction

    /// The rights by the rules in force.
    ///
    /// - Throws: `StoredValueProblem` when the stored rules cannot be read.
    init(_ rules: RulesInForce, _ collections: TopicCollections, in transaction: Transaction) throws {
        self.rules = try rules.table(in: transaction).rules
        self.collections = collections
        self.transaction = transaction
    }

    /// - Parameter roles: the roles in the user's token.
    /// - Throws: `Refusal` (`not-found`) when the user may not read the document.
    package func checkRead(
        of path: DocumentPath, by user: UserID, _ id: StreamID, roles: Set<RoleName> = []
    ) throws {
        guard try mayRead(path, by: user, id, roles: roles) else { throw Self.notThere(path.text) }
    }

    /// - Parameter roles: the roles in the user's token.
    func mayRead(
        _ path: DocumentPath, by user: UserID, _ id: StreamID, roles: Set<RoleName> = []
    ) throws -> Bool {
        switch rules.grant(of: .document(path), to: user, collections) {
        case nil: false
        case .always: true
        case .whileFollowing(let topic): try follows(topic, id)
        case .byContent(let content):
            try content.topic.map { try follows($0, id) } ?? false || hasRole(content, user, roles)
                || content.isNamed(user, in: document(at: path))
        }
    }

    /// - Throws: `Refusal`: `not-found` when the user may not read the path, `forbidden` when the user may read it but
    ///   not watch it.
    /// - Returns: the condition under which the user may watch.
    package func checkWatch(of path: WatchedPath, by user: UserID, _ id: StreamID) throws -> ReadGrant {
        guard let grant = rules.grant(of: path, to: user, collections) else { throw Self.notThere(path.text) }
        if grant.forWatching == .always { return .always }
        if case .whileFollowing(let topic)? = grant.forWatching, try follows(topic, id) {
            return .whileFollowing(topic)
        }
        guard case .byContent = grant else { throw Self.notThere(path.text) }
        throw Refusal(
            .forbidden,
            "\(path.text) cannot be watched, because its rule says field: or role:; read it with get",
            field: "path"
        )
    }

    /// - Throws: `Refusal` (`not-found`) when not everybody may read the path.
    package func checkOpen(_ path: WatchedPath) throws -> ReadGrant {
        guard rules.isOpen(path) else { throw Self.notThere(path.text) }
        return .always
    }

    /// - Parameter roles: the roles in the user's token.
    /// - Returns: what the document must say before and after the write; nil when it does not matter.
    /// - Throws: `Refusal` (`forbidden`) when the user may not write the document, whether it is there or not.
    package func checkWrite(of path: DocumentPath, by user: UserID, roles: Set<RoleName>) throws -> WriteCondition? {
        switch rules.writeGrant(of: path, to: user) {
        case .always?: return nil
        case .byContent(let content)?:
            if try hasRole(content, user, roles) { return nil }
            guard content.fields.isEmpty else { return WriteCondition(path: path, user: user, grant: content) }
            throw Self.notWritable(path)
        case nil: throw Self.notWritable(path)
        }
    }

    private func follows(_ topic: Topic, _ id: StreamID) throws -> Bool {
        guard let stream = try transaction.streams.find(topic) else { return false }
        return try transaction.follows.since(follower: id, stream: stream.id) != nil
    }

    /// Whether the token has one of the roles, or a document gives one.
    private func hasRole(_ content: ContentGrant, _ user: UserID, _ roles: Set<RoleName>) throws -> Bool {
        guard content.roles.isDisjoint(with: roles) else { return true }
        for role in content.roles {
            // A user whose id cannot stand in a path has no role.
            guard let path = try? DocumentPath("roles/\(role.text)/users/\(user.text)") else { continue }
            if try transaction.documents.find(path)?.body != nil { return true }
        }
        return false
    }

    private func document(at path: DocumentPath) throws -> JSONValue? {
        try transaction.storedDocument(path).map { .object($0) }
    }

    static func notWritable(_ path: DocumentPath) -> Refusal {
        Refusal(.forbidden, "you may not write \(path)", field: "path")
    }

    /// The document does not exist, or the user may not read it: the answer does not show which.
    package static func notThere(_ path: String) -> Refusal {
        Refusal(
            .notFound,
            "there is no document \(path) that you may read", field: "path")
    }
}
