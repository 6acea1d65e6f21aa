/// The place of a document: `collection/id[/collection/id …]`, at most eight levels of collection and id.
///
/// Ids of products have two parts, `movie/603` and `tv/1399`: in the place of an id, one of the words of
/// ``DocumentLimits/compoundIDPrefixes`` joins with the segment after it, so `people/525/credits/movie/603` is the document
/// `movie/603` in the collection `people/525/credits`.
///
/// - Confinement: any
package struct DocumentPath: Sendable, Hashable, CustomStringConvertible {
    /// Why a text is not a path.
    package enum Problem: Error, Hashable, Sendable {
        case empty
        case tooLong
        case tooDeep
        case emptySegment
        case character(segment: String)
        /// A collection without an id after it.
        case collectionOnly

        /// A sentence for people.
        package var message: String {
            switch self {
            case .empty: "a document path is collection/id; this one is empty"
            case .tooLong: "a document path has at most \(DocumentLimits.pathBytesMax) bytes"
            case .tooDeep: "a document path has at most \(DocumentLimits.pathLevelsMax) levels of collection and id"
            case .emptySegment: "a document path has no empty parts and neither begins nor ends with '/'"
            case .character(let segment): "'\(segment)' has a character other than A-Z a-z 0-9 _ . @ : ~ -"
            case .collectionOnly: "a document path is collection/id[/collection/id …]; this one ends in a collection"
            }
        }
    }

    /// The whole path, as on the wire and in the database.
    package let text: String
    /// Collection and id, level by level.
    package let levels: [Level]

    /// Collections that only the commands of users write, with everything below them. So a document there proves that a
    /// user did something.
    package static let commandCollections = ["chats", "recommendations"]

    /// Whether only commands write documents at this path.
    package var isWrittenByCommandsAlone: Bool {
        // Called for each write: comparing the name with two others is faster than hashing it.
        guard let collection = levels.first?.collection else { return false }
        return Self.commandCollections.contains { $0 == collection }
    }

    /// Whether it is the document `users/USER` of a user, or below it.
    package func isOwn(by user: UserID) -> Bool {
        levels.first.map { $0.collection == "users" && $0.id == user.text } ?? false
    }

    /// One collection and one id in it.
    package struct Level: Sendable, Hashable {
        package let collection: String
        package let id: String
    }

    /// Reads a path.
    ///
    /// - Throws: ``Problem``, which says what is wrong.
    package init(_ text: String) throws(Problem) {
        guard !text.isEmpty else { throw .empty }
        let segments = try Self.segments(of: text)
        var levels: [Level] = []
        var index = 0
        while index < segments.count {
            let collection = segments[index]
            guard index + 1 < segments.count else { throw .collectionOnly }
            var id = segments[index + 1]
            index += 2
            // A user may be called `tv`; the collection of users has no products.
            if DocumentLimits.compoundIDPrefixes.contains(id), collection != "users", index < segments.count {
                id += "/" + segments[index]
                index += 1
            }
            levels.append(Level(collection: collection, id: id))
        }
        guard levels.count <= DocumentLimits.pathLevelsMax else { throw .tooDeep }
        self.text = text
        self.levels = levels
    }

    /// The collection the document lies in: `people/525/credits`.
    package var collection: String {
        if levels.count == 1 { return levels[0].collection }
        return String(Substring(text.utf8.dropLast(id.utf8.count + 1)))
    }
    /// The document's id in its collection: `movie/603`.
    package var id: String { levels.last?.id ?? "" }

    package var description: String { text }

    /// Reads the path of a collection (`people/525/credits`): a document's path, or nothing, and one more name.
    ///
    /// - Throws: ``Problem``
    package static func collection(_ text: String) throws(Problem) -> String {
        guard !text.isEmpty else { throw .empty }
        _ = try segments(of: text)
        guard try DocumentPath(text + "/x").id == "x" else { throw .collectionOnly }
        return text
    }

    private static func segments(of text: String) throws(Problem) -> [String] {
        guard text.utf8.count <= DocumentLimits.pathBytesMax else { throw .tooLong }
        // By bytes: looking for the borders of characters took half of what a loop does for a document of a batch.
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let segments = parts.map { String(Substring($0)) }
        for segment in segments {
            guard !segment.isEmpty else { throw .emptySegment }
            guard Identifier.matches(segment, lengthMax: DocumentLimits.pathBytesMax, extra: extra),
                !Identifier.isDotSegment(segment)
            else { throw .character(segment: segment) }
        }
        return segments
    }

    private static let extra: [UInt8] = Array("_.@:~-".utf8)
}
