/// The streams without a context, which all connections of a loop share.
///
/// So an idle connection with compression costs nothing, and a message for many receivers is deflated once for each
/// window size, of which there is one in practice.
///
/// - Confinement: loop
package final class SharedStreams {
    /// Inflates messages of every window size.
    package private(set) lazy var inflater = Inflater()
    private var deflaters: [Deflater?] = Array(repeating: nil, count: 16)

    /// A stream is made when it is first needed.
    package init() {}

    /// The stream for connections with a window of 2^n bytes, 9–15.
    package func deflater(windowBits: Int) -> Deflater {
        if let deflater = deflaters[windowBits] { return deflater }
        let deflater = Deflater(windowBits: windowBits)
        deflaters[windowBits] = deflater
        return deflater
    }
}

@available(*, unavailable)
extension SharedStreams: Sendable {}
