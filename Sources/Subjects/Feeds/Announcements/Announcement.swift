import JSON
import Model

/// One announcement.
///
/// - Confinement: any
struct Announcement {
    let identity: AnnouncementIdentity
    let title: String
    let link: String?
    let published: Timestamp?
    /// A date that is there and cannot be read.
    let unreadDate: String?
    let summary: String
    let attachments: [Attachment]

    /// An attached file: `enclosure` in RSS, a link with that relation in Atom.
    struct Attachment {
        let url: String
        /// Its media type and its size in bytes, where the feed gives them.
        let type: String?
        let bytes: Int64?

        /// Nil when a browser cannot open the address.
        init?(_ element: XMLElement, address: String, base: String?) {
            let base = element.base(over: base)
            guard let url = element.attributes[address].flatMap({ WebLink.address($0, base: base) }) else { return nil }
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
    ///
    /// - Parameter base: The address that completes relative ones.
    init(item: XMLElement, base: String?) {
        let base = item.base(over: base)
        let guid = item.first("guid").map { PlainText.cut($0.text, to: 2000) } ?? ""
        let isLink = item.first("guid")?.attributes["isPermaLink"]?.lowercased() != "false"
        link = Self.link(of: item, base: base) ?? (isLink ? WebLink.address(guid) : nil)
        let dates =
            [item.first("pubDate"), item.first("dc:date")]
            + item.elements.filter { ["date", "published", "updated"].contains($0.localName) }
        (published, unreadDate) = Self.date(dates.compactMap(\.self))
        let text = item.first("description") ?? item.first("content:encoded") ?? item.first(local: "encoded")
        summary = PlainText.of(text?.text ?? "", charactersMax: FeedLimits.summaryCharactersMax)
        attachments = Self.attachments(item.elements.filter { $0.name == "enclosure" }, address: "url", base)
        let heading = PlainText.of(
            item.first("title")?.text ?? item.first(local: "title")?.text ?? "",
            charactersMax: FeedLimits.titleCharactersMax)
        title = heading.isEmpty ? PlainText.cut(summary, to: 100) : heading
        let date = item.first("pubDate") ?? item.first("dc:date") ?? item.first(local: "date")
        identity = AnnouncementIdentity(
            id: guid, link: link, title: title, date: date?.text, file: attachments.first?.url)
    }

    /// An `entry` of Atom.
    ///
    /// - Parameter base: The address that completes relative ones.
    init(entry: XMLElement, base: String?) {
        let base = entry.base(over: base)
        let id = entry.first(local: "id").map { PlainText.cut($0.text, to: 2000) } ?? ""
        let links = entry.elements.filter { $0.localName == "link" }
        let link =
            links.first { ($0.attributes["rel"] ?? "alternate") == "alternate" }
            ?? links.first { $0.attributes["rel"] != "enclosure" }
        self.link =
            link.flatMap { link in
                link.attributes["href"].flatMap { WebLink.address($0, base: link.base(over: base)) }
            } ?? WebLink.address(id)
        attachments = Self.attachments(links.filter { $0.attributes["rel"] == "enclosure" }, address: "href", base)
        let dates = ["published", "updated", "issued", "modified"].compactMap { entry.first(local: $0) }
        (published, unreadDate) = Self.date(dates)
        let text = entry.first(local: "summary") ?? entry.first(local: "content")
        summary = text.map { Self.text($0, FeedLimits.summaryCharactersMax) } ?? ""
        let heading = entry.first(local: "title").map { Self.text($0, FeedLimits.titleCharactersMax) } ?? ""
        title = heading.isEmpty ? PlainText.cut(summary, to: 100) : heading
        identity = AnnouncementIdentity(
            id: id, link: self.link, title: title, date: dates.first?.text, file: attachments.first?.url)
    }

    /// The document.
    func json(feed: String) -> JSONObject {
        [
            "title": .string(title), "link": link.map { .string($0) } ?? .null,
            "published": published.map { .string($0.text) } ?? .null, "summary": .string(summary),
            "attachments": .array(attachments.map(\.json)), "feed": .string(feed),
        ]
    }

    /// The address of an item: its own `link`, wherever others stand, or else an alternative of Atom.
    private static func link(of item: XMLElement, base: String?) -> String? {
        let links = item.elements.filter { $0.localName == "link" }
        let own = links.filter { $0.name == "link" }
        let alternates = links.filter { ($0.attributes["rel"] ?? "alternate") == "alternate" }
        return (own + alternates).lazy
            .flatMap { link in [link.text, link.attributes["href"] ?? ""].map { ($0, link.base(over: base)) } }
            .compactMap { WebLink.address($0, base: $1) }.first
    }

    /// The first date that can be read; otherwise the text of one that cannot.
    private static func date(_ elements: [XMLElement]) -> (Timestamp?, unread: String?) {
        let texts = elements.map { PlainText.cut($0.text, to: 200) }.filter { !$0.isEmpty }
        let date = texts.lazy.compactMap { FeedDate.read($0) }.first
        return (date, date == nil ? texts.first : nil)
    }

    private static func attachments(_ elements: [XMLElement], address: String, _ base: String?) -> [Attachment] {
        Array(
            elements.lazy.compactMap { Attachment($0, address: address, base: base) }
                .prefix(FeedLimits.attachmentsMax))
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
}

extension XMLElement {
    /// The address that completes relative ones inside this element: its `xml:base`, which may be relative itself.
    func base(over outer: String?) -> String? {
        attributes["xml:base"].flatMap { WebLink.address($0, base: outer) } ?? outer
    }
}
