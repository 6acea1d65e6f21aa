import ClientProtocol
import Model
import Store

/// What the asking user may do with documents.
///
/// What one may not read looks like what is not there: the answer is `not-found` in the same words. Whether one may write
/// is decided by the path alone, before anything is looked up, so `forbidden` tells nothing either.
///
/// - Confinement: store
struct DocumentRights {
    let rules: AccessRules
    let collections: TopicCollections
    let transaction: Transaction

    /// - Throws: `Refusal` (`not-found`) when the user may not read what lies at the path.
    /// - Returns: under which condition he may.
    func checkRead(of path: Command.WatchedPath, by user: UserID, _ id: StreamID) throws -> ReadGrant {
        guard let grant = rules.grant(of: path, to: user, collections) else { throw Self.notThere(path.text) }
        if case .whileFollowing(let topic) = grant {
            guard let stream = try transaction.streams.find(topic),
                try transaction.follows.since(follower: id, stream: stream.id) != nil
            else { throw Self.notThere(path.text) }
        }
        return grant
    }

    /// - Throws: `Refusal` (`forbidden`) when the user may not write the document, whether it is there or not.
    func checkWrite(of path: DocumentPath, by user: UserID) throws {
        guard rules.admitsWrite(of: path, by: user) else {
            throw Refusal(.forbidden, "you may not write \(path)", field: "path")
        }
    }

    static func notThere(_ path: String) -> Refusal { Refusal(.notFound, "there is no \(path) for you", field: "path") }
}

extension ReadContext {
    var documentRights: DocumentRights {
        get throws {
            DocumentRights(
                rules: try rules.table(in: transaction).rules,
                collections: collections,
                transaction: transaction
            )
        }
    }
}

extension WriteContext {
    var documentRights: DocumentRights {
        get throws {
            DocumentRights(
                rules: try rules.table(in: transaction).rules,
                collections: collections,
                transaction: transaction
            )
        }
    }
}
