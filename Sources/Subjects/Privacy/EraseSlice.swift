import ClientProtocol
package import Execution
import JSON
import Model
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

/// The work of one slice: the part of its phase, and how far it has come.
///
/// - Confinement: store (the writer's thread)
private struct ErasureWork {
    private let person: ErasedPerson
    private var entry: ErasureEntry

    init(_ entry: ErasureEntry, _ name: UserID, in context: WriteContext) throws {
        person = try ErasedPerson(entry, name, in: context)
        self.entry = entry
    }

    /// The place in the phase, as the last slice has left it, is empty at the beginning of the phase.
    mutating func perform(_ phase: ErasurePhase) throws {
        let next = try erase(phase, after: entry.place)
        entry.place = next ?? ""
        if next == nil { entry.phase += 1 }
        entry.counts = person.certificate.counts.text
        entry.kept = person.certificate.kept
        let erasures = person.context.transaction.erasures
        try erasures.save(entry)
        if entry.phase == ErasurePhase.files.rawValue { try erasures.clearName(of: entry.id) }
    }

    /// - Returns: the place of the next slice in the phase; nil when the phase is over.
    private func erase(_ phase: ErasurePhase, after place: String) throws -> String? {
        switch phase {
        case .relations: try RelationErasure(person).eraseRelations(from: place)
        case .followers: try RelationErasure(person).eraseFollowers(from: place)
        case .inbox: try RelationErasure(person).eraseInbox(from: place)
        case .messages: try MessageErasure(person).eraseMessages(from: place)
        case .documents: try DocumentErasure(person).eraseDocuments(from: place)
        case .names: try RelationErasure(person).rename(from: place)
        case .traces: try TraceErasure(person).eraseTraces(from: place)
        case .past: try MessageErasure(person).erasePast(from: place)
        case .files: ""
        }
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
