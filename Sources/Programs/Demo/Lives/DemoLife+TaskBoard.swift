import Foundation
import JSON
import Model

extension DemoLife {
    /// Tasks of two people with several devices, for `deploy/triggers/task-board.json`.
    package static let taskBoard = DemoLife(
        about: "a task board, the same on all devices of a person",
        title: "Task board",
        people: [DemoPerson("anna", "en"), DemoPerson("luca", "it")].compactMap { $0 },
        panes: [("anna", "phone"), ("anna", "laptop")],
        begins: board(
            "anna", ["To do", "In progress", "Done"], ["Home", "Cinema"], ["When there is time", "Normal", "Urgent"])
            + board(
                "luca", ["Da fare", "In corso", "Fatto"], ["Casa", "Cinema"], ["Con calma", "Normale", "Urgente"]) + [
                .put(
                    "users/anna/tasks/book",
                    [
                        "title": "Read the book before the film", "column": "doing", "category": "cinema",
                        "done": false,
                        "version": 1,
                    ]),
                .put(
                    "users/anna/tasks/seats",
                    [
                        "title": "Choose the seats", "column": "todo", "category": "cinema", "priority": "high",
                        "done": false, "version": 1,
                    ]),
                .put(
                    "users/anna/tasks/lamp",
                    [
                        "title": "New lamp for the hall", "column": "todo", "category": "home", "done": false,
                        "version": 1,
                    ]),
                .put(
                    "users/anna/tasks/list",
                    [
                        "title": "Write the shopping list", "column": "done", "category": "home", "done": true,
                        "version": 1,
                    ]),
            ],
        follows: [],
        scenes: [
            Scene("anna", "has to buy popcorn in a good minute, and wants to know one before", pause: 9000) {
                [task("anna", "popcorn", "Buy popcorn", dueIn: 61, now: $0)]
            },
            Scene("anna", "has bought it: done on one device, gone from all") { _ in
                [.patch("users/anna/tasks/popcorn", ["done": true, "column": "done"])]
            },
            Scene("luca", "books the tickets in a minute", pause: 3000) {
                [task("luca", "tickets", "Prenotare i biglietti", dueIn: 64, now: $0)]
            },
            Scene("luca", "changes the time: the reminder moves", pause: 12_000) {
                [.patch("users/luca/tasks/tickets", ["due": .string(local($0.adding(milliseconds: 62_000)))])]
            },
            Scene("luca", "is done") { _ in [.patch("users/luca/tasks/tickets", ["done": true, "column": "done"])] },
            Scene("anna", "will water the plants; tick it off on the page when the reminder comes", pause: 20_000) {
                [task("anna", "plants", "Water the plants", dueIn: 61, now: $0)]
            },
            Scene("anna", "clears the board") { _ in
                [.patch("users/anna/tasks/plants", ["done": true, "column": "done"])]
            },
        ])

    /// The columns, categories and priorities of a user, which are the user's own.
    private static func board(_ user: String, _ columns: [String], _ categories: [String], _ priorities: [String])
        -> [Write]
    {
        func rows(_ collection: String, _ ids: [String], _ names: [String], _ more: [JSONValue]) -> [Write] {
            ids.indices.map { place in
                var data = more[place]
                data["name"] = .string(names[place])
                data["order"] = .integer(Int64(place))
                return .put("users/\(user)/\(collection)/\(ids[place])", data)
            }
        }
        return rows("columns", ["todo", "doing", "done"], columns, [[:], [:], ["done": true]])
            + rows("categories", ["home", "cinema"], categories, [[:], [:]])
            + rows(
                "priorities", ["low", "normal", "high"], priorities,
                [["level": "passive"], ["level": "active"], ["level": "time-sensitive"]])
    }

    private static let zone = "Europe/Rome"

    private static func task(_ user: String, _ id: String, _ title: String, dueIn seconds: Int64, now: Timestamp)
        -> Write
    {
        .put(
            "users/\(user)/tasks/\(id)",
            [
                "title": .string(title), "column": "todo",
                "due": .string(local(now.adding(milliseconds: seconds * 1000))),
                "zone": .string(zone), "remindBefore": 1, "done": false, "version": 1,
            ])
    }

    /// The local time: `2026-11-21T18:00:00`.
    private static func local(_ time: Timestamp) -> String {
        let format = Date.ISO8601FormatStyle(timeZone: TimeZone(identifier: zone) ?? .gmt).year().month().day()
            .time(includingFractionalSeconds: false)
        return Date(timeIntervalSince1970: Double(time.milliseconds) / 1000).formatted(format)
    }
}
