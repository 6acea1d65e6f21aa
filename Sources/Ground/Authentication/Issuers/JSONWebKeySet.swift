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
        /// An entry, counted from 1, is broken.
        case key(number: Int, JSONWebKey.Problem)
        /// Two keys have the same name, so a token cannot select one.
        case nameTwice(String)
        /// No entry can be used: the wrong file, or an issuer with other signatures.
        case empty

        /// A sentence for the operator.
        package var description: String {
            switch self {
            case .tooLong: "it is longer than \(JSONWebKeySet.bytesMax) bytes"
            case .malformed(let reason): "it is not a JSON Web Key Set: \(reason)"
            case .tooMany: "it has more than \(JSONWebKeySet.keysMax) keys"
            case .key(let number, let problem): "key \(number): \(problem)"
            case .nameTwice(let name): "two keys are called \(name)"
            case .empty: "it has no key for RS256, ES256 or EdDSA signatures"
            }
        }
    }

    /// Issuers publish two or three keys of half a KiB.
    package static let bytesMax = 256 << 10
    /// The most entries, including skipped ones.
    package static let keysMax = 64

    /// The usable keys, at least one, in the order of the text.
    package let keys: [JSONWebKey]

    /// Reads a set; keys of unsupported kinds are skipped.
    package init(parsing bytes: [UInt8]) throws(Problem) {
        guard bytes.count <= JSONWebKeySet.bytesMax else { throw .tooLong }
        let entries = try JSONWebKeySet.entries(bytes)
        guard entries.count <= JSONWebKeySet.keysMax else { throw .tooMany }
        var keys: [JSONWebKey] = []
        var names: Set<String> = []
        for (index, entry) in entries.enumerated() {
            guard let object = entry.objectValue else { throw .malformed(reason: "key \(index + 1) is not an object") }
            let key: JSONWebKey?
            do {
                key = try JSONWebKey(object)
            } catch {
                throw .key(number: index + 1, error)
            }
            guard let key else { continue }
            if let name = key.keyID, !names.insert(name).inserted { throw .nameTwice(name) }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw .empty }
        self.keys = keys
    }

    private static func entries(_ bytes: [UInt8]) throws(Problem) -> [JSONValue] {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
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
