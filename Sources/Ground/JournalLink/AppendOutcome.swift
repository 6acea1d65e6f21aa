import JSON

/// How an append ended.
/// - Confinement: any
package enum AppendOutcome: Sendable, Hashable, CustomStringConvertible {
    /// The entry is in the journal, on the disks of most servers, with this sequence.
    case appended(UInt64)
    /// The entry is not in the journal: its expectation does not hold (`err_code` 10071).
    ///
    /// `last` is the last sequence as the leader counts it, with entries whose place is not certain yet: the entry
    /// after the expectation may come a moment later, or, when the leader changes, never. It is nil when the server
    /// did not say it.
    case refused(last: UInt64?)
    /// The entry is not in the journal: the stream has no leader now, or there is no stream.
    case noLeader
    /// The entry was not sent: there is no connection.
    case notConnected
    /// The entry was not sent: it is larger than the server takes.
    case tooLarge(bytesMax: Int)
    /// The entry is not in the journal: the server refused before it gave the entry a place, for this reason.
    case rejected(code: Int, reason: String)
    /// Nobody knows: no answer came in time, the connection ended, or the server failed after the entry had a place.
    /// Send the same bytes with the same expectation again, or look at what follows the expectation.
    case unknown(reason: String)

    /// The codes of refusals that come before an entry has a place: nothing was written anywhere.
    private static let early: Set = [10023, 10039, 10047, 10054, 10060, 10076]

    /// Reads the acknowledgement of a publication.
    init(answer bytes: [UInt8], bytesMax: Int) {
        guard let value = try? JSONValue(parsing: bytes) else {
            self = .unknown(reason: "the acknowledgement is not JSON")
            return
        }
        guard let error = value["error"] else {
            let sequence = value["seq"]?.integerValue.flatMap { UInt64(exactly: $0) }
            self = sequence.map(AppendOutcome.appended) ?? .unknown(reason: "the acknowledgement has no 'seq'")
            return
        }
        let code = Int(error["err_code"]?.integerValue ?? 0)
        let reason = error["description"]?.stringValue ?? "no reason given"
        switch code {
        case 10071: self = .refused(last: UInt64(reason.drop { !$0.isNumber }))
        case 10164: self = .refused(last: nil)
        case 10054: self = .tooLarge(bytesMax: bytesMax)
        case _ where Self.early.contains(code): self = .rejected(code: code, reason: reason)
        default: self = .unknown(reason: "\(reason) (\(code))")
        }
    }

    init(_ failure: JournalFailure) {
        switch failure {
        case .notConnected: self = .notConnected
        case .noLeader: self = .noLeader
        case .tooLarge(let bytesMax): self = .tooLarge(bytesMax: bytesMax)
        case .noAnswer, .refused, .malformed: self = .unknown(reason: failure.description)
        }
    }

    /// A phrase for logs.
    package var description: String {
        switch self {
        case .appended(let sequence): "appended as \(sequence)"
        case .refused(let last): "refused: the last sequence is \(last.map(String.init) ?? "another one")"
        case .noLeader: JournalFailure.noLeader.description
        case .notConnected: JournalFailure.notConnected.description
        case .tooLarge(let bytesMax): JournalFailure.tooLarge(bytesMax: bytesMax).description
        case .rejected(let code, let reason): "refused: \(reason) (\(code))"
        case .unknown(let reason): "not known: \(reason)"
        }
    }
}
