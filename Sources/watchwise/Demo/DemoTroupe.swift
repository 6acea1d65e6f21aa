import Authentication
import Client
import ClientProtocol
import EventLoop
import JSON
import Model
import Server

/// The bots of the demo and the story they play, all on one loop.
///
/// - Confinement: loop
final class DemoTroupe {
    let cast: DemoCast
    let story: DemoStory
    let narrator: DemoNarrator
    private let loop: Loop
    private let api: HTTPConnection
    private let makeToken: () -> String
    private let pace: Demo.Pace
    private var bots: [UserID: DemoBot] = [:]
    private var timers: [Int: LoopTimer] = [:]
    private var lastTimer = 0
    private var number = 0
    private var played = 0

    /// - Parameter makeToken: of an administrator.
    init(
        _ cast: DemoCast, on loop: Loop, server: ServerAddress, secret: ServerSecret, pace: Demo.Pace,
        makeToken: @escaping () -> String
    ) {
        self.cast = cast
        self.loop = loop
        self.pace = pace
        self.makeToken = makeToken
        story = DemoStory(cast)
        narrator = DemoNarrator(on: loop)
        api = HTTPConnection(on: loop, to: server)
        for person in cast.bots {
            bots[person.id] = DemoBot(person, of: self, on: loop, server: server) {
                let now = Surroundings.now
                let claims = Claims(subject: person.id, expiresAt: now.adding(milliseconds: 86_400_000))
                return JSONWebToken.sign(claims, issuedAt: now, with: secret)
            }
        }
    }

    /// Begins where the story was left.
    func start() {
        for (key, scene) in story.openings { play(scene, key: key, isTold: false) }
        ask("GET", "documents/demo/story") { [unowned self] answer in
            if case .done(let body) = answer { number = Int(body["data"]?["scene"]?.integerValue ?? 0) }
            after(800) { [unowned self] in playNext() }
        }
    }

    /// Ends everything that is on the loop.
    func stop() {
        for bot in bots.values { bot.stop() }
        api.close()
        for timer in timers.values { timer.close() }
        timers = [:]
    }

    /// Does something later, in milliseconds of the normal pace.
    func after(_ milliseconds: Int64, _ act: @escaping () -> Void) {
        lastTimer += 1
        let id = lastTimer
        let timer = LoopTimer(on: loop) { [unowned self] in
            timers.removeValue(forKey: id)?.close()
            act()
        }
        timers[id] = timer
        timer.start(afterMilliseconds: milliseconds / pace.quickness)
    }

    private func playNext() {
        if let scene = story.scene(number) { play(scene, key: "demo-scene-\(number)", isTold: true) }
        number += 1
        played += 1
        ask("PUT", "documents/demo/story", ["scene": .integer(Int64(number))])
        // First one of each kind, soon; then as it would be watched beside other things.
        after(played < 10 ? 4000 : 9000) { [unowned self] in playNext() }
    }

    private func play(_ scene: DemoScene, key: String, isTold: Bool) {
        switch scene {
        case .recommendation(let from, let to, let film, let note):
            recommend(film, from: from, to: to, note: note, key: key, isTold: isTold)
        case .follow(let follower, let followed, let isAnew):
            narrator.tell(follower.name, "follows \(followed.name)", .follow)
            let topic = Topic(user: followed.id)
            if isAnew { bots[follower.id]?.do(.unfollow(topic, key: WriteKey(key + "-un"))) }
            bots[follower.id]?.do(.follow(topic, key: WriteKey(key)))
        case .release(let film):
            narrator.tell("cinema", "\(film.title) is out, directed by \(film.director.name)", .release)
            // A film that came out in an earlier round comes out again.
            ask("DELETE", "documents/" + film.creditPath, key: key + "-un", mayBeMissing: true)
            ask("PUT", "documents/" + film.creditPath, DemoSeed.credit(film), key: key)
        case .review(let author, let film, let text):
            narrator.tell(author.name, "reviews \(film.title): “\(text)”", .review)
            let review: JSONValue = [
                "author": .string(author.id.text), "text": .string(text), "rating": 5,
                "product": ["id": .string(film.product.id), "title": .string(film.title)],
            ]
            ask("PUT", "documents/reviews/\(key)", review, key: key)
        }
    }

    private func recommend(
        _ film: DemoFilm, from: DemoPerson, to: DemoPerson, note: String, key: String, isTold: Bool
    ) {
        if isTold {
            narrator.tell(from.name, "recommends \(film.shown) to \(to.name): “\(note)”", .recommendation)
        }
        guard let bot = bots[from.id], let key = WriteKey(key) else { return }
        bot.do(.recommend(film.product, to: to.id, note: note, key: key)) { answer in
            guard let chat = answer["chat"]?.stringValue, let n = answer["n"]?.integerValue else { return }
            bot.remember(film.title, n: n, in: chat, from: from.id.text)
        }
    }

    /// Asks the HTTP API; what goes wrong is told.
    private func ask(
        _ method: String, _ path: String, _ body: JSONValue? = nil, key: String? = nil, mayBeMissing: Bool = false,
        then: ((AdminAnswer) -> Void)? = nil
    ) {
        var request = AdminRequest(method, path, token: makeToken()).with(key: key)
        if let body { request = request.with(body: body) }
        api.perform(request.http) { [unowned self] result in
            switch result {
            case .success(let response):
                let answer = AdminAnswer(response)
                if case .refused(let refusal) = answer, then == nil, !(mayBeMissing && refusal.code == .notFound) {
                    narrator.complain("\(method) \(path): \(refusal.message)")
                }
                then?(answer)
            case .failure(.connection(.cancelled)): break
            case .failure(let failure): narrator.complain("\(method) \(path): \(failure)")
            }
        }
    }
}

@available(*, unavailable)
extension DemoTroupe: Sendable {}
