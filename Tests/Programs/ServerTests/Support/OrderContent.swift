import Execution
import Foundation
import ThreadMessages

/// The content of an order, as a text to compare.
enum OrderContent {
    /// Everything that the use case has in it, with its key and the digest of its content.
    static func text(of order: WriteOrder) -> String {
        var fingerprint = Fingerprint()
        order.request.useCase.addContent(to: &fingerprint)
        var text = "\(fingerprint.value) \(order.request.useCase.key.map { "\($0)" } ?? "-")\n"
        dump(order.request.useCase, to: &text)
        // The random characters of an erasure are drawn on the node that does it.
        guard let chance = text.range(of: "Privacy.ErasureChance") else { return text }
        let lines = text[chance.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
        return String(text[..<chance.upperBound]) + lines.dropFirst(3).joined(separator: "\n")
    }
}
