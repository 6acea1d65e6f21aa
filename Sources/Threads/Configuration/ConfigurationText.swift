import JSON

/// The text of a configuration file: JSON, in which comments from `//` to the end of the line may stand, and a comma after a last
/// member.
///
/// - Confinement: any
struct ConfigurationText: Sendable {
    /// JSON of the same length: comments and such commas are spaces, so that places are those of the file.
    let json: [UInt8]

    init(_ bytes: [UInt8]) {
        var text = bytes
        var isInString = false
        // Of a comma after a value, with nothing after it yet.
        var comma: Int?
        var isAfterValue = false
        var index = 0
        while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "\\") where isInString: index += 1
            case UInt8(ascii: "\""):
                isInString.toggle()
                (comma, isAfterValue) = (nil, true)
            case _ where isInString: break
            case UInt8(ascii: "/") where index + 1 < text.count && text[index + 1] == UInt8(ascii: "/"):
                while index < text.count, text[index] != UInt8(ascii: "\n") {
                    text[index] = UInt8(ascii: " ")
                    index += 1
                }
                continue
            case UInt8(ascii: ","): (comma, isAfterValue) = (isAfterValue ? index : nil, false)
            case UInt8(ascii: "{"), UInt8(ascii: "["): (comma, isAfterValue) = (nil, false)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if let last = comma { text[last] = UInt8(ascii: " ") }
                (comma, isAfterValue) = (nil, true)
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
            default: (comma, isAfterValue) = (nil, true)
            }
            index += 1
        }
        json = text
    }

    /// The offset of a member's value; nil where the object has no such member. The text must be JSON.
    func place(of key: String) -> Int? {
        var depth = 0
        var name: String?
        var index = 0
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "\""):
                let end = endOfString(from: index)
                if depth == 1, name == nil {
                    name = (try? JSONValue(parsing: Array(json[index...end])))?.stringValue
                }
                index = end
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ",") where depth == 1: name = nil
            case UInt8(ascii: ":") where depth == 1 && name == key:
                return json[(index + 1)...].firstIndex { !" \t\r\n".utf8.contains($0) }
            default: break
            }
            index += 1
        }
        return nil
    }

    /// The offset of the quote that ends a string.
    private func endOfString(from start: Int) -> Int {
        var index = start + 1
        while index < json.count - 1, json[index] != UInt8(ascii: "\"") {
            index += json[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, json.count - 1)
    }
}
