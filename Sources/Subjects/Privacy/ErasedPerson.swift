import Execution
import JSON
import Model
import PersonalData
import Services
import Store

/// The person whom an erasure is about, and what all slices of the erasure need.
///
/// - Confinement: store (the writer's thread)
struct ErasedPerson {
    let context: WriteContext
    let name: UserID
    let user: StreamID
    /// The name that stands where the person's stood.
    let pseudonym: UserID
    let mode: ErasureMode
    let traces: NameTraces
    let certificate: ErasureCertificate
    /// Patterns of documents that the person wrote elsewhere, and that go too, as JSON.
    private let documents: String

    /// - Throws: `StoredValueProblem`
    init(_ entry: ErasureEntry, _ name: UserID, in context: WriteContext) throws {
        guard let mode = ErasureMode(rawValue: entry.mode) else { throw StoredValueProblem(place: "erasures.mode") }
        self.context = context
        self.name = name
        self.mode = mode
        user = entry.user
        pseudonym = entry.pseudonym
        documents = entry.documents
        traces = NameTraces(name: name, pseudonym: entry.pseudonym)
        certificate = try ErasureCertificate(of: entry)
    }

    /// Whether one of the patterns covers a document that the person wrote elsewhere.
    func isWanted(_ path: String) throws -> Bool {
        let patterns = try JSONValue(parsing: Array(documents.utf8)).arrayValue ?? []
        return patterns.contains { DocumentGlob($0.stringValue ?? "").covers(path) }
    }

    /// The person as the writer of a document, in the words of the history: before the rows of the history are rewritten, and
    /// after.
    var writers: [String] { ["user " + name.text, "user " + pseudonym.text] }

    /// Whether a row, which has the name in one of its texts, comes from a change of a document that the person wrote.
    func isCaused(_ row: TracedRow) throws -> Bool {
        try context.transaction.traces.comes(row, from: writers)
    }

    /// Whether a path is that of a report about the person. The document has the name in it.
    func isOfReport(_ path: String?) throws -> Bool {
        let prefix = "reports/"
        guard let path, path.hasPrefix(prefix), let id = ReportEntry.id(named: String(path.dropFirst(prefix.count)))
        else { return false }
        return try context.transaction.traces.people(ofReport: id)?.user == user
    }
}

/// The content of the certificate of an erasure: how much of each kind is gone, and which documents of others stay.
///
/// - Confinement: store (the writer's thread)
final class ErasureCertificate {
    private(set) var counts: ErasureCounts
    /// Documents of others that the person wrote, and that stay, as JSON.
    private(set) var kept: String

    /// - Throws: `StoredValueProblem`
    init(of entry: ErasureEntry) throws {
        counts = try ErasureCounts(entry.counts)
        kept = entry.kept
    }

    func add(_ count: Int64, _ kind: String) { counts.add(count, kind) }

    func add(_ count: Int, _ kind: String) { counts.add(count, kind) }

    /// Lists a document that stays, as long as the list is not full.
    func keep(_ path: String) throws {
        let paths = try JSONValue(parsing: Array(kept.utf8)).arrayValue ?? []
        guard paths.count < ErasureLimits.keptDocuments, !paths.contains(.string(path)) else { return }
        kept = JSONValue.array(paths + [.string(path)]).text
    }
}

@available(*, unavailable)
extension ErasureCertificate: Sendable {}
