import Crypto
import JSON

/// The present keys of an issuer (RFC 7517, section 5).
///
/// A value: its owner remembers its source and fetches it again.
/// - Confinement: any
package struct JSONWebKeySet: Sendable {
    /// Why a text is not a set of keys.
    /// - Confinement: any
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// Longer than `bytesMax`.
        case tooLong
        /// Not strict JSON, or not `{"keys": [{…}, …]}`.
        case malformed(reason: String)
        /// More than `keysMax` entries.
        case tooMany
        /// No entry can be used: the wrong file, an issuer with other signatures, or every key of ours is broken.
        case empty(skipped: [SkippedEntry])

        /// A sentence for the operator.
        package var description: String {
            switch self {
            case .tooLong: "it is longer than \(JSONWebKeySet.bytesMax) bytes"
            case .malformed(let reason): "it is not a JSON Web Key Set: \(reason)"
            case .tooMany: "it has more than \(JSONWebKeySet.keysMax) keys"
            case .empty(let skipped) where skipped.isEmpty: "it has no key for RS256, ES256 or EdDSA signatures"
            case .empty(let skipped):
                "none of its keys can be used: \(skipped.map(\.description).joined(separator: "; "))"
            }
        }
    }

    /// An entry that is ignored, because it is broken.
    /// - Confinement: any
    package struct SkippedEntry: Hashable, Sendable, CustomStringConvertible {
        /// Its place in the set, counted from 1.
        package let number: Int
        /// Its name, if it has one.
        package let keyID: String?
        /// Why it is no key for this server.
        package let problem: JSONWebKey.Problem

        /// A sentence for the operator.
        package var description: String {
            "key \(number)\(keyID.map { " (\($0))" } ?? ""): \(problem)"
        }
    }

    /// Issuers publish two or three keys of half a KiB.
    package static let bytesMax = 256 << 10
    /// The most entries, including skipped ones.
    package static let keysMax = 64

    /// The usable keys, at least one, in the order of the text.
    package let keys: [JSONWebKey]
    /// The broken entries, which are ignored: one odd key of an issuer does not make its other keys unusable.
    package let skipped: [SkippedEntry]

    /// Reads a set; keys of unsupported kinds are passed over, broken ones are among `skipped` (RFC 7517, section 5).
    /// - Throws: when the text is no set, or no key of it can be used.
    package init(parsing bytes: [UInt8]) throws(Problem) {
        guard bytes.count <= JSONWebKeySet.bytesMax else { throw .tooLong }
        let entries = try JSONWebKeySet.entries(bytes)
        guard entries.count <= JSONWebKeySet.keysMax else { throw .tooMany }
        var keys: [JSONWebKey] = []
        var skipped: [SkippedEntry] = []
        for (index, entry) in entries.enumerated() {
            do throws(JSONWebKey.Problem) {
                guard let object = entry.objectValue else { throw .noObject }
                guard let key = try JSONWebKey(object) else { continue }
                if keys.contains(where: key.isRepetition) { throw .repetition }
                keys.append(key)
            } catch {
                let name = entry["kid"]?.stringValue
                skipped.append(SkippedEntry(number: index + 1, keyID: name, problem: error))
            }
        }
        guard !keys.isEmpty else { throw .empty(skipped: skipped) }
        self.keys = keys
        self.skipped = skipped
    }

    private static func entries(_ bytes: [UInt8]) throws(Problem) -> [JSONValue] {
        let value: JSONValue
        do {
            value = try JSONValue(parsingText: bytes)
        } catch {
            throw .malformed(reason: error.message)
        }
        guard let entries = value["keys"]?.arrayValue else { throw .malformed(reason: "it has no array keys") }
        return entries
    }

    /// The key that a token names.
    /// - Parameter name: The header's `kid`; without it, the set must have exactly one key for the algorithm.
    /// - Returns: nil when there is no such key, or it has another algorithm: the key decides, not the token (RFC 8725,
    ///   section 3.1).
    func key(named name: String?, for algorithm: SignatureAlgorithm) -> VerificationKey? {
        let fitting = keys.filter { $0.key.algorithm == algorithm }
        guard let name else { return fitting.count == 1 ? fitting.first?.key : nil }
        return fitting.first { $0.keyID == name }?.key
    }
}
