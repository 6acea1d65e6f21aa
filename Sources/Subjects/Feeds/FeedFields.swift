import JSON
import Model

/// Reads the members of a feed's description one after the other; members that nobody asked for are unknown.
struct FeedFields {
    private let object: JSONObject
    /// Members that were asked for, with those of the key and those that the server adds.
    private var known: Set<String> = ["key", "keyFile", "keyEnvironment", "hasKey", "source", "state"]

    init(_ object: JSONObject) { self.object = object }

    /// A member's value; null counts as absent.
    private mutating func value(_ field: String) -> JSONValue? {
        known.insert(field)
        guard let value = object[field], !value.isNull else { return .none }
        return value
    }

    /// - Throws: when there is a member that nobody asked for.
    func end() throws(FeedProblem) {
        for (name, _) in object.members where !known.contains(name) {
            throw FeedProblem(field: name, message: "is not known; known are \(known.sorted().joined(separator: ", "))")
        }
    }

    mutating func name() throws(FeedProblem) -> String {
        guard let name = value("name")?.stringValue, (1...64).contains(name.utf8.count), name.first != "-",
            name.utf8.allSatisfy({ (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d })
        else { throw FeedProblem(field: "name", message: "must be 1 to 64 of a-z, 0-9 and -, such as announcements") }
        return name
    }

    mutating func kind() throws(FeedProblem) -> FeedDefinition.Kind {
        guard let kind = value("kind")?.stringValue.flatMap(FeedDefinition.Kind.init) else {
            let all = FeedDefinition.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw FeedProblem(field: "kind", message: "must be one of \(all)")
        }
        return kind
    }

    mutating func url(_ standard: String?) throws(FeedProblem) -> String {
        let problem = FeedProblem(
            field: "url", message: "must be an http or https URL without a user in it, such as https://example.org/rss")
        guard let given = value("url") else {
            guard let standard else { throw problem }
            return standard
        }
        guard var url = given.stringValue, url.utf8.count <= 1000, url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            ["https://", "http://"].contains(where: { url.hasPrefix($0) })
        else { throw problem }
        let host = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
        let authority = host.prefix { !"/?#".contains($0) }
        guard !authority.isEmpty, !authority.contains("@"), !url.contains("#") else { throw problem }
        if standard != nil, url.contains("?") { throw problem }
        while standard != nil, url.hasSuffix("/") { url.removeLast() }
        return url
    }

    mutating func interval(_ standard: Int64) throws(FeedProblem) -> Int64 {
        guard let given = value("interval") else { return standard }
        let milliseconds = given.stringValue.flatMap { TimeSpan($0) }?.milliseconds
        guard let milliseconds, FeedLimits.intervals.contains(milliseconds) else {
            throw FeedProblem(field: "interval", message: "must be a time from 10s to 7d, such as 10m or 6h")
        }
        return milliseconds
    }

    mutating func wanted(
        _ field: String, of kinds: [FeedDefinition.Kind], _ kind: FeedDefinition.Kind
    ) throws(FeedProblem) -> FeedDefinition.Wanted? {
        guard kinds.contains(kind), let given = value(field) else { return nil }
        let form = kind == .gios ? "followed, all" : "followed"
        let problem = FeedProblem(
            field: field, message: "must be a list of numbers and of \(form), such as [\"followed\", \"525\"]")
        guard let entries = given.arrayValue ?? (given.stringValue == nil ? nil : [given]),
            entries.count <= FeedLimits.listedMax
        else { throw problem }
        var wanted = FeedDefinition.Wanted()
        for entry in entries {
            switch entry.stringValue ?? entry.integerValue.map({ String($0) }) ?? "" {
            case "followed": wanted.isFollowed = true
            case "all" where kind == .gios: wanted.isAll = true
            case let id:
                guard FeedTarget.isNumber(id) else { throw problem }
                if !wanted.ids.contains(id) { wanted.ids.append(id) }
            }
        }
        return wanted
    }

    mutating func pollutants(_ kind: FeedDefinition.Kind) throws(FeedProblem) -> [String] {
        guard kind == .gios, let given = value("pollutants") else { return [] }
        let codes = (given.arrayValue ?? []).compactMap(\.stringValue)
        guard let entries = given.arrayValue, codes.count == entries.count, codes.count <= 20,
            codes.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 16 })
        else {
            throw FeedProblem(field: "pollutants", message: "must be a list of codes, such as [\"PM10\", \"PM2.5\"]")
        }
        return codes
    }

    mutating func language(_ kind: FeedDefinition.Kind) throws(FeedProblem) -> String? {
        guard kind == .tmdb, let given = value("language") else { return nil }
        guard let tag = given.stringValue, LanguageTag(tag) != nil else {
            throw FeedProblem(field: "language", message: "must be a language tag, such as it-IT")
        }
        return tag
    }

    mutating func collection(_ kind: FeedDefinition.Kind) throws(FeedProblem) -> String {
        guard kind == .rss, let given = value("collection") else { return "announcements" }
        guard let name = given.stringValue, !name.contains("/"), (try? DocumentPath(name + "/x")) != nil else {
            throw FeedProblem(field: "collection", message: "must be the name of a collection, such as announcements")
        }
        guard !DocumentPath.commandCollections.contains(name) else {
            throw FeedProblem(
                field: "collection", message: "must not be \(name), which only the commands of users write")
        }
        return name
    }

    mutating func number(_ field: String, in range: ClosedRange<Int64>) throws(FeedProblem) -> Int64? {
        guard let given = value(field) else { return nil }
        guard let number = given.integerValue, range.contains(number) else {
            throw FeedProblem(
                field: field, message: "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    mutating func truth(_ field: String) throws(FeedProblem) -> Bool? {
        guard let given = value(field) else { return nil }
        guard let truth = given.boolValue else { throw FeedProblem(field: field, message: "must be true or false") }
        return truth
    }
}
