import JSON
package import Model

/// How a message has changed since it was sent: by edits, its deletion and reactions.
///
/// - Confinement: any
package struct MessageChanges: Sendable, Hashable {
    /// The people who gave one emoji to a message.
    package struct Reaction: Sendable, Hashable {
        package let emoji: String
        package let count: Int64
        /// Whether the reader of the message is one of them.
        package let isMine: Bool

        package init(emoji: String, count: Int64, isMine: Bool) {
            self.emoji = emoji
            self.count = count
            self.isMine = isMine
        }
    }

    /// The number of its present form, 1 for the first.
    package var revision: Int64
    /// When it got its present text; nil if it was never edited.
    package var editedAt: Timestamp?
    package var isDeleted: Bool
    /// In the order in which they came.
    package var reactions: [Reaction]

    package init(revision: Int64, editedAt: Timestamp? = nil, isDeleted: Bool = false, reactions: [Reaction] = []) {
        self.revision = revision
        self.editedAt = editedAt
        self.isDeleted = isDeleted
        self.reactions = reactions
    }

    /// Writes the members `rev`, `editedAt`, `deleted` and `reactions`; those that say nothing are absent.
    func write(to writer: inout JSONWriter) {
        writer.member("rev", revision)
        if let editedAt { writer.member("editedAt", editedAt) }
        if isDeleted { writer.member("deleted", true) }
        guard !reactions.isEmpty else { return }
        writer.name("reactions")
        writer.beginArray()
        for reaction in reactions {
            writer.beginObject()
            writer.member("emoji", reaction.emoji)
            writer.member("count", reaction.count)
            writer.member("mine", reaction.isMine)
            writer.endObject()
        }
        writer.endArray()
    }
}
