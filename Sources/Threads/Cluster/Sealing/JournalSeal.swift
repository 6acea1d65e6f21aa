import Crypto

/// Signs what this node gives to the journal, and opens what others gave: NATS carries it, and decides nothing. Everybody
/// who reaches NATS can read, delay and repeat, and cannot write.
///
/// ```
/// entry   "WS" code previous ENTRY     code of: 1, its sequence, previous, ENTRY
/// signal  0xA5 code SIGNAL             code of: 2, its subject, 0, SIGNAL
/// ```
///
/// A code is the first 16 bytes of the HMAC-SHA-256. `previous` is the sequence of the entry before it that counted for its
/// author, in 8 bytes like the sequence, the lowest first: so nodes that do not agree which entries count find out with the next one.
///
/// - Confinement: one thread at a time
package final class JournalSeal {
    /// An entry as its seal shows it.
    ///
    /// - Confinement: any
    package enum Opened: Sendable, Hashable {
        case sealed([UInt8], previous: UInt64)
        /// Of a node whose tables are older than the seals.
        case unsealed([UInt8])
        /// Of nobody in this cluster: all nodes pass over it.
        case foreign
    }

    /// The newest migration of a database whose nodes sign everything. Its entry is the last one without a code.
    package static let schema = 40
    /// The bytes before an entry.
    package static let headBytes = 2 + codeBytes + 8
    private static let codeBytes = 16
    private static let entryMark = Array("WS".utf8)
    private static let signalMark: UInt8 = 0xA5

    private let signing: MessageAuthenticator
    private let accepted: [MessageAuthenticator]
    /// Whether this node signs, and takes nothing that is not signed.
    private let isStrict: Bool

    /// - Parameter schema: the newest migration of this node's database. With older tables it speaks as older programs do, and
    ///   hears both.
    package init(_ keys: JournalKeys, schema: Int) {
        signing = MessageAuthenticator(key: keys.signing)
        accepted = keys.accepted.map { MessageAuthenticator(key: $0) }
        isStrict = schema >= Self.schema
    }

    /// An entry for the journal.
    ///
    /// - Parameters:
    ///   - last: the sequence of the journal's newest entry.
    ///   - previous: the sequence of the newest entry that counts.
    package func seal(entry: [UInt8], after last: UInt64, previous: UInt64) -> [UInt8] {
        guard isStrict else { return entry }
        var sealed: [UInt8] = []
        sealed.reserveCapacity(Self.headBytes + entry.count)
        sealed += Self.entryMark
        sealed += [UInt8](repeating: 0, count: Self.codeBytes)
        sealed += Self.bytes(of: previous)
        sealed += entry
        let code = Self.code(of: sealed, at: last + 1, by: signing)
        sealed.replaceSubrange(2..<2 + Self.codeBytes, with: code)
        return sealed
    }

    /// Opens a message of the journal.
    package func open(entry message: [UInt8], at sequence: UInt64) -> Opened {
        guard message.starts(with: Self.entryMark), message.count > Self.headBytes else {
            return isStrict ? .foreign : .unsealed(message)
        }
        let written = Array(message[2..<2 + Self.codeBytes])
        guard accepted.contains(where: { constantTimeEqual(Self.code(of: message, at: sequence, by: $0), written) })
        else { return .foreign }
        let previous = message[2 + Self.codeBytes..<Self.headBytes].reversed().reduce(UInt64(0)) {
            $0 << 8 | UInt64($1)
        }
        return .sealed(Array(message[Self.headBytes...]), previous: previous)
    }

    /// A message to other nodes that nobody keeps.
    ///
    /// - Parameter subject: its part after `ww.APP.`.
    package func seal(signal: [UInt8], to subject: String) -> [UInt8] {
        guard isStrict else { return signal }
        return [Self.signalMark] + Self.code(of: signal[...], to: subject, by: signing) + signal
    }

    /// Opens a message of another node.
    ///
    /// - Returns: its bytes, and whether it is of this cluster. The bytes of a stranger are for operators alone.
    package func open(signal: [UInt8], from subject: String) -> (bytes: [UInt8], isOurs: Bool) {
        guard signal.first == Self.signalMark, signal.count > Self.codeBytes else { return (signal, !isStrict) }
        let rest = signal[(1 + Self.codeBytes)...]
        let written = Array(signal[1...Self.codeBytes])
        let isOurs = accepted.contains { constantTimeEqual(Self.code(of: rest, to: subject, by: $0), written) }
        return (Array(rest), isOurs)
    }

    private static func code(of message: [UInt8], at sequence: UInt64, by key: MessageAuthenticator) -> [UInt8] {
        let place = [1] + bytes(of: sequence)
        return Array(key.code(of: place[...], message[(2 + codeBytes)...]).prefix(codeBytes))
    }

    private static func code(of signal: ArraySlice<UInt8>, to subject: String, by key: MessageAuthenticator) -> [UInt8]
    {
        let place = [2] + Array(subject.utf8) + [0]
        return Array(key.code(of: place[...], signal).prefix(codeBytes))
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

@available(*, unavailable)
extension JournalSeal: Sendable {}
