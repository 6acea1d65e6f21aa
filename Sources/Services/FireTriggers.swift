import ClientProtocol
import JSON
import Model
import Store
import Triggers

extension WriteContext {
    /// Fires the triggers that watch a change, inside its transaction.
    ///
    /// Each trigger's rows stand in a savepoint: one that fails leaves none, is listed among the dead, and undoes
    /// neither the write nor what the others did.
    ///
    /// - Parameters:
    ///   - path: nil when the change has no document's path: then nothing can watch it.
    ///   - position: the change's place in the log, under which a trigger notifies each stream only once.
    ///   - documents: the document before and after, made only if a trigger watches the path.
    func fire(
        _ event: ChangeEvent, path: DocumentPath?, at position: Position,
        documents: () throws -> (before: JSONValue?, after: JSONValue?)
    ) throws -> [TriggerReport] {
        guard let path else { return [] }
        let candidates = engine.candidates(for: path, event: event)
        guard !candidates.isEmpty else { return [] }
        let (before, after) = try documents()
        let change = DocumentChange(path: path, event: event, before: before, after: after)
        return try candidates.map { trigger in
            try fire(trigger, change, at: position)
        }
    }

    /// Fires one trigger for one change.
    func fire(_ trigger: CompiledTrigger, _ change: DocumentChange, at position: Position) throws -> TriggerReport {
        let name = trigger.definition.name
        let effect: TriggerReport.Effect
        do {
            effect = try transaction.savepoint {
                try carryOut(engine.evaluate(trigger, change, now: now), of: name, change, at: position)
            }
        } catch let failure as TriggerFailure {
            try transaction.triggers.insertDead(
                trigger: name, path: change.path, change: position, reason: failure.message, at: now)
            effect = .failed(failure.message)
        }
        return TriggerReport(trigger: name, effect: effect)
    }

    private func carryOut(
        _ outcome: TriggerOutcome, of name: String, _ change: DocumentChange, at position: Position
    ) throws -> TriggerReport.Effect {
        switch outcome {
        case .skipped:
            return .skipped
        case .scheduled(let due):
            try transaction.triggers.schedule(name, path: change.path, due: due, change: position)
            return .scheduled(due)
        case .wanted(let wanted):
            let text = { StoredTexts.Text(title: ($0 as NotificationText).title, body: $0.body) }
            let texts = Localized(
                fallback: text(wanted.texts.fallback), byLanguage: wanted.texts.byLanguage.mapValues(text))
            let draft = NotificationDraft(
                kind: wanted.kind, level: wanted.level, texts: StoredTexts(texts), data: wanted.data.text,
                expires: wanted.expires, collapse: wanted.collapse, trigger: name, change: position)
            return .notified(try notify(wanted.audience, draft))
        case .failed(let failure):
            throw failure
        }
    }
}
