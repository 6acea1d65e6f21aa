import CZlib
import Testing

@testable import Compression

/// Bodies of HTTP that were compressed, made with zlib itself.
struct ContentDecoderTests {
    static let text = Array("<rss>Καλημέρα</rss>".utf8)
    static let bytesMax = 1 << 20

    /// Compresses with zlib: 31 window bits make gzip, 15 zlib's own form, -15 data without a header.
    static func compressed(_ bytes: [UInt8], windowBits: Int32) -> [UInt8] {
        var stream = unsafe z_stream()
        unsafe deflateInit2_(
            &stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        var output = [UInt8](repeating: 0, count: bytes.count / 500 + 1024)
        var input = bytes
        let made = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = UInt32(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(output.count)
                unsafe deflate(&stream, Z_FINISH)
                return unsafe Int(stream.total_out)
            }
        }
        unsafe deflateEnd(&stream)
        return Array(output.prefix(made))
    }

    static func decode(_ body: [UInt8], _ field: String?) throws(ContentDecodingError) -> [UInt8] {
        try ContentDecoder.decode(body, field: field, bytesMax: bytesMax)
    }

    @Test(
        arguments: [
            ("gzip", 31), ("x-gzip", 31), ("GZIP", 31), (nil, 31), ("identity", 31), ("utf-8", 31), ("deflate", 31),
            ("deflate", 15), ("gzip", 15), ("deflate", -15), ("identity, gzip", 31),
        ] as [(String?, Int32)])
    func `gzip and deflate are decoded, whatever the field calls them`(_ field: String?, _ windowBits: Int32) throws {
        #expect(try Self.decode(Self.compressed(Self.text, windowBits: windowBits), field) == Self.text)
    }

    @Test(arguments: [nil, "", "gzip", "deflate", "br", "zstd", "utf-8", "none", "identity", "gzip, gzip"])
    func `a body that is not compressed stays as it is, whatever the field says`(_ field: String?) throws {
        #expect(try Self.decode(Self.text, field) == Self.text)
        #expect(try Self.decode(Array(" {}".utf8), field) == Array(" {}".utf8))
        #expect(try Self.decode([], field) == [])
    }

    @Test func `a body is decompressed as often as it was compressed, and not endlessly`() throws {
        var body = Self.text
        for _ in 0..<3 {
            body = Self.compressed(body, windowBits: 31)
            #expect(try Self.decode(body, "gzip") == Self.text)
            #expect(try Self.decode(body, "gzip, gzip, gzip") == Self.text)
        }
        body = Self.compressed(body, windowBits: 31)
        #expect(throws: ContentDecodingError.malformed) { try Self.decode(body, "gzip, gzip, gzip, gzip") }
    }

    @Test func `several members of gzip are one body, and bytes after the last one are ignored`() throws {
        let member = Self.compressed(Self.text, windowBits: 31)
        #expect(try Self.decode(member + member, "gzip") == Self.text + Self.text)
        #expect(try Self.decode(member + [0, 0, 0, 7], "gzip") == Self.text)
    }

    @Test(arguments: [31, 15, -15] as [Int32])
    func `a bomb ends at the bound, and a body of exactly the bound is read`(_ windowBits: Int32) throws {
        let bomb = Self.compressed([UInt8](repeating: 0x20, count: 64 << 20), windowBits: windowBits)
        #expect(bomb.count < 100_000)
        let took = ContinuousClock().measure {
            #expect(throws: ContentDecodingError.tooLong(bytesMax: Self.bytesMax)) { try Self.decode(bomb, "deflate") }
        }
        #expect(took < .seconds(5))
        let largest = [UInt8](repeating: 0x3c, count: Self.bytesMax)
        #expect(try Self.decode(Self.compressed(largest, windowBits: windowBits), "deflate").count == Self.bytesMax)
        let longer = Self.compressed(largest + [0x3c], windowBits: windowBits)
        #expect(throws: ContentDecodingError.tooLong(bytesMax: Self.bytesMax)) { try Self.decode(longer, "deflate") }
    }

    @Test func `a bomb within a bomb ends at the bound`() throws {
        let inner = Self.compressed([UInt8](repeating: 0x20, count: 256 << 20), windowBits: 31)
        let outer = Self.compressed(inner, windowBits: 31)
        #expect(outer.count < inner.count / 100)
        #expect(throws: ContentDecodingError.tooLong(bytesMax: Self.bytesMax)) { try Self.decode(outer, "gzip") }
        let many = (0..<1000).flatMap { _ in Self.compressed([UInt8](repeating: 0x20, count: 2048), windowBits: 31) }
        #expect(throws: ContentDecodingError.tooLong(bytesMax: Self.bytesMax)) { try Self.decode(many, "gzip") }
    }

    @Test func `a cut or damaged body is refused or read to its bytes, and nothing else happens`() throws {
        let whole = Self.compressed(Self.text, windowBits: 31)
        for count in 3..<whole.count {
            #expect(throws: ContentDecodingError.malformed) { try Self.decode(Array(whole[..<count]), "gzip") }
        }
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 1 << (index % 8)
            _ = try? Self.decode(changed, "gzip")
        }
    }

    @Test func `a coding that nobody asked for is named`() throws {
        let body: [UInt8] = [0x0b, 0x02, 0x80, 0x68, 0x65, 0x03]
        #expect(throws: ContentDecodingError.unknown("br")) { try Self.decode(body, "br") }
        #expect("\(ContentDecodingError.unknown("br"))" == "the answer is compressed with br, which was not asked for")
    }
}
