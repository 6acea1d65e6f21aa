import JSON
import Model

/// Answers of the Polish inspectorate's air quality interface as documents: those of version 1 (2025), whose members
/// have Polish names, and those of the one before.
///
/// - Confinement: any
struct GIOSReader {
    let feed: FeedDefinition

    /// `station/findAll`: `stations/ID` with name and place.
    func stations(_ page: Int64, _ json: JSONValue) throws(FeedUnreadable) -> FeedFindings {
        guard let list = json.arrayValue ?? json["Lista stacji pomiarowych"]?.arrayValue else {
            throw FeedUnreadable("the answer is not a list of stations")
        }
        var findings = FeedFindings()
        for entry in list.prefix(FeedLimits.stationsMax) {
            guard let id = (entry["id"] ?? entry["Identyfikator stacji"])?.looseText, FeedTarget.isNumber(id),
                let path = try? DocumentPath("stations/\(id)")
            else { continue }
            let city = entry["city"]?["name"] ?? entry["Nazwa miasta"]
            let fields: JSONObject = [
                "name": TMDBReader.name(entry["stationName"] ?? entry["Nazwa stacji"]),
                "lat": Self.degrees(entry["gegrLat"] ?? entry["WGS84 φ N"], within: 90),
                "lon": Self.degrees(entry["gegrLon"] ?? entry["WGS84 λ E"], within: 180),
                "city": TMDBReader.name(city),
            ]
            findings.drafts.append(FeedDraft(path, .fields(fields)))
            if feed.stations.isAll { findings.more += feed.targets(ofStation: id) }
        }
        if page == 0, let pages = json["totalPages"]?.looseInteger, pages > 1 {
            findings.more += (1..<min(pages, Int64(FeedLimits.pagesMax))).map { .stations(page: $0) }
        }
        return findings
    }

    private static func degrees(_ value: JSONValue?, within bound: Double) -> JSONValue {
        guard let number = value?.looseNumber, number.magnitude <= bound else { return .null }
        return .number(number)
    }

    /// `aqindex/getIndex/ID`: the index at an hour.
    func index(_ id: String, _ json: JSONValue, now: Timestamp) throws(FeedUnreadable) -> FeedFindings {
        let answer = json["AqIndex"] ?? json
        guard let path = try? DocumentPath("stations/\(id)"),
            (answer["id"] ?? answer["Identyfikator stacji pomiarowej"])?.looseText == id
        else { throw FeedUnreadable("the answer is not an index of station \(id)") }
        let level = answer["stIndexLevel"]
        let index = (level?["id"] ?? answer["Wartość indeksu"])?.looseInteger.flatMap {
            (0...5).contains($0) ? $0 : nil
        }
        let name = level?["indexLevelName"] ?? answer["Nazwa kategorii indeksu"]
        let source = "Data danych źródłowych, z których policzono wartość indeksu dla wskaźnika st"
        let times = [
            answer["stSourceDataDate"], answer[source], answer["stCalcDate"], answer["Data wykonania obliczeń indeksu"],
        ]
        let hour = times.lazy.compactMap { $0.flatMap(PolishTime.read) }.first.map(PolishTime.hour)
        if let hour, hour.milliseconds - now.milliseconds > FeedLimits.readingAheadMilliseconds {
            throw FeedUnreadable("the index of station \(id) lies in the future: \(hour)")
        }
        let reading = FeedReading(
            index: index, levelName: index == nil ? nil : TMDBReader.name(name).stringValue, hour: hour)
        var findings = FeedFindings()
        findings.drafts = [FeedDraft(path, .reading(reading))]
        return findings
    }

    /// `station/sensors/ID`: the sensors to ask.
    func sensors(_ id: String, _ json: JSONValue) throws(FeedUnreadable) -> FeedFindings {
        guard let list = json.arrayValue ?? json["Lista stanowisk pomiarowych dla podanej stacji"]?.arrayValue else {
            throw FeedUnreadable("the answer is not a list of sensors")
        }
        var findings = FeedFindings()
        for entry in list.prefix(50) {
            let codes = [
                entry["param"]?["paramCode"], entry["param"]?["paramFormula"], entry["Wskaźnik - kod"],
                entry["Wskaźnik - wzór"],
            ]
            guard let sensor = (entry["Identyfikator stanowiska"] ?? entry["id"])?.looseText,
                FeedTarget.isNumber(sensor),
                let code = feed.pollutants.first(where: { wanted in codes.contains { $0?.stringValue == wanted } })
            else { continue }
            findings.more.append(.values(station: id, sensor: sensor, code: code))
        }
        return findings
    }

    /// `data/getData/ID`: the newest value that is not null.
    func values(
        _ station: String, _ code: String, _ json: JSONValue, now: Timestamp
    ) throws(FeedUnreadable) -> FeedFindings {
        guard let list = (json["values"] ?? json["Lista danych pomiarowych"])?.arrayValue else {
            throw FeedUnreadable("the answer is not a list of values")
        }
        var newest: (at: Timestamp, value: Double)?
        for entry in list.prefix(500) {
            guard let value = (entry["value"] ?? entry["Wartość"])?.looseNumber, value >= 0,
                let at = (entry["date"] ?? entry["Data"]).flatMap(PolishTime.read),
                at > newest?.at ?? at.adding(milliseconds: -1),
                at.milliseconds - now.milliseconds <= FeedLimits.readingAheadMilliseconds
            else { continue }
            newest = (at, value)
        }
        var findings = FeedFindings()
        if let newest, let path = try? DocumentPath("stations/\(station)") {
            let value: JSONObject = ["value": .number(newest.value), "at": .string(newest.at.text)]
            findings.drafts = [FeedDraft(path, .value(value, code: code))]
        }
        return findings
    }
}
