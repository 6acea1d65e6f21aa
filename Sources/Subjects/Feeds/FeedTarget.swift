import Model

/// One request to a source: one URL.
///
/// - Confinement: any
package enum FeedTarget: Sendable, Hashable {
    /// The whole of an RSS or Atom feed.
    case channel
    /// A person with all credits.
    case person(String)
    case series(String)
    /// A page of the stations.
    case stations(page: Int64)
    /// A station's index.
    case index(String)
    /// The sensors of a station.
    case sensors(String)
    /// The values of one of its sensors.
    case values(station: String, sensor: String, code: String)

    /// The name under which its state is stored.
    package var key: String {
        switch self {
        case .channel: "channel"
        case .person(let id): "person/\(id)"
        case .series(let id): "series/\(id)"
        case .stations(let page): "stations/\(page)"
        case .index(let id): "index/\(id)"
        case .sensors(let id): "sensors/\(id)"
        case .values(let station, let sensor, _): "values/\(station)/\(sensor)"
        }
    }

    /// Whether these are values of a sensor.
    var isValues: Bool {
        if case .values = self { return true }
        return false
    }

    /// Whether a text is the number of a person, a series or a station.
    static func isNumber(_ text: String) -> Bool {
        (1...10).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } && text.first != "0"
    }
}

extension FeedDefinition {
    /// The requests of one round.
    ///
    /// - Parameter followed: Returns the ids of topics of a kind (`person`, `series`, `station`) that somebody follows;
    ///   ids that are not numbers are ignored.
    package func targets(followed: (String) throws -> [String]) rethrows -> [FeedTarget] {
        switch kind {
        case .rss: [.channel]
        case .tmdb:
            try ids(people, "person", followed).map { .person($0) }
                + ids(series, "series", followed).map { .series($0) }
        case .gios:
            [.stations(page: 0)] + (try ids(stations, "station", followed)).flatMap(targets(ofStation:))
        }
    }

    /// The requests for one station.
    func targets(ofStation id: String) -> [FeedTarget] {
        [.index(id)] + (pollutants.isEmpty ? [] : [.sensors(id)])
    }

    private func ids(
        _ wanted: Wanted, _ kind: String, _ followed: (String) throws -> [String]
    ) rethrows -> [String] {
        var ids = wanted.ids
        var seen = Set(ids)
        guard wanted.isFollowed else { return ids }
        for topic in try followed(kind).prefix(FeedLimits.followedMax) {
            // People may follow `series:tv/1399`, the name of the product.
            let id = topic.hasPrefix("tv/") ? String(topic.dropFirst(3)) : topic
            if FeedTarget.isNumber(id), seen.insert(id).inserted { ids.append(id) }
        }
        return ids
    }
}
