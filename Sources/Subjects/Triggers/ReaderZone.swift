import JSON
package import Model

/// `zone`: the time zone of the one reader of a row, in its expressions and templates.
///
/// Only a row whose audience is one user has it; a row for many readers has no single zone.
///
/// - Confinement: any
enum ReaderZone {
    static let name = "zone"

    private static let reason = "zone is the time zone of one reader, but this row has many readers: name a zone, as in"

    /// The advice for an expression that asks for a zone that the row does not have.
    static let hint = "\(reason) 'Europe/Rome', or let clock be recipient"
    /// The same in a template.
    static let templateHint = "\(reason) time.Europe.Rome(…), or let clock be recipient"
}

extension TriggerDefinition {
    /// Whether `zone` means the reader's zone; it does not if the row gives this name to something else.
    var hasReaderZone: Bool {
        audience.isOnePerson && !(path.names + with.names).contains { $0.lowercased() == ReaderZone.name }
    }

    /// Whether an expression or template may mention it: then the zone is looked up for each change that the row
    /// evaluates.
    var mentionsReaderZone: Bool {
        guard hasReaderZone else { return false }
        var texts = [condition, at ?? "", withdraw ?? "", rearm ?? "", collapse ?? ""]
        texts += [level.json.text, title.json.text, body.json.text, JSONValue.object(data).text]
        return texts.contains { $0.lowercased().contains(ReaderZone.name) }
    }

    /// The user whose zone counts for one change; nil where a field of the audience is missing.
    package func reader(of change: DocumentChange) -> UserID? {
        guard audience.isOnePerson, let values = path.match(change.path) else { return nil }
        let names = Dictionary(zip(path.names, values), uniquingKeysWith: { first, _ in first })
        let resolved = try? audience.resolve(names: names, before: change.before, after: change.after)
        if case .user(let user) = resolved?.audience { return user }
        return nil
    }
}
