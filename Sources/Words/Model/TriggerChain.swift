/// The triggers that led to a write, first to last: the receiver of a webhook passes them on when it writes back.
///
/// A trigger only writes notifications, so only a receiver can close a loop. The header `Watchwise-Chain` carries the
/// chain out and back.
///
/// - Confinement: any
package struct TriggerChain: Sendable, Hashable {
    /// The header field, both ways.
    package static let headerName = "Watchwise-Chain"
    /// The form of the header's value.
    package static let form = "1 to \(namesMax) names of triggers with commas between them"
    /// No trigger fires on a write whose chain has this many triggers.
    package static let depthMax = 4
    /// The most names that are read: more than this server can have sent.
    package static let namesMax = 16

    /// A write that no webhook caused.
    package static let none = TriggerChain(names: [])

    /// Names of rows, first to last.
    package let names: [String]

    private init(names: [String]) { self.names = names }

    /// Reads the header's value.
    ///
    /// - Returns: nil when the text has another form.
    package init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        guard parts.count <= Self.namesMax, parts.allSatisfy(Self.isName) else { return nil }
        names = parts
    }

    /// The header's value; empty when there is no chain.
    package var text: String { names.joined(separator: ",") }

    /// The chain with one more name.
    package func adding(_ name: String) -> TriggerChain { TriggerChain(names: names + [name]) }

    /// Why a trigger must not fire on a write with this chain; nil when it may.
    package func objection(to name: String) -> String? {
        if names.contains(name) { return "the chain \(text) already contains it" }
        if names.count >= Self.depthMax {
            return "the chain \(text) has \(Self.depthMax) triggers, the most that is allowed"
        }
        return nil
    }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            }
    }
}
