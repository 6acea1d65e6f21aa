import JSON
import Model
import Triggers

/// One row of the table of access rules: who reads and who writes the documents of a pattern.
///
/// - Confinement: any
package struct AccessRule: Sendable, Hashable {
    private let readers: Set<DocumentParty>
    private let writers: Set<DocumentParty>
    /// The level of the path whose id is the owner; nil when the pattern has no `{user}`.
    private let userLevel: Int?

    /// Reads a row.
    ///
    /// - Parameters:
    ///   - value: one word, or `{"read": …, "write": …}`, each a word or a list of them.
    ///   - levels: the levels of the pattern.
    /// - Throws: `AccessProblem` without the pattern's place.
    init(_ value: JSONValue, levels: [PathPattern.Level]) throws(AccessProblem) {
        userLevel = levels.firstIndex { $0.id == .name("user") }
        if let word = value.stringValue {
            let party = try DocumentParty(word, .read)
            readers = [party]
            writers = party.writesAlone ? [party] : []
        } else if let object = value.objectValue {
            for (name, _) in object.members where name != "read" && name != "write" {
                throw AccessProblem(field: name, "is not known; known are read and write")
            }
            readers = try DocumentParty.parties(object["read"], .read)
            writers = try DocumentParty.parties(object["write"], .write)
        } else {
            throw AccessProblem("must be \(DocumentParty.Column.read.words), or {\"read\": …, \"write\": …}")
        }
        guard userLevel != nil || !readers.union(writers).contains(.owner) else {
            throw AccessProblem("says owner, so the pattern must contain {user}")
        }
    }

    /// Whether everybody reads, also without a token.
    var isOpen: Bool { readers.contains(.anyone) }

    /// Whether it names a role.
    var namesRole: Bool { readers.union(writers).contains { $0.role != nil } }

    /// Whether users without a role may write: by the path, or by a field of the document.
    var isWrittenWithoutRole: Bool { writers.contains { $0 != .server && $0.role == nil } }

    /// The condition under which `user` may write; nil when `user` may not, whatever is there.
    func writeGrant(_ levels: [DocumentLevel], to user: UserID) -> WriteGrant? {
        if writers.contains(.owner), isOwned(levels, by: user) { return .always }
        let content = ContentGrant(writers, topic: nil)
        return content.isEmpty ? nil : .byContent(content)
    }

    /// The condition under which `user` may read; nil when `user` may not. A user who may write may read.
    func grant(_ levels: [DocumentLevel], to user: UserID, _ collections: TopicCollections) -> ReadGrant? {
        if isOpen || readers.contains(.public) { return .always }
        if readers.union(writers).contains(.owner), isOwned(levels, by: user) { return .always }
        let topic = topic(of: levels, collections)
        if let topic, topic.user == user { return .always }
        let content = ContentGrant(readers.union(writers), topic: topic)
        guard content.isEmpty else { return .byContent(content) }
        return topic.map { .whileFollowing($0) }
    }

    /// The topic whose followers may read; nil when there is none.
    private func topic(of levels: [DocumentLevel], _ collections: TopicCollections) -> Topic? {
        guard readers.contains(.followers), let first = levels.first, let id = first.id,
            let kind = collections.kind(ofCollection: first.collection)
        else { return nil }
        return Topic(kind: kind, id: id)
    }

    private func isOwned(_ levels: [DocumentLevel], by user: UserID) -> Bool {
        guard let userLevel, userLevel < levels.count else { return false }
        return levels[userLevel].id == user.text
    }
}

/// A level of a document's path, or of all documents of a collection: then the last one has no id.
///
/// - Confinement: any
struct DocumentLevel: Sendable, Hashable {
    let collection: String
    let id: String?
}

/// A mistake in a table of access rules, with its place.
///
/// - Confinement: any
package struct AccessProblem: Error, Sendable, Hashable {
    /// The pattern at fault and the member of its row: `users/{user}.write`; nil when the whole is meant.
    package let field: String?
    /// The rest of a sentence that begins with the place.
    package let message: String

    init(field: String? = nil, _ message: String) {
        self.field = field
        self.message = message
    }

    /// The same problem, of the row of a pattern.
    func inRow(_ pattern: String) -> AccessProblem {
        AccessProblem(field: pattern + (field.map { ".\($0)" } ?? ""), message)
    }
}
