import JSON

extension DemoLife {
    /// A day in the mountains, for `deploy/triggers/ski-resort.json`.
    package static let skiResort = DemoLife(
        about: "a ski resort and people who ski there",
        title: "SnowHub",
        people: [DemoPerson("eleni", "el"), DemoPerson("nikos", "el"), DemoPerson("ben", "en")].compactMap { $0 },
        panes: [("eleni", "phone"), ("ben", "phone")],
        begins: [
            .put("resorts/parnassos", ["name": "Parnassos", "open": false, "snow": 90, "newSnow": 0]),
            lift("hermes", "Hermes", ["status": "closed"]), lift("sahara", "Sahara Express", ["status": "closed"]),
            lift("pythia", "Pythia", ["status": "closed"]), lift("bacchus", "Bacchus", ["status": "closed"]),
            slope("bacchus", "Bacchus", "red"), slope("pythia", "Pythia", "blue"), slope("nefeli", "Nefeli", "green"),
            slope("iniochos", "Iniochos", "black"), slope("fterolakka", "Fterolakka", "red"),
        ],
        follows: [("eleni", "resorts/parnassos"), ("nikos", "resorts/parnassos"), ("ben", "resorts/parnassos")],
        scenes: [
            Scene("resort", "25 cm of new snow over night", .patch("resorts/parnassos", ["newSnow": 25, "snow": 115])),
            Scene("resort", "the slopes open", .patch("resorts/parnassos", ["open": true])),
            Scene(
                "resort", "the lifts run", .patch("resorts/parnassos/lifts/hermes", ["status": "open"]),
                .patch("resorts/parnassos/lifts/sahara", ["status": "open"])),
            Scene("resort", "the slope Bacchus opens", .patch("resorts/parnassos/slopes/bacchus", ["status": "open"])),
            Scene(
                "resort", "wind: Sahara Express will close at 14:30",
                .patch("resorts/parnassos/lifts/sahara", ["status": "closing", "closesAt": "14:30"])),
            Scene(
                "rescue", "avalanche danger 4 of 5 above Fterolakka",
                .put(
                    "resorts/parnassos/alerts/avalanche",
                    [
                        "kind": "avalanche", "severity": 4, "area": "Fterolakka", "resortName": "Parnassos",
                        "ended": false,
                    ])),
            Scene(
                "rescue", "the danger rises to 5",
                .patch("resorts/parnassos/alerts/avalanche", ["severity": 5])),
            Scene(
                "resort", "the wind drops: Sahara Express runs to the end of the day",
                .patch("resorts/parnassos/lifts/sahara", ["status": "open", "closesAt": .null])),
            Scene("rescue", "the warning ends", .patch("resorts/parnassos/alerts/avalanche", ["ended": true])),
            Scene(
                "resort", "evening: everything closes",
                .patch("resorts/parnassos", ["open": false, "newSnow": 0, "snow": 90]),
                .patch("resorts/parnassos/lifts/hermes", ["status": "closed", "planned": true]),
                .patch("resorts/parnassos/lifts/sahara", ["status": "closed", "planned": true]),
                .patch("resorts/parnassos/slopes/bacchus", ["status": "closed"]),
                .delete("resorts/parnassos/alerts/avalanche")),
        ])

    private static func slope(_ id: String, _ name: String, _ difficulty: String) -> Write {
        .put(
            "resorts/parnassos/slopes/\(id)",
            ["name": .string(name), "status": "closed", "difficulty": .string(difficulty), "resortName": "Parnassos"])
    }

    private static func lift(_ id: String, _ name: String, _ more: JSONValue) -> Write {
        var data = more
        data["name"] = .string(name)
        data["resortName"] = "Parnassos"
        return .put("resorts/parnassos/lifts/\(id)", data)
    }
}
