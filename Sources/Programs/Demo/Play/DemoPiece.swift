package import Configuration
package import JSON
package import Model

/// The complete demo: the people, the documents at the beginning, and the story.
package struct DemoPiece {
    /// A short description.
    package let about: String
    private let people: [DemoPerson]
    /// The application on the page.
    private let page: DemoStage.Application
    /// The introduction of the people, line by line.
    package let introduction: [String]
    /// Writes before the beginning, in one commit. Repeating them changes nothing.
    package let seed: [JSONValue]
    package let play: (DemoMachinery) -> any DemoPlay

    /// Makes its pages when the server's secret is known, which signs the token of a person.
    package var pages: @Sendable (_ sign: @escaping @Sendable (UserID) -> String) -> DemoStage {
        { [people, page] sign in
            DemoStage(
                page, people: people.map { DemoStage.Member(id: $0.id, name: $0.name, locale: $0.locale) }, sign: sign)
        }
    }

    package init(_ application: ReadyApplication) {
        switch application {
        case .filmNetwork: self.init(DemoCast(), as: application)
        case .airQuality: self.init(DemoLife.airQuality, as: application)
        case .skiResort: self.init(DemoLife.skiResort, as: application)
        case .announcements: self.init(DemoLife.announcements, as: application)
        case .taskBoard: self.init(DemoLife.taskBoard, as: application)
        }
    }

    private init(_ cast: DemoCast, as application: ReadyApplication) {
        about = "a small film network"
        people = cast.people
        page = DemoStage.Application(
            name: application.rawValue, title: "WatchWise", films: (cast.films + cast.premieres).map(\.product),
            panes: cast.players.map { ($0.id, nil) })
        let players = cast.players.map { "\($0.name) (\($0.language))" }.joined(separator: " and ")
        introduction = [
            "you are \(players) there; \(Self.list(cast.bots)) are played here and answer you"
        ]
        seed = DemoSeed.writes(cast)
        play = { DemoTroupe(cast, on: $0) }
    }

    private init(_ life: DemoLife, as application: ReadyApplication) {
        about = life.about
        people = life.people
        page = DemoStage.Application(
            name: application.rawValue, title: life.title,
            panes: life.panes.compactMap { pane in
                life.people.first { $0.id.text == pane.0 }.map { ($0.id, pane.1) }
            })
        introduction = ["\(Self.list(life.people)); their phones are played here, too"]
        // Documents come before followers: nobody is notified of documents that existed before.
        seed = (life.begins + life.follows.map { .put("\($0.1)/followers/\($0.0)", [:]) }).map(\.json)
        play = { DemoLifePlay(life, on: $0) }
    }

    /// `Giulia, Luca (Italian), Ben (English)`
    private static func list(_ people: [DemoPerson]) -> String {
        Dictionary(grouping: people, by: \.language).sorted { $0.key > $1.key }
            .map { language, people in people.map(\.name).joined(separator: ", ") + " (\(language))" }
            .joined(separator: ", ")
    }
}
