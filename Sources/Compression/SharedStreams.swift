/// The streams that all connections of a loop share which forget their windows after each message.
///
/// So an idle connection with compression costs nothing, and a message for many is deflated once for each window size
/// that was asked for, which is one in practice.
///
/// - Confinement: loop
package final class SharedStreams {
    /// Inflates what a sender of any window size deflated.
    package private(set) lazy var inflater = Inflater()
    private var deflaters: [Deflater?] = Array(repeating: nil, count: 16)

    /// No stream is made before it is needed.
    package init() {}

    /// The stream for messages to those who agreed to a window of 2^n bytes, 9–15.
    package func deflater(windowBits: Int) -> Deflater {
        if let deflater = deflaters[windowBits] { return deflater }
        let deflater = Deflater(windowBits: windowBits)
        deflaters[windowBits] = deflater
        return deflater
    }
}

@available(*, unavailable)
extension SharedStreams: Sendable {}
