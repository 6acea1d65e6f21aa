import JSON
package import Model
import Triggers

/// Who may do something with a document, besides the server's own HTTP API, which may do everything.
///
/// - Confinement: any
package enum DocumentParty: String, Sendable, Hashable, CaseIterable {
    /// Nobody else.
    case server
    /// Every user.
    case `public`
    /// The user whose id stands in the path where the pattern has `{user}`.
    case owner
    /// Who follows the topic that the path's first collection and id name: of `station:114` for `stations/114/…`. A
    /// user counts among his own followers.
    case followers
}

/// Under which condition a user may read.
///
/// - Confinement: any
package enum ReadGrant: Sendable, Hashable {
    case always
    case whileFollowing(Topic)
}

/// One row of the table of access rules: who reads and who writes the documents of a pattern.
///
/// - Confinement: any
package struct AccessRule: Sendable, Hashable {
    private let readers: Set<DocumentParty>
    private let writers: Set<DocumentParty>
    /// The level of the path whose id is the owner's; nil when the pattern has no `{user}`.
    private let userLevel: Int?

    /// Reads a row.
    ///
    /// - Parameters:
    ///   - value: one of the four words, or `{"read": …, "write": …}`, each a word or a list of them.
    ///   - levels: of the pattern.
    /// - Throws: `AccessProblem` without the pattern's place.
    init(_ value: JSONValue, levels: [PathPattern.Level]) throws(AccessProblem) {
        userLevel = levels.firstIndex { $0.id == .name("user") }
        if let word = value.stringValue {
            let party = try Self.party(word, DocumentParty.allCases)
            readers = [party]
            writers = party == .owner ? [.owner] : []
        } else if let object = value.objectValue {
            for (name, _) in object.members where name != "read" && name != "write" {
                throw AccessProblem(field: name, "is not known; known are read and write")
            }
            readers = try Self.parties(object["read"], "read", DocumentParty.allCases)
            writers = try Self.parties(object["write"], "write", [.server, .owner])
        } else {
            throw AccessProblem("must be \(Self.words(DocumentParty.allCases)), or {\"read\": …, \"write\": …}")
        }
        guard userLevel != nil || !readers.union(writers).contains(.owner) else {
            throw AccessProblem("says owner, so {user} must stand in the pattern")
        }
    }

    /// Whether `user` may write: decided by the path alone, never by what is there.
    func admitsWrite(of levels: [DocumentLevel], by user: UserID) -> Bool {
        writers.contains(.owner) && isOwned(levels, by: user)
    }

    /// Under which condition `user` may read; nil when he may not. Who may write may read.
    func grant(_ levels: [DocumentLevel], to user: UserID, _ collections: TopicCollections) -> ReadGrant? {
        if readers.contains(.public) { return .always }
        if readers.union(writers).contains(.owner), isOwned(levels, by: user) { return .always }
        guard readers.contains(.followers), let first = levels.first, let id = first.id,
            let kind = collections.kind(ofCollection: first.collection), let topic = Topic(kind: kind, id: id)
        else { return nil }
        return topic.user == user ? .always : .whileFollowing(topic)
    }

    private func isOwned(_ levels: [DocumentLevel], by user: UserID) -> Bool {
        guard let userLevel, userLevel < levels.count else { return false }
        return levels[userLevel].id == user.text
    }

    private static func parties(
        _ value: JSONValue?,
        _ field: String,
        _ allowed: [DocumentParty]
    ) throws(AccessProblem) -> Set<DocumentParty> {
        guard let value else { return [] }
        var parties: Set<DocumentParty> = []
        for item in value.arrayValue ?? [value] {
            do throws(AccessProblem) {
                guard let word = item.stringValue else { throw AccessProblem("must be \(words(allowed))") }
                parties.insert(try party(word, allowed))
            } catch {
                throw AccessProblem(field: field, error.message)
            }
        }
        return parties
    }

    private static func party(_ word: String, _ allowed: [DocumentParty]) throws(AccessProblem) -> DocumentParty {
        guard let party = DocumentParty(rawValue: word), allowed.contains(party) else {
            throw AccessProblem("must be \(words(allowed)), not '\(word.prefix(40))'")
        }
        return party
    }

    private static func words(_ parties: [DocumentParty]) -> String {
        "one of " + parties.map(\.rawValue).joined(separator: ", ")
    }
}

/// A level of a document's path, or of all documents of a collection: then the last one has no id.
///
/// - Confinement: any
struct DocumentLevel: Sendable, Hashable {
    let collection: String
    let id: String?
}

/// What is wrong with a table of access rules, and where.
///
/// - Confinement: any
package struct AccessProblem: Error, Sendable, Hashable {
    /// The pattern at fault and the member of its row: `users/{user}.write`; nil when the whole is meant.
    package let field: String?
    /// A sentence as it goes on after the place.
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
