import CZlib

/// Why the body of an answer could not be decoded.
///
/// - Confinement: any
package enum ContentDecodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The decoded body is larger than its bound.
    case tooLong(bytesMax: Int)
    /// The compressed data are damaged or cut.
    case malformed
    /// A coding that is not known here, for example `br`.
    case unknown(String)

    package var description: String {
        switch self {
        case .tooLong(let bytesMax): "the answer is longer than \(bytesMax) bytes when it is decompressed"
        case .malformed: "the compressed answer is damaged or cut"
        case .unknown(let name): "the answer is compressed with \(name), which was not asked for"
        }
    }
}

/// Decodes the body of an answer of HTTP that was compressed, asked for or not.
///
/// The header field `Content-Encoding` is a hint and the bytes decide, because servers compress without the field, write the
/// field on bodies that are not compressed, or name in it what is not a coding (`utf-8`).
///
/// - Confinement: any
package enum ContentDecoder {
    /// How often a body may be compressed: some proxies compress what is compressed already.
    private static let roundsMax = 3
    private static let formatsOfZlib: Set<String> = ["gzip", "x-gzip", "deflate"]
    private static let otherFormats: Set<String> = ["br", "zstd", "compress", "x-compress", "dcb", "dcz"]

    /// The body without its compression.
    ///
    /// - Parameters:
    ///   - field: The value of `Content-Encoding`, if there is one.
    ///   - bytesMax: The largest allowed body. It never makes more than one byte beyond it, whatever the compressed bytes promise.
    package static func decode(
        _ body: [UInt8], field: String?, bytesMax: Int
    ) throws(ContentDecodingError) -> [UInt8] {
        var codings = (field ?? "").lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
        var body = body
        for _ in 0..<roundsMax {
            let coding = codings.popLast()
            if isGzip(body) {
                body = try inflate(body, .wrapped, bytesMax: bytesMax)
            } else if let coding, formatsOfZlib.contains(coding), isZlib(body) {
                body = try inflate(body, .wrapped, bytesMax: bytesMax)
            } else if coding == "deflate", !isText(body), let raw = try rawText(body, bytesMax: bytesMax) {
                // RFC 9110 section 8.4.1.2 knows servers that send the data without zlib's header.
                body = raw
            } else if let coding, otherFormats.contains(coding), !isText(body) {
                throw .unknown(coding)
            }
        }
        guard !isGzip(body) else { throw .malformed }
        guard body.count <= bytesMax else { throw .tooLong(bytesMax: bytesMax) }
        return body
    }

    private enum Form {
        /// With the header of gzip or of zlib.
        case wrapped
        case raw
    }

    /// The first bytes of gzip (RFC 1952 section 2.3.1); nothing that feeds send begins so.
    private static func isGzip(_ body: [UInt8]) -> Bool { body.starts(with: [0x1f, 0x8b, 0x08]) }

    /// The header of zlib (RFC 1950 section 2.2): method 8, and the check in the second byte.
    private static func isZlib(_ body: [UInt8]) -> Bool {
        guard body.count >= 2, body[0] & 0x0f == 8 else { return false }
        return (Int(body[0]) << 8 + Int(body[1])) % 31 == 0
    }

    /// Whether a body begins as XML and JSON do, so that it is not compressed.
    private static func isText(_ body: [UInt8]) -> Bool {
        guard let first = body.first(where: { ![0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].contains($0) }) else {
            return true
        }
        return "<{[\"".utf8.contains(first)
    }

    /// Data without a header, which nothing but the result identifies; nil when they are damaged.
    private static func rawText(_ body: [UInt8], bytesMax: Int) throws(ContentDecodingError) -> [UInt8]? {
        do {
            return try inflate(body, .raw, bytesMax: bytesMax)
        } catch {
            guard error == .malformed else { throw error }
            return nil
        }
    }

    /// Inflates a whole body; gzip may consist of several members, and bytes after the last one are ignored.
    private static func inflate(
        _ input: [UInt8], _ form: Form, bytesMax: Int
    ) throws(ContentDecodingError) -> [UInt8] {
        let memory = StreamMemory()
        let stream = unsafe memory.makeStream()
        defer {
            unsafe inflateEnd(stream)
            unsafe stream.deallocate()
            memory.deallocate()
        }
        let code =
            switch form {
            case .wrapped: unsafe watchwise_inflate_init_wrapped(stream)
            case .raw: unsafe watchwise_inflate_init_raw(stream, 15)
            }
        precondition(code == Z_OK, "zlib cannot make an inflating stream: \(code)")
        var output: [UInt8] = []
        var taken = 0
        while true {
            let room = min(max(output.count, 16 << 10), bytesMax + 1 - output.count)
            let step = unsafe stream.step(input, from: taken, appendingAtMost: room, to: &output) { stream in
                unsafe CZlib.inflate(stream, Z_NO_FLUSH)
            }
            taken += step.taken
            guard output.count <= bytesMax else { throw .tooLong(bytesMax: bytesMax) }
            switch step.code {
            case Z_OK where step.taken > 0 || step.made > 0: continue
            case Z_STREAM_END:
                guard form == .wrapped, isGzip(Array(input[taken...].prefix(3))) else { return output }
                unsafe inflateReset(stream)
            default: throw .malformed
            }
        }
    }
}
