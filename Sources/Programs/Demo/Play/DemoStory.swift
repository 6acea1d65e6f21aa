import Model

/// An event of the demo.
enum DemoScene {
    case recommendation(from: DemoPerson, to: DemoPerson, DemoFilm, note: String)
    /// - `isAnew`: they had followed before, so they stop first.
    case follow(DemoPerson, of: DemoPerson, isAnew: Bool)
    case release(DemoFilm)
    /// - `isWhole`: all its episodes are out; else it begins.
    case season(Int64, of: DemoSeries, isWhole: Bool)
    case review(by: DemoPerson, DemoFilm, text: String)
}

/// The scenes of the story, without end. The same number always gives the same scene; so a scene that a crash
/// interrupted is played again with the same keys, and nothing happens twice.
struct DemoStory {
    private let cast: DemoCast
    private let seed: UInt64 = 1895
    private let pairs: [(DemoPerson, DemoPerson)]
    private let strangers: [(DemoPerson, DemoPerson)]

    init(_ cast: DemoCast) {
        self.cast = cast
        let known = DemoCast.follows.compactMap { follower, followed in
            cast.person(follower).flatMap { one in cast.person(followed).map { (one, $0) } }
        }
        pairs = known.filter { $0.0.isBot && $0.1.isBot }
        var chance = DemoChance(seed: seed)
        strangers = cast.bots.flatMap { one in cast.people.filter { $0.id != one.id }.map { (one, $0) } }
            .filter { pair in !known.contains { $0.0.id == pair.0.id && $0.1.id == pair.1.id } }
            .filter(\.1.isBot).shuffled(using: &chance)
    }

    /// The first messages in the chats of the people on the page.
    var openings: [(key: String, scene: DemoScene)] {
        [("sofia", "anna"), ("ben", "anna"), ("giulia", "marco"), ("luca", "marco")].enumerated()
            .compactMap { index, pair in
                guard let from = cast.person(pair.0), let to = cast.person(pair.1) else { return nil }
                return ("demo-opening-\(index)", recommendation(from: from, to: to, number: 1000 + index))
            }
    }

    /// The scene with a number, counted from 0; nil when the cast is empty.
    func scene(_ number: Int) -> DemoScene? {
        let round = number / 6
        var chance = DemoChance(seed: seed &+ UInt64(number))
        switch number % 6 {
        case 0, 3:
            guard let pair = element(pairs, round * 2 + number % 6 / 3) else { return nil }
            return recommendation(from: pair.0, to: pair.1, number: number)
        case 1:
            guard let pair = element(strangers, round) else { return nil }
            return .follow(pair.0, of: pair.1, isAnew: round >= strangers.count)
        case 2:
            return element(cast.premieres, round).map { .release($0) }
        case 5: return season(round)
        case 4 where round % 3 == 2:
            let opening = element(openings, round / 3)
            guard case .recommendation(let from, let to, _, _)? = opening?.scene else { return nil }
            return recommendation(from: from, to: to, number: number)
        default:
            guard let author = element([cast.person("giulia"), cast.person("ben")].compactMap { $0 }, round),
                let film = cast.films.randomElement(using: &chance)
            else { return nil }
            let text = chance.phrase(DemoPhrases.reviews, between: author, and: author)
            return .review(by: author, film, text: text)
        }
    }

    /// Each series begins a season when its turn comes, and has all of it at the next turn.
    private func season(_ round: Int) -> DemoScene? {
        guard let series = element(DemoCast.series, round) else { return nil }
        let turn = round / DemoCast.series.count
        return .season(series.seasons + 1 + Int64(turn / 2), of: series, isWhole: turn % 2 == 1)
    }

    /// A bot's answer to a message: always the same for the same message.
    func answer(of bot: DemoPerson, to person: DemoPerson, n: Int64, isRecommendation: Bool) -> String {
        var chance = DemoChance(seed: seed &+ UInt64(max(0, n)), about: bot.id.text + person.id.text)
        return chance.phrase(
            isRecommendation ? DemoPhrases.thanks : DemoPhrases.replies, between: bot, and: person)
    }

    private func recommendation(from: DemoPerson, to: DemoPerson, number: Int) -> DemoScene {
        var chance = DemoChance(seed: seed &+ UInt64(number))
        let film = element(cast.films, Int(chance.next() % 997)) ?? cast.premieres[0]
        let note = chance.phrase(DemoPhrases.notes, between: from, and: to)
        return .recommendation(from: from, to: to, film, note: note)
    }

    private func element<Element>(_ list: [Element], _ index: Int) -> Element? {
        list.isEmpty ? nil : list[index % list.count]
    }
}
