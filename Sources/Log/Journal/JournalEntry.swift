package import Model

/// One entry of the journal, read and checked.
///
/// - Confinement: any
package struct JournalEntry: Sendable {
    /// Of the format.
    package static let version: UInt8 = 1

    /// The node that wrote an entry.
    ///
    /// - Confinement: any
    package struct Author: Sendable, Hashable {
        /// The number of the leadership, which grows with each.
        package let term: UInt64
        /// The name of the node.
        package let node: String
        /// The number of the node's newest migration.
        package let schema: Int

        package init(term: UInt64, node: String, schema: Int) {
            self.term = term
            self.node = node
            self.schema = schema
        }
    }

    /// The content of an entry, by its kind.
    ///
    /// - Confinement: any
    package enum Content: Sendable {
        /// The author leads from here on; with the version of its program.
        case lead(program: String)
        case commit(Commit)
        /// Every node runs the migration of this number here.
        case schema(Int)
        /// Every node digests its tables here, under this number.
        case mark(UInt64)
    }

    /// A commit of the node that leads.
    ///
    /// - Confinement: any
    package struct Commit: Sendable {
        /// The newest position before it.
        package let before: Position
        /// The newest position after it.
        package let head: Position
        /// The time of the leading node's clock.
        package let at: Timestamp
        package let statements: StatementList
        /// For the sessions, in the order of writing.
        package let steps: [CommittedStep]
        package let replies: [JournalReply]
        package let webhooks: WebhookTally
        package let pushes: PushTally
    }

    package let author: Author
    package let content: Content

    package init(author: Author, content: Content) {
        self.author = author
        self.content = content
    }
}

/// The answer to a command, for the node of its session.
///
/// - Confinement: any
package struct JournalReply: Sendable, Hashable {
    /// How a command ended.
    ///
    /// - Confinement: any
    package enum Outcome: Sendable, Hashable {
        /// JSON of the answer, and the version of the document that was written, where the answer has one.
        case answer([UInt8], version: Int64? = nil)
        /// JSON of the refusal.
        case refusal([UInt8])
    }

    package let node: String
    /// The command's number on that node.
    package let ticket: UInt64
    /// How many of the commit's steps stand before the reply.
    package let stepCount: Int
    package let outcome: Outcome

    package init(node: String, ticket: UInt64, stepCount: Int, outcome: Outcome) {
        self.node = node
        self.ticket = ticket
        self.stepCount = stepCount
        self.outcome = outcome
    }
}

/// A commit as the writer has recorded it, before it is flushed.
///
/// - Confinement: any
package struct CommitRecord: Sendable {
    /// The newest position before it.
    package let before: Position
    /// The newest position after it.
    package let head: Position
    package let statements: StatementRecord
    /// For the sessions, in the order of writing.
    package let steps: [CommittedStep]
    /// For each command: how many of ``steps`` stand up to its end.
    package let stepCounts: [Int]
    package let webhooks: WebhookTally
    package let pushes: PushTally

    package init(
        before: Position, head: Position, statements: StatementRecord, steps: [CommittedStep], stepCounts: [Int],
        webhooks: WebhookTally, pushes: PushTally
    ) {
        self.before = before
        self.head = head
        self.statements = statements
        self.steps = steps
        self.stepCounts = stepCounts
        self.webhooks = webhooks
        self.pushes = pushes
    }

    /// Whether nothing was written: then there is nothing for other nodes.
    package var isEmpty: Bool { statements.isEmpty && steps.isEmpty }
}

extension JournalEntry {
    /// Why a program cannot go on at an entry `schema`, and what to do.
    ///
    /// - Parameter here: the number of the program's newest migration.
    package static func upgradeSentence(to number: Int, here: Int) -> String {
        "the nodes of this cluster have upgraded their tables to schema \(number), and this program knows schema \(here): "
            + "install the newer program of the other nodes here, and start it"
    }
}
