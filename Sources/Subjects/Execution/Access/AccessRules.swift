package import ClientProtocol
package import JSON
package import Model
import Triggers

/// The compiled table of access rules. For each path pattern it says who may read and write the documents by client
/// commands.
///
/// A pattern has the form of a trigger's path, `users/{user}/tasks/{task}`, and stands for documents of just these
/// levels. With `/**` at its end it stands for everything below the document that it names, at any depth, but not for
/// that document. If several patterns match a path, the first level where two of them differ decides: a literal id goes
/// before a name, and both go before `/**`. A table cannot have two patterns that differ only in the names in braces.
/// Documents that no pattern matches belong to the server alone.
///
/// - Confinement: any
package struct AccessRules: Sendable, Hashable {
    /// The table as JSON.
    package let json: JSONObject
    private var root = Node()
    /// Literal ids in the last level of a pattern, by the collection of that level.
    private var literals: [String: Set<String>] = [:]

    private struct Node: Sendable, Hashable {
        var rule: AccessRule?
        /// The rule for everything below.
        var below: AccessRule?
        /// By collection, then by id. All names in braces are one id.
        var children: [String: [PathPattern.ID: Node]] = [:]

        /// Whether a rule here or deeper fulfils a condition.
        func contains(where isSuch: (AccessRule) -> Bool) -> Bool {
            [rule, below].contains { $0.map(isSuch) ?? false }
                || children.values.contains { $0.values.contains { $0.contains(where: isSuch) } }
        }
    }

    /// The table in which everything belongs to the server.
    package init() { json = [:] }

    /// Reads and compiles a table.
    ///
    /// - Throws: `AccessProblem` with the pattern at fault.
    package init(_ json: JSONObject) throws(AccessProblem) {
        guard json.members.count <= DocumentLimits.accessRulesMax else {
            throw AccessProblem("has at most \(DocumentLimits.accessRulesMax) patterns")
        }
        self.json = json
        for (pattern, value) in json.members {
            do throws(AccessProblem) {
                try add(pattern, value)
            } catch {
                throw error.inRow(pattern)
            }
        }
        try checkRoles()
    }

    /// If rules ask for roles, nobody may be able to give themselves a role.
    private func checkRoles() throws(AccessProblem) {
        guard root.contains(where: \.namesRole) else { return }
        let open = root.children["roles"]?.values.contains { $0.contains(where: \.isWrittenWithoutRole) } ?? false
        guard !open else {
            throw AccessProblem(
                field: "roles",
                "must be written by server or role:NAME only, because other rules ask for roles")
        }
    }

    private static let suffix = "/**"

    private mutating func add(_ text: String, _ value: JSONValue) throws(AccessProblem) {
        let isBelow = text.hasSuffix(Self.suffix)
        let pattern: PathPattern
        do {
            pattern = try PathPattern(isBelow ? String(text.dropLast(Self.suffix.count)) : text)
        } catch {
            throw AccessProblem("is not a pattern: \(error.message)")
        }
        let levels = pattern.levels
        let isFollow = levels.count == 2 && levels[1].collection == "followers"
        guard !isFollow, let first = levels.first, !DocumentPath.commandCollections.contains(first.collection) else {
            throw AccessProblem("must not be in the rules: the commands that write it decide who may")
        }
        let rule = try AccessRule(value, levels: levels)
        let isTaken = Self.insert(rule, isBelow: isBelow, levels[...], into: &root)
        guard !isTaken else {
            throw AccessProblem("is the same as an earlier pattern: names in braces do not distinguish paths")
        }
        if !isBelow, let last = levels.last, case .literal(let id) = last.id {
            literals[last.collection, default: []].insert(id)
        }
    }

    /// - Returns: true when the place is taken.
    private static func insert(
        _ rule: AccessRule,
        isBelow: Bool,
        _ levels: ArraySlice<PathPattern.Level>,
        into node: inout Node
    ) -> Bool {
        guard let level = levels.first else {
            let taken = isBelow ? node.below : node.rule
            if isBelow { node.below = rule } else { node.rule = rule }
            return taken != nil
        }
        return insert(
            rule,
            isBelow: isBelow,
            levels.dropFirst(),
            into: &node.children[level.collection, default: [:]][level.id.anonymous, default: Node()]
        )
    }

    private static func find(_ levels: ArraySlice<DocumentLevel>, in node: Node) -> AccessRule? {
        guard let level = levels.first else { return node.rule }
        let rest = levels.dropFirst()
        if let ids = node.children[level.collection] {
            if let id = level.id, let child = ids[.literal(id)], let rule = find(rest, in: child) { return rule }
            if let child = ids[.anyName], let rule = find(rest, in: child) { return rule }
        }
        return node.below
    }

    /// Whether rules say nothing about these documents, because commands of their own read and write them.
    private static func isStanding(_ levels: [DocumentLevel]) -> Bool {
        guard let first = levels.first else { return true }
        return DocumentPath.commandCollections.contains(first.collection)
            || levels.count == 2 && levels[1].collection == "followers"
    }

    /// The condition under which `user` may write the document; nil when the path alone forbids it.
    package func writeGrant(of path: DocumentPath, to user: UserID) -> WriteGrant? {
        let levels = path.documentLevels
        guard !Self.isStanding(levels), let rule = Self.find(levels[...], in: root) else { return nil }
        return rule.writeGrant(levels, to: user)
    }

    /// Whether everybody may read a document, or every document of a collection, without a token.
    package func isOpen(_ path: WatchedPath) -> Bool {
        let levels = path.documentLevels
        guard !Self.isStanding(levels), Self.find(levels[...], in: root)?.isOpen == true else { return false }
        guard case .collection = path else { return true }
        return singles(of: levels).allSatisfy { Self.find($0[...], in: root)?.isOpen == true }
    }

    /// The condition under which `user` may read a document, or every document of a collection; nil when `user` may
    /// not.
    ///
    /// A collection is granted only if the rule of its documents grants it, and the rule of each document that has a
    /// rule of its own grants it, too.
    package func grant(
        of path: WatchedPath,
        to user: UserID,
        _ collections: TopicCollections
    ) -> ReadGrant? {
        let levels = path.documentLevels
        guard !Self.isStanding(levels) else { return nil }
        var granted = Self.find(levels[...], in: root)?.grant(levels, to: user, collections)
        guard case .collection = path else { return granted }
        for single in singles(of: levels) {
            guard let own = Self.find(single[...], in: root)?.grant(single, to: user, collections) else { return nil }
            granted = granted?.and(own)
        }
        return granted
    }

    /// The documents of a collection that may have a rule of their own.
    private func singles(of levels: [DocumentLevel]) -> [[DocumentLevel]] {
        guard let last = levels.last else { return [] }
        return (literals[last.collection] ?? []).map { id in
            levels.dropLast() + [DocumentLevel(collection: last.collection, id: id)]
        }
    }
}

extension PathPattern.ID {
    fileprivate static let anyName = PathPattern.ID.name("")

    /// All names are one id.
    fileprivate var anonymous: PathPattern.ID {
        if case .name = self { .anyName } else { self }
    }
}

extension DocumentPath {
    fileprivate var documentLevels: [DocumentLevel] {
        levels.map { DocumentLevel(collection: $0.collection, id: $0.id) }
    }
}

extension WatchedPath {
    /// A collection's last level has no id.
    fileprivate var documentLevels: [DocumentLevel] {
        switch self {
        case .document(let path): path.documentLevels
        case .collection(let text):
            // The path of a collection with an id after it is the path of a document: the maker of the collection has
            // checked that.
            ((try? DocumentPath(text + "/x"))?.documentLevels ?? []).withoutLastID
        }
    }
}

extension [DocumentLevel] {
    /// The levels without the id of the last one.
    fileprivate var withoutLastID: [DocumentLevel] {
        guard let last else { return self }
        return dropLast() + [DocumentLevel(collection: last.collection, id: nil)]
    }
}
