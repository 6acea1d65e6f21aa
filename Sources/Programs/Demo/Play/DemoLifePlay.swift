import Client
import ClientProtocol
import JSON
import Model
import Session
import Telemetry

/// Plays a ``DemoLife``: writes its documents and reports the notifications on the phones.
///
/// - Confinement: loop
final class DemoLifePlay: DemoPlay {
    private let life: DemoLife
    private let machinery: DemoMachinery
    private var phones: [DemoPhone] = []
    private var number = 0

    init(_ life: DemoLife, on machinery: DemoMachinery) {
        self.life = life
        self.machinery = machinery
        phones = life.people.map { DemoPhone(of: $0, on: machinery) }
    }

    func start() { machinery.after(2000) { [unowned self] in playNext() } }

    func stop() {
        for phone in phones { phone.stop() }
        machinery.stop()
    }

    private func playNext() {
        let scene = life.scenes[number % life.scenes.count]
        machinery.narrator.tell(scene.teller, scene.text, .change)
        let writes = scene.writes(WallClock.system.now())
        machinery.ask(
            "POST", "documents", ["writes": .array(writes.map(\.json))], key: "demo-\(WallClock.system.now().text)")
        number += 1
        machinery.after(scene.pause) { [unowned self] in playNext() }
    }
}

@available(*, unavailable)
extension DemoLifePlay: Sendable {}

/// A person's phone, which reports its notifications to the narrator.
///
/// - Confinement: loop
final class DemoPhone {
    private let person: DemoPerson
    private let session: ClientSession
    private unowned let machinery: DemoMachinery
    /// The titles of the notifications on the screen, by id.
    private var shown: [String: String] = [:]

    init(of person: DemoPerson, on machinery: DemoMachinery) {
        self.person = person
        self.machinery = machinery
        session = machinery.session(of: person)
        session.delegate = self
        session.start()
    }

    func stop() { session.stop() }
}

extension DemoPhone: ClientSessionDelegate {
    func report(_ report: ClientSessionReport, from session: ClientSession) {
        switch report {
        case .event(let event): take(event)
        case .violation(let violation): machinery.narrator.complain("\(person.id): \(violation)")
        case .ended(.refused(let refusal)): machinery.narrator.complain("\(person.id): \(refusal.message)")
        case .online, .live, .reset, .reply, .offline, .ended: break
        }
    }

    private func take(_ event: ClientEvent) {
        let body = event.body
        guard let id = body["id"]?.stringValue else { return }
        switch event.name {
        case .notification:
            let title = body["title"]?.stringValue ?? ""
            shown[id] = title
            let silence = body["reason"]?.stringValue.map { "no sound: \($0)" }
            machinery.narrator.show(
                title, body["body"]?.stringValue ?? "", on: person, manner: silence ?? body["level"]?.stringValue)
        case .notificationRemoved:
            // The new notification is reported; that is enough.
            guard let title = shown.removeValue(forKey: id), body["reason"] != "replaced" else { return }
            machinery.narrator.withdraw(title, from: person, reason: body["reason"]?.stringValue ?? "")
        default: break
        }
    }
}

@available(*, unavailable)
extension DemoPhone: Sendable {}
