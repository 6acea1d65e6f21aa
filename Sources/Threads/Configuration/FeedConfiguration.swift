package import Feeds
import Files
internal import Foundation
package import JSON
import Model
package import Services

/// A feed of the configuration file, with its key.
///
/// - Confinement: any
package struct FeedConfiguration: Sendable {
    package let definition: FeedDefinition
    /// The secret that the source wants; nil when it wants none.
    package let key: FeedSecret?

    /// Reads one element of the list under the key `feeds`.
    ///
    /// - Parameter environment: the variables; `keyEnvironment` may name one of them.
    /// - Throws: `FeedProblem` naming the member; also when the key's file or variable does not exist.
    package init(_ object: JSONObject, environment: [String: String]) throws(FeedProblem) {
        definition = try FeedDefinition(object)
        let given = ["key", "keyFile", "keyEnvironment"].filter { object[$0].map { !$0.isNull } ?? false }
        guard given.count <= 1 else {
            throw FeedProblem(field: given[1], message: "must not be given together; give \(given[0]) or \(given[1])")
        }
        guard let field = given.first, let value = object[field] else {
            key = nil
            return
        }
        guard let text = value.stringValue else { throw FeedProblem(field: field, message: "must be a text") }
        switch field {
        case "keyFile": key = try Self.secret(try Self.content(of: text), field)
        case "keyEnvironment":
            guard let found = environment[text] else {
                throw FeedProblem(field: field, message: "names the variable \(text), which is not set")
            }
            key = try Self.secret(found, field)
        default: key = try Self.secret(text, field)
        }
    }

    private static func content(of path: String) throws(FeedProblem) -> String {
        do {
            return String(decoding: try ReadableFile(path: path).read(bytesMax: 4096).bytes, as: UTF8.self)
        } catch {
            throw FeedProblem(field: "keyFile", message: "cannot be read: \(error)")
        }
    }

    private static func secret(_ text: String, _ field: String) throws(FeedProblem) -> FeedSecret {
        do {
            return try FeedSecret(.string(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        } catch {
            throw FeedProblem(field: field, message: error.message)
        }
    }
}

extension FeedConfiguration {
    /// Reads the list under the key `feeds`, each name once.
    ///
    /// - Throws: `FeedProblem`, whose field begins with the feed's name or number.
    package static func list(_ value: JSONValue, environment: [String: String]) throws(FeedProblem)
        -> [FeedConfiguration]
    {
        guard let rows = value.arrayValue, rows.count <= FeedLimits.feedsMax else {
            throw FeedProblem(field: "", message: "must be a list of at most \(FeedLimits.feedsMax) feeds")
        }
        var feeds: [FeedConfiguration] = []
        for (index, row) in rows.enumerated() {
            let place = row["name"]?.stringValue ?? String(index)
            guard let object = row.objectValue else {
                throw FeedProblem(
                    field: place, message: "must be an object, such as {\"name\": …, \"kind\": \"rss\", …}")
            }
            let feed: FeedConfiguration
            do {
                feed = try FeedConfiguration(object, environment: environment)
            } catch {
                throw FeedProblem(field: "\(place).\(error.field)", message: error.message)
            }
            guard !feeds.contains(where: { $0.definition.name == feed.definition.name }) else {
                throw FeedProblem(field: place, message: "is there twice")
            }
            feeds.append(feed)
        }
        return feeds
    }
}
