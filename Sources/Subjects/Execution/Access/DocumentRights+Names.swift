import JSON
package import Model
package import Store

extension DocumentRights {
    /// The name of what a topic stands for, as one user may know it: the text `name`, else `title`, of the topic's document.
    ///
    /// Only the roles that documents give count: no token is here.
    ///
    /// - Returns: nil when the document has neither text, or the user may not read it.
    package func name(of topic: Topic, for user: UserEntry) throws -> String? {
        guard let path = try? DocumentPath("\(collections.collection(ofKind: topic.kind))/\(topic.id)"),
            try mayRead(path, by: user.name, user.id), let document = try transaction.storedDocument(path)
        else { return nil }
        return [document["name"], document["title"]].lazy.compactMap { $0?.stringValue }.first { !$0.isEmpty }
    }
}
