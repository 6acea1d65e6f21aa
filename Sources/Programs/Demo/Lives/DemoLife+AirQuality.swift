import JSON
import Model

extension DemoLife {
    /// Stations and hours for `deploy/triggers/air-quality.json`.
    package static let airQuality = DemoLife(
        about: "measuring stations and people who live near them",
        title: "AirQuality",
        people: [DemoPerson("ola", "pl"), DemoPerson("jan", "pl"), DemoPerson("ben", "en")].compactMap { $0 },
        panes: [("ola", "phone"), ("ben", "phone")],
        begins: [
            station(400, "Kraków, al. Krasińskiego", "Kraków", (50.058, 19.926), 2, previous: 2),
            station(117, "Wrocław, Korzeniowskiego", "Wrocław", (51.129, 17.029), 1, previous: 1),
            station(11, "Gdańsk, ul. Kaczeńce", "Gdańsk", (54.380, 18.620), 0, previous: 1),
            station(530, "Warszawa, al. Niepodległości", "Warszawa", (52.219, 21.005), 1, previous: 2),
            station(943, "Poznań, ul. Dąbrowskiego", "Poznań", (52.420, 16.877), 1, previous: 1),
            station(814, "Katowice, ul. Kossutha", "Katowice", (50.265, 18.975), 3, previous: 2),
            station(296, "Białystok, ul. Waszyngtona", "Białystok", (53.127, 23.155), 0, previous: 0),
            station(266, "Lublin, ul. Obywatelska", "Lublin", (51.259, 22.569), 1, previous: 0),
        ],
        follows: [("ola", "stations/400"), ("ben", "stations/400"), ("jan", "stations/117")],
        scenes: [
            Scene("GIOŚ", "Kraków: Zły; an hour before it was Umiarkowany") { [hour(400, 4, previous: 2, at: $0)] },
            Scene("GIOŚ", "Kraków: the value of this hour is corrected to Dostateczny", level(400, 3)),
            Scene("GIOŚ", "Wrocław: Umiarkowany; an hour before it was Dobry") { [hour(117, 2, previous: 1, at: $0)] },
            Scene("GIOŚ", "Kraków, next hour: Bardzo zły") { [hour(400, 5, previous: 3, at: $0)] },
            Scene("GIOŚ", "Gdańsk: still Bardzo dobry, which is no news") { [hour(11, 0, previous: 0, at: $0)] },
            Scene("GIOŚ", "Kraków, next hour: Umiarkowany; the wind has turned") {
                [hour(400, 2, previous: 5, at: $0)]
            },
            Scene("GIOŚ", "Wrocław: Dobry again") { [hour(117, 1, previous: 2, at: $0)] },
        ])

    private static let levels = ["Bardzo dobry", "Dobry", "Umiarkowany", "Dostateczny", "Zły", "Bardzo zły"]

    private static func station(
        _ id: Int, _ name: String, _ city: String, _ place: (Double, Double), _ index: Int, previous: Int
    ) -> Write {
        .put(
            "stations/\(id)",
            [
                "name": .string(name), "city": .string(city), "lat": .number(place.0), "lon": .number(place.1),
                "index": .integer(Int64(index)),
                "levelName": .string(levels[index]), "previous": .integer(Int64(previous)),
            ])
    }

    private static func hour(_ id: Int, _ index: Int, previous: Int, at time: Timestamp) -> Write {
        .patch(
            "stations/\(id)",
            [
                "index": .integer(Int64(index)), "levelName": .string(levels[index]), "at": .string(time.text),
                "previous": .integer(Int64(previous)),
                "previousAt": .string(time.adding(milliseconds: -3_600_000).text),
            ])
    }

    private static func level(_ id: Int, _ index: Int) -> Write {
        .patch("stations/\(id)", ["index": .integer(Int64(index)), "levelName": .string(levels[index])])
    }
}
