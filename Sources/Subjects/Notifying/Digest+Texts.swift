import Execution
import JSON
import Model
import Store
import Triggers

/// The texts of a digest.
extension Digest {
    /// Title and body: from the row that wrote the notifications, else the server's own texts.
    func texts(for user: UserEntry, in context: WriteContext) throws -> Localized<NotificationText> {
        let shown = try entries.prefix(PreferenceLimits.digestTitlesMax).map {
            try StoredTexts(parsing: $0.texts).texts
        }
        let topic = topic(besides: user.name)
        let name = try topic.flatMap { try context.documentRights.name(of: $0, for: user) }
        func titles(_ language: LanguageTag?) -> [String] {
            shown.map { $0[language ?? user.effectiveLanguage].title }.filter { !$0.isEmpty }
        }
        let own = row(in: context.engine)?.render(count: entries.count, id: topic?.id, name: name, titles: titles)
        let server = subject == .quietHours ? DigestTemplates.away : .new
        guard let texts = own ?? server.render(count: entries.count, id: topic?.id, name: name, titles: titles) else {
            throw StoredValueProblem(place: "digests.texts")
        }
        return texts
    }

    /// The texts of the row that wrote them, if all have its kind.
    private func row(in engine: TriggerEngine) -> DigestTemplates? {
        guard subject != .quietHours, let newest = entries.first, let name = newest.trigger,
            let trigger = engine.trigger(named: name), let digest = trigger.digest,
            entries.allSatisfy({ $0.kind == trigger.definition.kind })
        else { return nil }
        return digest
    }

    /// The topic of all of them; nil when they have several, or the topic is the user.
    private func topic(besides user: UserID) -> Topic? {
        let topic: Topic?
        switch subject {
        case .quietHours: topic = nil
        case .topic(let text): topic = Topic(text)
        case .kind:
            guard let newest = entries.first,
                entries.allSatisfy({ $0.topic == newest.topic && $0.others.isEmpty })
            else { return nil }
            topic = Topic(newest.topic)
        }
        return topic?.user == user ? nil : topic
    }
}
