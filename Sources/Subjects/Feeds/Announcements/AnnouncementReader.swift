import JSON
import Model

/// An RSS (0.9x, 1.0, 2.0) or Atom (1.0) feed as documents.
///
/// - Confinement: any
struct AnnouncementReader {
    let feed: String
    let collection: String

    /// - Parameter contentType: The header field; its charset overrides that of the document.
    /// - Throws: ``FeedUnreadable`` also for XML that is not a feed.
    func read(_ body: [UInt8], contentType: String?) throws(FeedUnreadable) -> FeedFindings {
        let root: XMLElement
        do {
            root = try XMLTreeReader.read(body, charset: Self.charset(contentType))
        } catch {
            let kind = contentType.map { ", it calls itself \(PlainText.of($0, charactersMax: 60))" } ?? ""
            throw FeedUnreadable("\(error)\(kind)")
        }
        let entries: [Announcement]
        switch root.localName {
        case "rss":
            guard let channel = root.first(local: "channel") else {
                throw FeedUnreadable("the feed has no channel")
            }
            entries = Self.newest(channel) { $0.name == "item" }.map(Announcement.init(item:))
        case "RDF": entries = Self.newest(root) { $0.localName == "item" }.map(Announcement.init(item:))
        case "feed": entries = Self.newest(root) { $0.localName == "entry" }.map(Announcement.init(entry:))
        default: throw FeedUnreadable("it is XML, but not a feed: <\(PlainText.of(root.name, charactersMax: 40))>")
        }
        return findings(entries)
    }

    /// The newest entries; older ones are not even read.
    private static func newest(_ parent: XMLElement, where isEntry: (XMLElement) -> Bool) -> [XMLElement] {
        Array(parent.elements.lazy.filter(isEntry).prefix(FeedLimits.announcementsMax))
    }

    /// The oldest first, so that people are notified in the order of the announcements. An announcement without a date
    /// keeps its place in the feed, which begins with the newest.
    private func findings(_ entries: [Announcement]) -> FeedFindings {
        var seen: Set<String> = []
        var dated: [(at: Timestamp, draft: FeedDraft)] = []
        var latest = Timestamp(milliseconds: .min)
        for entry in entries.reversed() {
            guard let name = entry.name else { continue }
            let id = SegmentName.of(name)
            guard seen.insert(id).inserted, let path = try? DocumentPath("\(collection)/\(id)") else { continue }
            latest = entry.published ?? latest
            dated.append((latest, FeedDraft(path, .fields(entry.json(feed: feed)))))
        }
        var findings = FeedFindings()
        findings.drafts = dated.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element.draft)
        return findings
    }

    /// `text/xml; charset="ISO-8859-7"` says `ISO-8859-7`.
    static func charset(_ contentType: String?) -> String? {
        for parameter in (contentType ?? "").split(separator: ";").dropFirst() {
            let sides = parameter.split(separator: "=", maxSplits: 1).map { $0.filter { !" \"'\t".contains($0) } }
            if sides.count == 2, sides[0].lowercased() == "charset", !sides[1].isEmpty { return String(sides[1]) }
        }
        return nil
    }
}

/// One announcement.
struct Announcement {
    /// Its identity: its guid or id, else its link, else its title; nil when it has none of these.
    let name: String?
    let title: String
    let link: String?
    let published: Timestamp?
    let summary: String
    let attachments: [Attachment]

    /// An attached file: `enclosure` in RSS, a link with that relation in Atom.
    struct Attachment {
        let url: String
        /// Its media type and its size in bytes, where the feed gives them.
        let type: String?
        let bytes: Int64?

        /// Nil when a browser cannot open the address.
        init?(_ element: XMLElement, address: String) {
            guard let url = element.attributes[address].flatMap(Announcement.address) else { return nil }
            self.url = url
            type = element.attributes["type"].map { PlainText.cut($0, to: 100) }.flatMap { $0.isEmpty ? nil : $0 }
            bytes = element.attributes["length"].flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
        }

        var json: JSONValue {
            var json: JSONValue = ["url": .string(url)]
            if let type { json["type"] = .string(type) }
            if let bytes { json["bytes"] = .integer(bytes) }
            return json
        }
    }

