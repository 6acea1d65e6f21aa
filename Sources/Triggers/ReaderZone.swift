import JSON
package import Model

/// `zone`: the time zone of the one reader of a row, in its expressions and templates.
///
/// Only a row whose audience is one user has it; of a row for many it would be everybody's and nobody's.
///
/// - Confinement: any
enum ReaderZone {
    static let name = "zone"

    private static let reason = "zone is the time zone of one reader, but this row has many readers: name a zone, as in"

    /// What to write where there is no reader's zone, in an expression.
    static let hint = "\(reason) 'Europe/Rome', or let clock be recipient"
    /// The same in a template.
    static let templateHint = "\(reason) time.Europe.Rome(…), or let clock be recipient"
}

extension TriggerDefinition {
    /// Whether `zone` means the reader's; a row that calls something else so means that.
    var hasReaderZone: Bool {
        audience.isOnePerson && !(path.names + with.names).contains { $0.lowercased() == ReaderZone.name }
    }

    /// Whether any expression or template may mention it: then it is looked up with every change that the row is shown.
    var mentionsReaderZone: Bool {
        guard hasReaderZone else { return false }
        var texts = [condition, at ?? "", withdraw ?? "", rearm ?? "", collapse ?? ""]
        texts += [level.json.text, title.json.text, body.json.text, JSONValue.object(data).text]
        return texts.contains { $0.lowercased().contains(ReaderZone.name) }
    }

    /// The user whose zone it is for one change; nil where a field that names him is missing.
    package func reader(of change: DocumentChange) -> UserID? {
        guard audience.isOnePerson, let values = path.match(change.path) else { return nil }
        let names = Dictionary(zip(path.names, values), uniquingKeysWith: { first, _ in first })
        let resolved = try? audience.resolve(names: names, before: change.before, after: change.after)
        if case .user(let user) = resolved { return user }
        return nil
    }
}
