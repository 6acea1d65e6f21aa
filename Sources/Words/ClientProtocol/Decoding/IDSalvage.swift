import JSON

/// Finds the `id` of a command that is not valid JSON, so that the refusal can name the request.
///
/// It is tolerant where the reader is strict: it follows only quotation marks and brackets, and takes the first member
/// `id` of the outermost object whose value is a whole number or a string.
///
/// - Confinement: any
enum IDSalvage {
    private static let name = Array(#""id""#.utf8)

    static func id(in bytes: [UInt8]) -> RequestID? {
        var depth = 0
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                let end = endOfString(bytes, from: index)
                if depth == 1, bytes[index..<end].elementsEqual(name), let colon = colon(bytes, from: end) {
                    return value(bytes, from: colon + 1)
                }
                index = end
                continue
            default: break
            }
            index += 1
        }
        return nil
    }

    /// One past the quotation mark that closes the string at `start`, or the end of the bytes.
    private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\"") { return index + 1 }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return bytes.count
    }

    /// The place of the colon that makes the string before `start` a name.
    private static func colon(_ bytes: [UInt8], from start: Int) -> Int? {
        let index = bytes[start...].firstIndex { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        guard let index, bytes[index] == UInt8(ascii: ":") else { return nil }
        return index
    }

    private static func value(_ bytes: [UInt8], from start: Int) -> RequestID? {
        var reader = JSONReader(bytes, from: start, depthMax: 0)
        guard let token = try? reader.skip() else { return nil }
        return RequestID(bytes, at: token)
    }
}
