extension String {
    /// Gives the UTF-8 of the text to a function as a span, without a copy where the system has spans of texts.
    ///
    /// Below iOS 26 and macOS 26 a text has none: there the span is of a copy.
    /// - Confinement: any
    @inlinable @inline(__always)
    package func withByteSpan<Result>(_ read: (Span<UInt8>) -> Result) -> Result {
        #if canImport(Darwin)
            let copy = Array(utf8)
            return read(copy.span)
        #else
            return read(utf8.span)
        #endif
    }
}
