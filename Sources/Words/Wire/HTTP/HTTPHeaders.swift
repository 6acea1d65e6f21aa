/// The header fields of a message, in order; names are compared without regard to case (RFC 9110 section 5.1).
///
/// Equality compares names as they are written.
///
/// - Confinement: any
package struct HTTPHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One header line.
    package struct Field: Sendable, Hashable {
        /// The name as it was written.
        package let name: String
        /// The value without blanks around it.
        package let value: String
    }

    /// The lines, in order.
    package private(set) var fields: [Field] = []

    /// An estimate of the bytes that they take in memory.
    var heldBytes: Int {
        fields.reduce(fields.capacity * MemoryLayout<Field>.stride) { $0 + $1.name.heldBytes + $1.value.heldBytes }
    }

    /// No fields.
    package init() {}

    /// The fields of a literal, in order.
    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// Appends a line; it is checked later, by the encoder.
    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The value of the first line with this name; nil if there is none.
    package subscript(_ name: String) -> String? {
        fields.first { HTTPSyntax.isEqualIgnoringCase($0.name, name) }?.value
    }

    /// The values of all lines with this name, in order.
    package func values(_ name: String) -> [String] {
        fields.filter { HTTPSyntax.isEqualIgnoringCase($0.name, name) }.map(\.value)
    }

    /// The members of a comma-separated list over all lines with this name, without blanks around them and without
    /// empty ones (RFC 9110 section 5.6.1). Not for values with quoted commas.
    package func list(_ name: String) -> [String] {
        values(name).flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ","))
                .map { HTTPSyntax.trimmed(Array($0)[...]) }
                .filter { !$0.isEmpty }
                .map(HTTPSyntax.text)
        }
    }

    /// Whether the list with this name has the member `token`, in any case.
    package func listContains(_ name: String, _ token: String) -> Bool {
        list(name).contains { HTTPSyntax.isEqualIgnoringCase($0, token) }
    }
}
