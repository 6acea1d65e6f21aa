package import Model

/// Which collection of documents stands for which kind of topic: `person:525` is `people/525`.
///
/// Configured names come first, then the names that the folder of an earlier version used, then the plurals of English.
///
/// - Confinement: any
package struct TopicCollections: Sendable {
    private var collectionByKind: [String: String]
    private var kindByCollection: [String: String]

    /// - Parameter configured: plurals by kind.
    package init(configured: [String: String] = [:]) {
        collectionByKind = configured
        kindByCollection = Dictionary(configured.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    }

    /// Keeps the plurals of kinds that the folder has from a version without the plurals of English: the kind and an
    /// `s`. Topics are stored by their kinds, and rows name them, so an update must not change their meaning.
    ///
    /// - Returns: by kind, the plurals that differ from those of a new folder.
    package mutating func keep(kindsOfBefore kinds: [String]) -> [String: String] {
        var kept: [String: String] = [:]
        for kind in kinds where collectionByKind[kind] == nil && kindByCollection[kind + "s"] == nil {
            // That version knew the plurals of these two.
            guard kind != "person", kind != "series" else { continue }
            let collection = kind + "s"
            if self.collection(ofKind: kind) != collection || self.kind(ofCollection: collection) != kind {
                kept[kind] = collection
            }
        }
        for (kind, collection) in kept {
            collectionByKind[kind] = collection
            kindByCollection[collection] = kind
        }
        return kept
    }

    /// `person` → `people`.
    package func collection(ofKind kind: String) -> String {
        if let configured = collectionByKind[kind] { return configured }
        let plural = EnglishPlural.plural(of: kind)
        // A plural that stands for another kind cannot stand for this one, too.
        return kindByCollection[plural] == nil ? plural : kind + "s"
    }

    /// `people` → `person`; nil when the name is no plural that is known.
    package func kind(ofCollection name: String) -> String? {
        if let configured = kindByCollection[name] { return configured }
        guard let kind = EnglishPlural.noun(ofPlural: name), collectionByKind[kind] == nil else { return nil }
        return kind
    }

    /// The collections of the documents that stand for follows of a kind.
    package func followCollections(ofKind kind: String) -> [String] { [collection(ofKind: kind), "followers"] }

    /// The document that stands for a follow; nil when a path cannot contain the topic's id.
    package func followPath(of topic: Topic, by follower: UserID) -> DocumentPath? {
        try? DocumentPath("\(collection(ofKind: topic.kind))/\(topic.id)/followers/\(follower.text)")
    }

    /// The follow that a path stands for; nil when it is another document's.
    package func follow(at path: DocumentPath) -> (topic: Topic, follower: UserID)? {
        guard path.levels.count == 2, let first = path.levels.first, let last = path.levels.last,
            last.collection == "followers", let kind = kind(ofCollection: first.collection),
            let topic = Topic(kind: kind, id: first.id), let follower = UserID(last.id)
        else { return nil }
        return (topic, follower)
    }

    /// Why a document at a place for follows is no follow; nil when it is one, or lies elsewhere.
    package func doubt(ofFollow path: DocumentPath) -> String? {
        guard path.levels.count == 2, path.levels[1].collection == "followers", follow(at: path) == nil else {
            return nil
        }
        let collection = path.levels[0].collection
        guard let kind = kind(ofCollection: collection) else {
            return "this is not a follow: '\(collection)' is not the plural of a known kind; if it should be, write "
                + "\"collections\": {\"KIND\": \"\(collection)\"} in the configuration"
        }
        guard let topic = Topic(kind: kind, id: path.levels[0].id) else {
            return "this is not a follow: '\(kind):\(path.levels[0].id)' is not a topic: \(Topic.form)"
        }
        return "this is not a follow of \(topic.text): '\(path.id)' is not a user id: \(UserID.form)"
    }
}
