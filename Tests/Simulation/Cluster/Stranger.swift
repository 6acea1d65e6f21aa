import Authentication
import Cluster
import Journal
import SimulatedKernel

/// Somebody who reaches the journal's servers without the secret of the cluster; and, for a mistake that is planted, somebody
/// with the secret.
/// - Confinement: the one thread
final class Stranger {
    private let own = JournalSeal(JournalKeys([[1, 2, 3]]), schema: JournalSeal.schema)
    private let nodes: JournalSeal?
    /// Signals that it has heard, to be sent again.
    private var heard: [(bytes: [UInt8], subject: String)] = []

    init() {
        let secret = try? ServerSecret.loadOrCreate(inFolder: Machine.folder)
        nodes = secret.map {
            JournalSeal(JournalKeys([$0.authenticate(Array("watchwise journal".utf8))]), schema: JournalSeal.schema)
        }
    }

    /// A message for the stream: noise, an entry without a code or with the code of another secret, or an entry of before.
    func entry(after last: UInt64, among entries: [[UInt8]]) -> [UInt8] {
        let writer = EntryWriter(.init(term: last + 5, node: "n1", schema: JournalSeal.schema))
        let lead = writer.lead(program: "stranger")
        switch Dice.below(5) {
        case 0: return Array("hello".utf8)
        case 1: return lead
        case 2: return own.seal(entry: writer.mark(last), after: last, previous: last)
        case 3: return own.seal(entry: lead, after: last, previous: last)
        default: return Dice.pick(Array(entries.indices)).map { entries[$0] } ?? []
        }
    }

    /// A signal of a node is sent.
    func hear(_ bytes: [UInt8], _ subject: String) {
        heard.append((bytes, subject))
        if heard.count > 20 { heard.removeFirst() }
    }

    /// A message for the nodes: one of before, once more, on its subject or on another, or with another code.
    func signal() -> (bytes: [UInt8], subject: String)? {
        guard let one = Dice.pick(heard), let other = Dice.pick(heard) else { return nil }
        switch Dice.below(4) {
        case 0: return (one.bytes, other.subject)
        case 1: return (own.seal(signal: Array(one.bytes.dropFirst(17)), to: one.subject), one.subject)
        case 2: return (Array(one.bytes.dropFirst(17)), one.subject)
        default:
            var bytes = one.bytes
            if !bytes.isEmpty { bytes[Dice.below(bytes.count)] ^= UInt8(1 << Dice.below(8)) }
            return (bytes, one.subject)
        }
    }

    /// An entry of a node, signed again for another place.
    func moved(_ bytes: [UInt8], from sequence: UInt64, after last: UInt64) -> [UInt8] {
        guard let nodes, case .sealed(let entry, _) = nodes.open(entry: bytes, at: sequence) else { return bytes }
        return nodes.seal(entry: entry, after: last, previous: last)
    }
}
