import Model

/// The first line of a message, judged as soon as it is there and before any header.
///
/// - Confinement: any
protocol HTTPStartLine: Sendable {
    /// The longest line taken.
    static func bytesMax(_ limits: HTTPLimits) -> Int
    /// What is thrown for a longer one.
    static var overflow: HTTPViolation { get }
    /// Bytes that it takes in memory, about.
    var heldBytes: Int { get }
    /// Reads a whole line, without its end.
    init(_ line: [UInt8], limits: HTTPLimits) throws(HTTPViolation)
}
