import JSON
import Model

/// An RSS (0.9x, 1.0, 2.0) or Atom (1.0) feed as documents.
///
/// - Confinement: any
struct AnnouncementReader {
    let feed: String
    let collection: String
    /// The address of the feed, which completes relative links.
    var url: String?

    /// - Parameter contentType: The header field; its charset may give the encoding.
    /// - Throws: ``FeedUnreadable`` also for XML that is not a feed.
    func read(_ body: [UInt8], contentType: String?) throws(FeedUnreadable) -> FeedFindings {
        let document: XMLDocument
        do {
            document = try XMLDocument(body, charset: Self.charset(contentType))
        } catch {
            let kind = contentType.map { ", it calls itself \(PlainText.of($0, charactersMax: 60))" } ?? ""
            throw FeedUnreadable("\(error)\(kind)")
        }
        let (entries, home) = try entries(of: document.root)
        var findings = findings(entries, home: home)
        findings.remarks = document.remarks + findings.remarks
        return findings
    }

    /// The announcements, and the address of the site where the feed gives it.
    private func entries(of root: XMLElement) throws(FeedUnreadable) -> ([Announcement], home: String?) {
        let base = root.base(over: url)
        switch root.localName {
        case "rss":
            guard let channel = root.first(local: "channel") else {
                throw FeedUnreadable("the feed has no channel")
            }
            let site = self.base(of: channel, over: base)
            let entries = Self.newest(channel, { $0.name == "item" }) { Announcement(item: $0, base: site) }
            return (entries, Self.home(of: channel, base: base))
        case "RDF":
            let channel = root.first(local: "channel")
            let site = channel.flatMap { self.base(of: $0, over: base) } ?? base
            let entries = Self.newest(root, { $0.localName == "item" }) { Announcement(item: $0, base: site) }
            return (entries, channel.flatMap { Self.home(of: $0, base: base) })
        case "feed":
            return (Self.newest(root, { $0.localName == "entry" }) { Announcement(entry: $0, base: base) }, nil)
        default: throw FeedUnreadable("it is XML, but not a feed: <\(PlainText.of(root.name, charactersMax: 40))>")
        }
    }

    /// The address that completes relative ones in RSS: `xml:base`, or else the site, since RSS says nothing about it.
    private func base(of channel: XMLElement, over base: String?) -> String? {
        let own = channel.base(over: base)
        return own == url ? Self.home(of: channel, base: base) ?? base : own
    }

    private static func home(of channel: XMLElement, base: String?) -> String? {
        channel.first("link").flatMap { WebLink.address($0.text, base: base) }
    }

    /// The newest entries, the newest first; older ones are left out. Feeds begin with the newest, and some with the oldest.
    private static func newest(
        _ parent: XMLElement, _ isEntry: (XMLElement) -> Bool, _ read: (XMLElement) -> Announcement
    ) -> [Announcement] {
        var elements = parent.elements.filter(isEntry)
        guard let first = elements.first, let last = elements.last else { return [] }
        if let top = read(first).published, let bottom = read(last).published, top < bottom { elements.reverse() }
        return elements.prefix(FeedLimits.announcementsMax).map(read)
    }

    /// The oldest first, so that people are notified in the order of the announcements. An announcement without a date
    /// keeps its place in the feed.
    private func findings(_ entries: [Announcement], home: String?) -> FeedFindings {
        let naming = AnnouncementNaming(entries, home: home)
        var seen: Set<String> = []
        var kept: [(entry: Announcement, draft: FeedDraft)] = []
        for (entry, step) in naming.named {
            let places = AnnouncementNaming.places(of: entry, step: step)
            guard seen.insert(places.id).inserted, let place = path(places.id) else { continue }
            var draft = FeedDraft(place, .fields(entry.json(feed: feed)))
            draft.otherPlaces = places.others.compactMap { other in
                path(other.id).map { FeedDraft.Place(path: $0, needsTitle: other.needsTitle) }
            }
            kept.append((entry, draft))
        }
        var dated: [(at: Timestamp, draft: FeedDraft)] = []
        var latest = Timestamp(milliseconds: .min)
        for (entry, draft) in kept.reversed() {
            latest = entry.published ?? latest
            dated.append((latest, draft))
        }
        var findings = FeedFindings()
        findings.drafts = dated.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element.draft)
        findings.remarks = Self.remarks(naming, entries)
        return findings
    }

    private func path(_ id: String) -> DocumentPath? { try? DocumentPath("\(collection)/\(id)") }

    /// The oddities of the announcements, for the operator.
    private static func remarks(_ naming: AnnouncementNaming, _ entries: [Announcement]) -> [String] {
        var remarks: [String] = []
        if naming.sharing > 0, let example = naming.example {
            remarks.append(
                "\(naming.sharing) announcements share a guid or a link (\(PlainText.of(example, charactersMax: 80))), "
                    + "so their titles and dates distinguish them")
        }
        if naming.nameless > 0 {
            remarks.append("\(naming.nameless) announcements have no guid, link or title and are left out")
        }
        if let date = entries.lazy.compactMap(\.unreadDate).first {
            remarks.append("the date '\(PlainText.of(date, charactersMax: 60))' cannot be read")
        }
        return remarks
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
