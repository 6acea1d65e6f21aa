/// Decodes a checked number.
extension JSONToken {
    /// The value of a number token that is whole: `7`, but also `7.0` and `7e0`; nil for every other token.
    ///
    /// - Parameter bytes: The bytes from which the token was made.
    package func integer(in bytes: [UInt8]) -> Int64? {
        guard kind == .number else { return nil }
        let text = JSONText(bytes: bytes, limit: range.upperBound)
        return try? text.scanNumber(from: range.lowerBound).number.whole
    }
}
