import Journal

/// The form of the messages between nodes: a byte with the version, then the fields. A node ignores and counts messages
/// of another version, since a later program may send them.
///
/// - Confinement: any
enum MessageForm {
    static let version: UInt8 = 1

    /// Begins a message.
    static func begin() -> [UInt8] { [version] }

    /// Reads the version.
    static func open(_ bytes: [UInt8]) throws(JournalProblem) -> FieldReader {
        var reader = FieldReader(bytes, in: bytes.indices)
        let version = try reader.byte("version")
        guard version == Self.version else { throw .version(version) }
        return reader
    }
}

extension [UInt8] {
    /// Bytes, and before them how many there are.
    mutating func append(field bytes: [UInt8]) {
        append(count: bytes.count)
        append(contentsOf: bytes)
    }
}

extension FieldReader {
    /// Bytes whose number stands before them.
    mutating func field(_ name: String) throws(JournalProblem) -> [UInt8] { Array(bytes[try range(name)]) }

    /// A text with a form of its own.
    mutating func value<Value>(_ field: String, _ named: (String) -> Value?) throws(JournalProblem) -> Value {
        guard let value = named(try text(field)) else { throw .value(field: field) }
        return value
    }
}
