/// The pieces of a body whose length is not known when its head is sent (RFC 9112 section 7.1).
///
/// - Confinement: any
package enum HTTPChunk {
    /// The bytes that end the body.
    package static let last = Array("0\r\n\r\n".utf8)

    /// A length of sixteen digits, and two line ends.
    private static let overheadMax = 20

    /// Appends `content` as one chunk; an empty one would end the body and is left out.
    package static func append(_ content: [UInt8], to bytes: inout [UInt8]) {
        guard !content.isEmpty else { return }
        bytes.reserveCapacity(bytes.count + content.count + overheadMax)
        HTTPHeadEncoder.appendLine(String(content.count, radix: 16), to: &bytes)
        bytes.append(contentsOf: content)
        HTTPHeadEncoder.appendLine(to: &bytes)
    }
}