    /// An `item` of RSS.
    init(item: XMLElement) {
        let guid = item.first("guid").map { PlainText.cut($0.text, to: 2000) } ?? ""
        let written = item.first(local: "link").map { PlainText.cut($0.text, to: 2000) } ?? ""
        let isLink = item.first("guid")?.attributes["isPermaLink"]?.lowercased() != "false"
        link = Self.address(written) ?? (isLink ? Self.address(guid) : nil)
        let date = item.first("pubDate") ?? item.first("dc:date") ?? item.first(local: "date")
        published = date.flatMap { FeedDate.read($0.text) }
        let text = item.first("description") ?? item.first("content:encoded") ?? item.first(local: "encoded")
        summary = PlainText.of(text?.text ?? "", charactersMax: FeedLimits.summaryCharactersMax)
        attachments = Self.attachments(item.elements.filter { $0.name == "enclosure" }, address: "url")
        let heading = PlainText.of(
            item.first("title")?.text ?? item.first(local: "title")?.text ?? "",
            charactersMax: FeedLimits.titleCharactersMax)
        title = heading.isEmpty ? PlainText.cut(summary, to: 100) : heading
        name = Self.name(guid, link, title, date?.text)
    }

    /// An `entry` of Atom.
    init(entry: XMLElement) {
        let id = entry.first(local: "id").map { PlainText.cut($0.text, to: 2000) } ?? ""
        let links = entry.elements.filter { $0.localName == "link" }
        let link =
            links.first { ($0.attributes["rel"] ?? "alternate") == "alternate" }
            ?? links.first { $0.attributes["rel"] != "enclosure" }
        self.link = link?.attributes["href"].flatMap(Self.address) ?? Self.address(id)
        attachments = Self.attachments(links.filter { $0.attributes["rel"] == "enclosure" }, address: "href")
        let date = entry.first(local: "published") ?? entry.first(local: "updated") ?? entry.first(local: "issued")
        published = date.flatMap { FeedDate.read($0.text) }
        let text = entry.first(local: "summary") ?? entry.first(local: "content")
        summary = text.map { Self.text($0, FeedLimits.summaryCharactersMax) } ?? ""
        let heading = entry.first(local: "title").map { Self.text($0, FeedLimits.titleCharactersMax) } ?? ""
        title = heading.isEmpty ? PlainText.cut(summary, to: 100) : heading
        name = Self.name(id, self.link, title, date?.text)
    }

    /// The document.
    func json(feed: String) -> JSONObject {
        [
            "title": .string(title), "link": link.map { .string($0) } ?? .null,
            "published": published.map { .string($0.text) } ?? .null, "summary": .string(summary),
            "attachments": .array(attachments.map(\.json)), "feed": .string(feed),
        ]
    }

    private static func attachments(_ elements: [XMLElement], address: String) -> [Attachment] {
        Array(elements.lazy.compactMap { Attachment($0, address: address) }.prefix(FeedLimits.attachmentsMax))
    }

    /// A text construct of Atom: only in `type="text"` (RFC 4287 section 3.1.1) are angle brackets part of the text.
    private static func text(_ element: XMLElement, _ charactersMax: Int) -> String {
        let type = element.attributes["type"] ?? "text"
        guard type == "text" else { return PlainText.of(element.text, charactersMax: charactersMax) }
        let escaped = element.text.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
        return PlainText.of(
            escaped.split(separator: "<", omittingEmptySubsequences: false).joined(separator: "&lt;"),
            charactersMax: charactersMax)
    }

    /// Only addresses that a browser opens safely: no `javascript:`.
    fileprivate static func address(_ text: String) -> String? {
        let link = PlainText.cut(text, to: FeedLimits.linkBytesMax)
        let scheme = link.prefix(8).lowercased()
        let isPlain = link.unicodeScalars.allSatisfy { $0.value > 0x20 && !(0x7f...0x9f).contains($0.value) }
        guard scheme.hasPrefix("http://") || scheme.hasPrefix("https://"), isPlain,
            link.utf8.count <= FeedLimits.linkBytesMax
        else { return nil }
        return link
    }

    private static func name(_ id: String, _ link: String?, _ title: String, _ date: String?) -> String? {
        if !id.isEmpty { return id }
        if let link { return link }
        return title.isEmpty ? nil : title + " " + PlainText.cut(date ?? "", to: 64)
    }
}
