import Model

/// The first line of a message, which is checked as soon as it is complete and before any header.
///
/// - Confinement: any
protocol HTTPStartLine: Sendable {
    /// The longest accepted line.
    static func bytesMax(_ limits: HTTPLimits) -> Int
    /// The error for a longer one.
    static var overflow: HTTPViolation { get }
    /// An estimate of the bytes that it takes in memory.
    var heldBytes: Int { get }
    /// Reads a whole line, without its end.
    init(_ line: [UInt8], limits: HTTPLimits) throws(HTTPViolation)
}
