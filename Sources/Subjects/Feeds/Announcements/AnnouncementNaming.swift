import Model

/// The announcements of one answer, each once and each by a name that no other has.
///
/// - Confinement: any
struct AnnouncementNaming {
    /// The announcements in the order of the answer, each with the step of its name in its ladder.
    private(set) var named: [(entry: Announcement, step: Int)] = []
    /// The announcements that share a guid or a link with another one, and an example.
    private(set) var sharing = 0
    private(set) var example: String?
    /// Those that have neither a guid, a link, a title nor a file.
    private(set) var nameless = 0

    /// - Parameters:
    ///   - entries: The newest first; of several that are the same in everything, the first counts.
    ///   - home: The address of the site. As a guid or a link of one announcement it names nothing.
    init(_ entries: [Announcement], home: String? = nil) {
        // Schemes do not distinguish: a site may show its old items by `http` and its new ones by `https`.
        let keys = entries.map { $0.identity.names.map(AnnouncementIdentity.canonical) }
        let home = home.map(AnnouncementIdentity.canonical)
        // The steps that only repeat the address of the site.
        let empty = keys.map { names in
            names.prefix { $0.split(separator: "\n").allSatisfy { String($0) == home } }.count
        }
        let groups = Dictionary(grouping: keys.indices.filter { !keys[$0].isEmpty }) { keys[$0][0] }
        var steps: [Int: Int] = [:]
        var firstShared: Int?
        for group in groups.values {
            var seen: Set<String> = []
            let different = group.filter { seen.insert(keys[$0].last ?? "").inserted }
            guard different.count > 1 else {
                steps[group[0]] = min(empty[group[0]], keys[group[0]].count - 1)
                continue
            }
            sharing += different.count
            firstShared = min(firstShared ?? .max, group[0])
            let counts = different.flatMap { Set(keys[$0]) }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            for index in different {
                steps[index] =
                    keys[index].indices.first { $0 >= empty[index] && counts[keys[index][$0]] == 1 }
                    ?? keys[index].count - 1
            }
        }
        example = firstShared.map { entries[$0].identity.names[0] }
        nameless = keys.count { $0.isEmpty }
        named = entries.indices.compactMap { index in steps[index].map { (entries[index], $0) } }
    }

    /// The ids of documents under which an announcement may stand: the one for a new document, and those of earlier answers.
    ///
    /// A name that others of the answer share counts only for a document with the same title.
    static func places(
        of entry: Announcement, step: Int
    ) -> (id: String, others: [(id: String, needsTitle: Bool)]) {
        let names = entry.identity.names
        let id = SegmentName.of(names[step])
        var others: [(id: String, needsTitle: Bool)] = []
        var seen: Set<String> = [id]
        func add(_ names: some Sequence<String>, needsTitle: Bool) {
            for name in names.lazy.flatMap(AnnouncementIdentity.forms) where seen.insert(SegmentName.of(name)).inserted
            {
                others.append((SegmentName.of(name), needsTitle))
            }
        }
        add(names[step...], needsTitle: false)
        add(names[..<step], needsTitle: true)
        add(entry.identity.olderNames, needsTitle: false)
        return (id, others)
    }
}
