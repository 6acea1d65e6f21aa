import ClientProtocol
import Digits
import JSON
import Model
import Notifying
import Services
import Wire

/// The request of `POST /v1/publish/TOPIC`, made for `curl -d`: the body is the text, header fields are the options.
///
/// It is a broadcast written in another way, and is read as one. Without a `Title` the text's first line is the title.
/// A header field may have encoded words.
///
/// - Confinement: any
struct PlainPublication {
    let order: BroadcastOrder

    /// - Throws: `Refusal` naming the header field, `topic` or `body`.
    init(_ call: HTTPCall, to topic: String) throws(Refusal) {
        guard let text = String(validating: ByteOrderMark.skipped(in: call.body), as: UTF8.self) else {
            throw Refusal.badRequest(field: "body", "must be UTF-8 text")
        }
        var members: JSONObject = ["audience": .string(topic), "body": .string(Self.trimmed(text))]
        for (member, header) in Self.headers {
            if let value = call.head.headers[header] { members[member] = .string(EncodedWords.decode(value)) }
        }
        if members["title"] == nil { Self.titleByFirstLine(&members) }
        do {
            order = try BroadcastBody(members).order
        } catch {
            throw Self.inWordsOfTheRequest(error)
        }
    }

    /// The header fields that it reads.
    static var fieldNames: [String] { Array(headers.values) }

    private static let headers = [
        "title": "Title", "kind": "Kind", "level": "Level", "collapse": "Collapse", "expires": "Expires",
    ]

    /// Makes the first line of the body the title, and the rest the body. A line that is too long for a title stands in
    /// the body, too.
    private static func titleByFirstLine(_ members: inout JSONObject) {
        guard let text = members["body"]?.stringValue, !text.isEmpty else { return }
        let line = trimmed(String(text.prefix { !$0.isNewline }))
        guard line.unicodeScalars.count <= Limits.titleCharactersMax else {
            members["title"] = .string(String(line.unicodeScalars.prefix(Limits.titleCharactersMax - 1)) + "…")
            return
        }
        members["title"] = .string(line)
        let rest = trimmed(String(text.drop { !$0.isNewline }))
        members["body"] = rest.isEmpty ? nil : .string(rest)
    }

    /// The white space that a file or a shell puts around a text is not part of it.
    private static func trimmed(_ text: String) -> String {
        let rest = text.drop(while: \.isWhitespace)
        guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(rest[...last])
    }

    private static func inWordsOfTheRequest(_ refusal: Refusal) -> Refusal {
        guard let field = refusal.field, let name = field == "audience" ? "topic" : headers[field] else {
            return refusal
        }
        return Refusal.badRequest(field: name, String(refusal.message.dropFirst(field.count + 1)))
    }
}
