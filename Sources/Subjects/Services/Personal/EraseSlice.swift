import ClientProtocol
package import Execution
import JSON
import Model
import Notifying
import Store

/// The next slice of the oldest erasure that is at work. The leading node asks for it.
///
/// How far it has come is written in the same transaction, so a kill costs at most the slice that was under way.
///
/// - Confinement: any
package struct EraseSlice: WriteUseCase {
    package init() {}

    package func perform(in context: WriteContext) throws -> AnswerFact {
        guard let entry = try context.transaction.erasures.running(), let name = entry.name,
            let phase = ErasurePhase(rawValue: entry.phase), phase != .files
        else { return .none }
        var work = try ErasureWork(entry, name, in: context)
        try work.perform(phase)
        return .none
    }
}

/// The end of an erasure: the certificate is whole. The leading node asks for it when its files are emptied.
///
/// - Confinement: any
package struct FinishErasure: WriteUseCase {
    private let id: Int64

    package init(_ id: Int64) { self.id = id }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        try context.transaction.erasures.finish(id, at: context.now)
        context.transaction.note(.erasureEnded)
        return .none
    }
}

/// The work of one slice.
///
/// - Confinement: store (the writer's thread)
struct ErasureWork {
    let context: WriteContext
    let name: UserID
    let mode: ErasureMode
    let traces: NameTraces
    private var entry: ErasureEntry
    var counts: ErasureCounts

    init(_ entry: ErasureEntry, _ name: UserID, in context: WriteContext) throws {
        guard let mode = ErasureMode(rawValue: entry.mode) else { throw StoredValueProblem(place: "erasures.mode") }
        self.context = context
        self.name = name
        self.mode = mode
        self.entry = entry
        traces = NameTraces(name: name, pseudonym: entry.pseudonym)
        counts = try ErasureCounts(entry.counts)
    }

    var transaction: WriteTransaction { context.transaction }
    var user: StreamID { entry.user }
    var pseudonym: UserID { entry.pseudonym }
    /// The place in the phase, as the last slice has left it; empty at its beginning.
    var place: String { entry.place }
    /// Documents of others that stay, as JSON.
    var kept: String {
        get { entry.kept }
        set { entry.kept = newValue }
    }

    /// Whether one of the patterns covers a document that the person wrote elsewhere.
    func isWanted(_ path: String) throws -> Bool {
        let patterns = try JSONValue(parsing: Array(entry.documents.utf8)).arrayValue ?? []
        return patterns.contains { DocumentGlob($0.stringValue ?? "").covers(path) }
    }

    mutating func perform(_ phase: ErasurePhase) throws {
        let next: String? =
            switch phase {
            case .relations: try eraseRelations()
            case .followers: try eraseFollowers()
            case .inbox: try eraseInbox()
            case .messages: try eraseMessages()
            case .documents: try eraseDocuments()
            case .names: try rename()
            case .traces: try eraseTraces()
            case .past: try erasePast()
            case .files: ""
            }
        entry.place = next ?? ""
        if next == nil { entry.phase += 1 }
        entry.counts = counts.text
        try transaction.erasures.save(entry)
        if entry.phase == ErasurePhase.files.rawValue { try transaction.erasures.clearName(of: entry.id) }
    }
}

/// A pattern of paths in which `*` stands for one part: `reviews/*`.
///
/// - Confinement: any
package struct DocumentGlob: Sendable {
    private let parts: [Substring]

    package init(_ text: String) { parts = text.split(separator: "/", omittingEmptySubsequences: false) }

    /// Whether the pattern could be that of a document.
    package var isPath: Bool {
        (try? DocumentPath(parts.map { $0 == "*" ? "x" : String($0) }.joined(separator: "/"))) != nil
    }

    func covers(_ path: String) -> Bool {
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        return names.count == parts.count && zip(parts, names).allSatisfy { $0 == "*" || $0 == $1 }
    }
}
