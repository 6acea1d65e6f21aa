import JSON
package import Model

/// A reply as it is kept with the key of its write. It has the position and the version, and not the data, which may be
/// a thousand times as long as the command.
///
/// If data belong to the answer, `"data":null` stands at the end of the reply. No answer has that, because the data of
/// a document are an object.
///
/// - Confinement: any
package struct KeptReply: Sendable {
    /// The JSON of an object, as it is stored.
    package let json: [UInt8]
    private static let mark = Array(#""data":null}"#.utf8)

    /// A stored reply, or a reply without data.
    init(_ json: [UInt8]) { self.json = json }

    /// A reply that has members, and data in its answer.
    init(withoutData json: [UInt8]) {
        var kept = Array(json.dropLast())
        kept.append(UInt8(ascii: ","))
        kept += Self.mark
        self.json = kept
    }

    /// The result of a write.
    package struct Place {
        /// Of the document, or of the table.
        package let version: Int64
        package let position: Position
    }

    /// Where the write left what it wrote; nil where the reply does not say it.
    package var place: Place? {
        // Databases hold the reply and nothing beside it, so this is read from there.
        guard let reply = try? JSONValue(parsing: json), let version = reply["version"]?.integerValue,
            let position = reply["seq"]?.integerValue
        else { return nil }
        return Place(version: version, position: Position(position))
    }

    /// Whether data belong to the answer.
    package var isWithoutData: Bool {
        json.count > Self.mark.count + 2 && json.suffix(Self.mark.count).elementsEqual(Self.mark)
    }

    /// The whole answer.
    ///
    /// - Parameter data: JSON of an object; nil when they are not kept any more: then the answer has none.
    package func with(_ data: [UInt8]?) -> [UInt8] {
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
