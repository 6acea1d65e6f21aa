/// The first byte of an argument in an entry: the type of its value in SQLite (sqlite.org/datatype3.html), or that it stands
/// in the entry already.
///
/// - Confinement: any
enum StatementArgumentCode {
    static let null: UInt8 = 0
    static let integer: UInt8 = 1
    static let text: UInt8 = 2
    static let blob: UInt8 = 3
    /// Eight bytes of IEEE 754, the lowest first.
    static let real: UInt8 = 4
    /// The number of a statement before, and of one of its arguments, a text or a blob.
    static let reference: UInt8 = 5
}

/// The place of a text or blob among the statements of an entry, from which others take it.
///
/// - Confinement: any
package struct ArgumentReference: Sendable, Hashable {
    /// The statement's number in the order of running, from 0.
    package let statement: Int
    /// The argument's number, from 0.
    package let argument: Int
}
