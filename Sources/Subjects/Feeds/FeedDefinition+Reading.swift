import Compression
import JSON
package import Model

extension FeedDefinition {
    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - contentType: The header field; for announcements, its charset may give the encoding.
    ///   - contentEncoding: The header field of a body that is compressed.
    ///   - now: Readings of later hours are ignored.
    /// - Throws: ``FeedUnreadable``
    package func read(
        _ body: [UInt8], of target: FeedTarget, contentType: String?, contentEncoding: String? = nil, now: Timestamp
    ) throws(FeedUnreadable) -> FeedFindings {
        let body = try decoded(body, contentEncoding)
        switch target {
        case .channel:
            return try AnnouncementReader(feed: name, collection: collection, url: url)
                .read(body, contentType: contentType)
        case .person(let id): return try TMDBReader(feed: name).person(id, try json(body, contentType))
        case .series(let id): return try TMDBReader(feed: name).series(id, try json(body, contentType))
        case .stations(let page): return try GIOSReader(feed: self).stations(page, try json(body, contentType))
        case .index(let id): return try GIOSReader(feed: self).index(id, try json(body, contentType), now: now)
        case .sensors(let id): return try GIOSReader(feed: self).sensors(id, try json(body, contentType))
        case .values(let station, _, let code):
            return try GIOSReader(feed: self).values(station, code, try json(body, contentType), now: now)
        }
    }

    /// Nobody asks a source to compress, and some do it all the same.
    private func decoded(_ body: [UInt8], _ field: String?) throws(FeedUnreadable) -> [UInt8] {
        do {
            return try ContentDecoder.decode(body, field: field, bytesMax: FeedLimits.answerBytesMax)
        } catch {
            throw FeedUnreadable("\(error)")
        }
    }

    private func json(_ body: [UInt8], _ contentType: String?) throws(FeedUnreadable) -> JSONValue {
        do {
            return try JSONValue(parsing: body, depthMax: FeedLimits.jsonDepthMax)
        } catch {
            let kind = contentType.map { ", it calls itself \(PlainText.of($0, charactersMax: 60))" } ?? ""
            throw FeedUnreadable("the answer is not JSON: \(error.message) at byte \(error.offset)\(kind)")
        }
    }
}

extension JSONValue {
    /// A text that is not empty, or a number as text: sources send both.
    var looseText: String? {
        switch self {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): String(number)
        case .null, .bool, .number, .array, .object: nil
        }
    }

    /// A number, or a text with a number: `50.972167` and `"50.972167"`.
    var looseNumber: Double? {
        guard let number = numberValue ?? stringValue.flatMap({ Double(PlainText.cut($0, to: 40)) }), number.isFinite
        else { return nil }
        return number
    }

    /// A whole number, or a text with one.
    var looseInteger: Int64? { integerValue ?? stringValue.flatMap { Int64(PlainText.cut($0, to: 40)) } }
}
