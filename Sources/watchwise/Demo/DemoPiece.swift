import Configuration
import Demo
import JSON
import Model
import Server

/// The complete demo: the people, the documents at the beginning, and the story.
struct DemoPiece {
    /// A short description.
    let about: String
    let people: [DemoPerson]
    let page: DemoStage.Page
    /// The introduction on the page.
    let onPage: DemoStage.Introduction
    /// The introduction of the people, line by line.
    let introduction: [String]
    /// Writes before the beginning, in one commit. Repeating them changes nothing.
    let seed: [JSONValue]
    let play: (DemoMachinery) -> any DemoPlay

    /// Makes its pages when the server's secret is known.
    var pages: Application.PagesMaker {
        { [people, page, onPage] sign in
            DemoStage(
                onPage, people: people.map { DemoStage.Member(id: $0.id, name: $0.name, locale: $0.locale) },
                page: page,
                sign: sign)
        }
    }

    init(_ application: ReadyApplication) {
        switch application {
        case .filmNetwork: self.init(DemoCast())
        case .airQuality: self.init(DemoLife.airQuality)
        case .skiResort: self.init(DemoLife.skiResort)
        case .announcements: self.init(DemoLife.announcements)
        case .taskBoard: self.init(DemoLife.taskBoard)
        }
    }

    private init(_ cast: DemoCast) {
        about = "a small film network"
        people = cast.people
        page = .chat(films: (cast.films + cast.premieres).map(\.product), players: cast.players.map(\.id))
        let names = cast.players.map(\.name)
        onPage = DemoStage.Introduction(
            about:
                "A film network on a WatchWise server of your own, seen by \(names.joined(separator: " and by ")), live.",
            trying:
                "Answer a recommendation, or write to \(names.last ?? "") as \(names.first ?? ""), and watch it arrive "
                + "and be read. The button beside the text recommends a film. The bell keeps what happened meanwhile."
        )
        let players = cast.players.map { "\($0.name) (\($0.language))" }.joined(separator: " and ")
        introduction = [
            "you are \(players) there; \(Self.list(cast.bots)) are played here and answer you"
        ]
        seed = DemoSeed.writes(cast)
        play = { DemoTroupe(cast, on: $0) }
    }

    private init(_ life: DemoLife) {
        about = life.about
        people = life.people
        page = .inbox(
            DemoStage.Inbox(
                title: life.title, watched: life.watched,
                panes: life.panes.compactMap { pane in
                    life.people.first { $0.id.text == pane.0 }.map { ($0.id, pane.1) }
                }))
        onPage = DemoStage.Introduction(
            about: "\(Self.sentence(life.about)) on a WatchWise server of your own, live.", trying: life.trying)
        introduction = ["\(Self.list(life.people)); their phones are played here, too"]
        // Documents come before followers: nobody is notified of documents that existed before.
        seed = (life.begins + life.follows.map { .put("\($0.1)/followers/\($0.0)", [:]) }).map(\.json)
        play = { DemoLifePlay(life, on: $0) }
    }

    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    /// `Giulia, Luca (Italian), Ben (English)`
    private static func list(_ people: [DemoPerson]) -> String {
        Dictionary(grouping: people, by: \.language).sorted { $0.key > $1.key }
            .map { language, people in people.map(\.name).joined(separator: ", ") + " (\(language))" }
            .joined(separator: ", ")
    }
}
