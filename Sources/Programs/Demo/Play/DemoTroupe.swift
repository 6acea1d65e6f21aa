import Client
import ClientProtocol
import JSON
import Model
import Session
import Telemetry

/// The bots of the demo and the story they play, all on one loop.
///
/// - Confinement: loop
final class DemoTroupe: DemoPlay {
    let cast: DemoCast
    let story: DemoStory
    let machinery: DemoMachinery
    private var bots: [UserID: DemoBot] = [:]
    private var number = 0
    private var played = 0

    init(_ cast: DemoCast, on machinery: DemoMachinery) {
        self.cast = cast
        self.machinery = machinery
        story = DemoStory(cast)
        for person in cast.bots { bots[person.id] = DemoBot(person, of: self) }
    }

    /// Continues where the story stopped.
    func start() {
        for (key, scene) in story.openings { play(scene, key: key, isTold: false) }
        machinery.ask("GET", "documents/demo/story") { [unowned self] answer in
            if case .done(let body) = answer { number = Int(body["data"]?["scene"]?.integerValue ?? 0) }
            machinery.after(800) { [unowned self] in playNext() }
        }
    }

    /// Ends everything that is on the loop.
    func stop() {
        for bot in bots.values { bot.stop() }
        machinery.stop()
    }

    private func playNext() {
        if let scene = story.scene(number) { play(scene, key: "demo-scene-\(number)", isTold: true) }
        number += 1
        played += 1
        machinery.ask("PUT", "documents/demo/story", ["scene": .integer(Int64(number))])
        // At first one scene of each kind, quickly; then at the pace of a background.
        machinery.after(played < 10 ? 4000 : 9000) { [unowned self] in playNext() }
    }

    private func play(_ scene: DemoScene, key: String, isTold: Bool) {
        switch scene {
        case .recommendation(let from, let to, let film, let note):
            recommend(film, from: from, to: to, note: note, key: key, isTold: isTold)
        case .follow(let follower, let followed, let isAnew):
            machinery.narrator.tell(follower.name, "follows \(followed.name)", .follow)
            let topic = Topic(user: followed.id)
            if isAnew { bots[follower.id]?.do(.unfollow(topic, key: WriteKey(key + "-un"))) }
            bots[follower.id]?.do(.follow(topic, key: WriteKey(key)))
        case .release(let film):
            machinery.narrator.tell("cinema", "\(film.title) is out, directed by \(film.director.name)", .release)
            // A film that came out in an earlier round comes out again.
            machinery.ask("DELETE", "documents/" + film.creditPath, key: key + "-un", mayBeMissing: true)
            let credit = DemoSeed.credit(film, on: yesterday)
            machinery.ask("PUT", "documents/" + film.creditPath, credit, key: key)
        case .season(let season, let series, let isWhole):
            machinery.narrator.tell(
                "cinema", "season \(season) of \(series.title) \(isWhole ? "is complete" : "begins")", .release)
            machinery.ask("PUT", "documents/" + series.path, document(of: series, season, isWhole), key: key)
        case .review(let author, let film, let text):
            machinery.narrator.tell(author.name, "reviews \(film.title): “\(text)”", .review)
            let review: JSONValue = [
                "author": .string(author.id.text), "text": .string(text), "rating": 5,
                "at": .string(WallClock.system.now().text),
                "product": ["id": .string(film.product.id), "title": .string(film.title)],
            ]
            machinery.ask("PUT", "documents/reviews/\(key)", review, key: key)
        }
    }

    /// Yesterday at nine is past in all zones, so everybody is notified at once of what comes out then.
    private var yesterday: String {
        String(WallClock.system.now().adding(milliseconds: -86_400_000).text.prefix(10))
    }

    private func document(of series: DemoSeries, _ season: Int64, _ isWhole: Bool) -> JSONValue {
        guard !isWhole else { return ["title": .string(series.title), "seasons": .integer(season)] }
        return [
            "title": .string(series.title), "seasons": .integer(season - 1), "nextSeason": .integer(season),
            "nextEpisode": 1, "nextAirDate": .string(yesterday),
        ]
    }

    private func recommend(
        _ film: DemoFilm, from: DemoPerson, to: DemoPerson, note: String, key: String, isTold: Bool
    ) {
        if isTold {
            machinery.narrator.tell(from.name, "recommends \(film.shown) to \(to.name): “\(note)”", .recommendation)
        }
        guard let bot = bots[from.id], let key = WriteKey(key) else { return }
        bot.do(.recommend(film.product, to: to.id, note: note, key: key)) { answer in
            guard let chat = answer["chat"]?.stringValue, let n = answer["n"]?.integerValue else { return }
            bot.remember(film.title, n: n, in: chat, from: from.id.text)
        }
    }
}

@available(*, unavailable)
extension DemoTroupe: Sendable {}
