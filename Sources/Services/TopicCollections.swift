package import Model

/// Which collection of documents stands for which kind of topic: `person:525` is `people/525`.
///
/// - Confinement: any
package struct TopicCollections: Sendable {
    private let collectionByKind: [String: String]
    private let kindByCollection: [String: String]

    /// The kinds whose plural is not the kind and an `s`.
    package static let irregular = ["person": "people", "series": "series"]

    /// - Parameter configured: plurals by kind, over the irregular ones known anyway.
    package init(configured: [String: String] = [:]) {
        collectionByKind = Self.irregular.merging(configured) { _, new in new }
        kindByCollection = Dictionary(
            collectionByKind.map { ($0.value, $0.key) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// `person` → `people`.
    package func collection(ofKind kind: String) -> String { collectionByKind[kind] ?? kind + "s" }

    /// `people` → `person`; nil when the name is no plural.
    package func kind(ofCollection name: String) -> String? {
        kindByCollection[name] ?? (name.count > 1 && name.hasSuffix("s") ? String(name.dropLast()) : nil)
    }

    /// The collections of the documents that stand for follows of a kind.
    func followCollections(ofKind kind: String) -> [String] { [collection(ofKind: kind), "followers"] }

    /// The document that stands for a follow; nil when the topic's id is not one that a path can bear.
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
}
