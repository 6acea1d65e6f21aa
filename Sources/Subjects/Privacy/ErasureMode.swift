import Crypto
import Digits

/// The fate of an erased person's messages; the raw value is the word on the wire.
///
/// - Confinement: any
package enum ErasureMode: String, Sendable, Hashable, CaseIterable {
    /// Number, place and time stay; everything that was written goes.
    case redact
    /// The messages stay, under the pseudonym.
    case keep
    /// As ``redact``, and a chat of two in which nothing is left goes.
    case remove

    /// The words, for people.
    package static let form = "one of " + allCases.map(\.rawValue).joined(separator: ", ")
}

/// The steps of an erasure, in their order; the raw value is stored.
///
/// - Confinement: any
package enum ErasurePhase: Int64, Sendable, CaseIterable {
    /// Follows, blocks, devices, keys, marks.
    case relations
    /// Those who follow the person.
    case followers
    case inbox
    case messages
    case documents
    /// The person and the chats of two get the pseudonym.
    case names
    /// The name in entries of the log and in all other tables.
    case traces
    /// Earlier texts of messages: they go last, since the index of messages needs them.
    case past
    /// The tables have no trace any more; the files are emptied.
    case files
}

/// Random characters for an erasure, drawn before the write: a write may be done twice.
///
/// - Confinement: any
package struct ErasureChance: Sendable {
    /// For the first erasure: the key of the digests.
    let key: String
    /// The characters of the pseudonym, as many as are needed.
    let pseudonym: String

    /// - Parameter random: hexadecimal digits, at least 96.
    package init(_ random: String) {
        key = String(random.prefix(64))
        pseudonym = String(random.dropFirst(64))
    }

    /// - Throws: when the machine gives no random bytes.
    package static func drawn() throws -> ErasureChance {
        ErasureChance(String(decoding: Hexadecimal.encode(try SecureRandom.bytes(48)), as: UTF8.self))
    }
}
