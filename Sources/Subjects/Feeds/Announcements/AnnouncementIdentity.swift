/// The names by which an announcement may be known.
///
/// A feed gives each item a guid, or at least a link, and many feeds give all items the same. So there is a ladder: each name has all of
/// the name before it and one thing more. The first name that is the item's own in its answer is the one that counts.
///
/// - Confinement: any
struct AnnouncementIdentity: Sendable, Hashable {
    /// The names, the shortest first; empty when the item has nothing to be known by.
    let names: [String]
    /// The names that earlier versions of this program would have given it.
    let olderNames: [String]

    /// - Parameters:
    ///   - id: The guid or the id; empty when there is none.
    ///   - file: The address of its first file.
    init(id: String, link: String?, title: String, date: String?, file: String?) {
        let when = PlainText.cut(date ?? "", to: 64)
        let titled = title.isEmpty ? nil : title + " " + when
        var steps: [String] = []
        if !id.isEmpty { steps.append(id) }
        if let link { steps.append(link) }
        if steps.isEmpty {
            names = [titled ?? file].compactMap(\.self)
            olderNames = titled == nil ? [] : [Self.withoutJoiners(title) + " " + when]
            return
        }
        names = (steps + [title, when]).reduce(into: []) { names, step in
            names.append(names.last.map { $0 + "\n" + step } ?? step)
        }
        // Links that were not understood earlier left the title and the date.
        olderNames = id.isEmpty ? [titled, titled.map(Self.withoutJoiners)].compactMap(\.self) : []
    }

    private static func withoutJoiners(_ title: String) -> String {
        var text = String.UnicodeScalarView()
        text.append(
            contentsOf: title.unicodeScalars.filter { $0 != "\u{200c}" && !(0xe0020...0xe007f).contains($0.value) })
        return String(text)
    }

    /// A name with the addresses in it as ``AddressForm/canonical`` has them: a site that moves changes nothing else.
    static func canonical(_ name: String) -> String { AddressForm.canonical.written(name) }

    /// The forms of a name before and after such a move, the given one first.
    static func forms(of name: String) -> [String] {
        var seen: Set<String> = [name]
        return [name] + AddressForm.all.map { $0.written(name) }.filter { seen.insert($0).inserted }
    }
}
