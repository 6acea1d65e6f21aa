import JSON
import Model

/// A reply as it is kept with the key of its write: with the place and the version that a write left, without the data,
/// which may be a thousand times as long as the command that changed them.
///
/// Where data belong to the answer, `"data":null` stands at the reply's end: a document's data are an object, so no
/// answer says that.
///
/// - Confinement: any
package struct KeptReply: Sendable {
    /// The JSON of an object, as it is stored.
    let json: [UInt8]
    private static let mark = Array(#""data":null}"#.utf8)

    /// A reply as it is stored, or one without data.
    init(_ json: [UInt8]) { self.json = json }

    /// A reply that has members, to whose answer data belong.
    init(withoutData json: [UInt8]) {
        var kept = Array(json.dropLast())
        kept.append(UInt8(ascii: ","))
        kept += Self.mark
        self.json = kept
    }

    /// What a write left.
    struct Place {
        /// Of the document, or of the table.
        let version: Int64
        let position: Position
    }

    /// Where the write left what it wrote; nil where the reply does not say it.
    var place: Place? {
        // Databases hold the reply and nothing beside it, so this is read from there.
        guard let reply = try? JSONValue(parsing: json), let version = reply["version"]?.integerValue,
            let position = reply["seq"]?.integerValue
        else { return nil }
        return Place(version: version, position: Position(position))
    }

    /// Whether data belong to the answer.
    var isWithoutData: Bool {
        json.count > Self.mark.count + 2 && json.suffix(Self.mark.count).elementsEqual(Self.mark)
    }

    /// The whole answer.
    ///
    /// - Parameter data: JSON of an object; nil when they cannot be had any more, then the answer has none.
    func with(_ data: [UInt8]?) -> [UInt8] {
        // Up to the comma before the mark.
        var answer = Array(json.dropLast(Self.mark.count + 1))
        if let data {
            answer += Array(#","data":"#.utf8)
            answer += data
        }
        answer.append(UInt8(ascii: "}"))
        return answer
    }
}
