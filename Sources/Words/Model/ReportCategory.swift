/// The reproach of a report; the raw value is the word on the wire.
///
/// - Confinement: any
package enum ReportCategory: String, Sendable, Hashable, CaseIterable {
    case spam, harassment, hate, sexual, violence
    case selfHarm = "self-harm"
    case illegal, other

    /// The words, for people.
    package static let form = "one of " + allCases.map(\.rawValue).joined(separator: ", ")
}
