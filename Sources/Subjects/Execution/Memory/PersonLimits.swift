package import ClientProtocol
package import JSON
import Model

/// Something that a person does to others, and may do only so often.
///
/// - Confinement: any
package enum Deed: String, Sendable, Hashable, CaseIterable {
    case send
    /// The first message to somebody opens a chat.
    case firstContact = "first-contact"
    case recommend, follow, report
    case roomCreate = "room.create"
    /// A command names somebody who has never come, and who is known from then on.
    case newName = "new-name"

    /// The limit where no setting says another.
    var standing: RateLimit? {
        guard case .newName = self else { return nil }
        return RateLimit(count: ModerationLimits.newNamesPerDay, milliseconds: 86_400_000)
    }
}

/// How often in how long: `30/10s`.
///
/// - Confinement: any
package struct RateLimit: Sendable, Hashable {
    package static let form = "a number and a time with a slash between, such as 30/10s or 50/1d"

    package let count: Int64
    package let milliseconds: Int64

    package init(count: Int64, milliseconds: Int64) {
        self.count = count
        self.milliseconds = milliseconds
    }

    /// Nil when the text has another form.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int64(parts[0]), (1...1_000_000).contains(count),
            let span = TimeSpan(String(parts[1]))
        else { return nil }
        self.init(count: count, milliseconds: span.milliseconds)
    }

    package var text: String { "\(count)/\(TimeSpan.text(ofMilliseconds: milliseconds))" }
}

/// The limits of a person, over all devices; what is not named is not limited.
///
/// - Confinement: any
package struct PersonLimits: Sendable, Hashable {
    private var limits: [Deed: RateLimit] = [:]

    package static let none = PersonLimits()

    private init() {}

    /// - Throws: `Refusal` naming the member that has another form.
    package init(_ object: JSONObject) throws(Refusal) {
        for (name, value) in object.members {
            guard let deed = Deed(rawValue: name) else {
                let names = Deed.allCases.map(\.rawValue).joined(separator: ", ")
                throw Refusal.badRequest(field: name, "is not one of \(names)")
            }
            guard let limit = value.stringValue.flatMap(RateLimit.init) else {
                throw Refusal.badRequest(field: name, "must be \(RateLimit.form)")
            }
            limits[deed] = limit
        }
    }

    package var isEmpty: Bool { limits.isEmpty }

    package subscript(deed: Deed) -> RateLimit? { limits[deed] }

    package var json: JSONObject {
        var object: JSONObject = [:]
        for deed in Deed.allCases { object[deed.rawValue] = limits[deed].map { .string($0.text) } }
        return object
    }
}
