import Feeds
import Foundation
import JSON
import Model
import Services
import Store
import TestSupport
import Testing
import ThreadMessages
@testable import Configuration
@testable import FeedsThread

/// When a feed asks for what: pure values, without a clock or a network.
struct FeedPaceTests {
    @Test func `tries come later each time, up to the bound, and never before the source allows`() {
        var random = SeededRandom(seed: 7)
        var pace = FeedPace()
        var longest: Int64 = 0
        for failure in 0..<100 {
            pace.failed(at: 1000, using: &random)
            let wait = pace.until - 1000
            let bound = min(FeedLimits.retryBounds.upperBound, FeedLimits.retryBounds.lowerBound << min(failure, 20))
            #expect((bound / 2...bound).contains(wait))
            longest = max(longest, wait)
        }
        #expect(longest > FeedLimits.retryBounds.upperBound / 2)
        pace.failed(at: 1000, wait: 7_200_000, using: &random)
        #expect(pace.until >= 7_201_000, "later than its own time")
        pace = FeedPace()
        pace.failed(at: 1000, wait: 60_000, using: &random)
        #expect((61_000...67_001).contains(pace.until))
        pace.succeeded()
        #expect(pace.until == 0 && pace.failures == 0)
        for (failure, wait) in [0, -60_000, 0, 0 as Int64].enumerated() {
            pace.failed(at: 1000, wait: wait, using: &random)
            #expect(pace.until - 1000 >= FeedLimits.retryBounds.lowerBound << failure / 2, "no wait is no hurry")
        }
    }

    static func work(_ row: JSONObject, known: [String: String] = [:]) throws -> FeedWork {
        let progress = known.map { target, time in
            FeedProgress(
                target: target, entityTag: "\"1\"", lastModified: nil,
                checked: Timestamp(time) ?? Timestamp(seconds: 0))
        }
        return FeedWork(try FeedDefinition(row), key: nil, number: 1, progress: progress)
    }

    static let now = Timestamp("2026-11-21T12:00:00Z") ?? Timestamp(seconds: 0)
    static let films: JSONObject = ["name": "films", "kind": "tmdb", "interval": "6h"]

    @Test func `a known target that is not due is left alone, and a new or due one is fetched`() throws {
        var work = try Self.work(
            Self.films,
            known: [
                "person/1": "2026-11-21T11:00:00Z", "person/2": "2026-11-21T05:00:00Z",
                "person/3": "2030-01-01T00:00:00Z",
            ])
        work.begin([.person("1"), .person("2"), .person("3"), .person("4")], now: Self.now, tick: 0)
        #expect(work.queue.reversed() == [.person("2"), .person("3"), .person("4")])
        #expect(work.known["person/1"]?.validators.entityTag == "\"1\"")
        #expect(work.next() == .person("2"))
        work.underWay = ["person/2"]
        work.enqueue([.person("2"), .person("4"), .person("5")])
        #expect(work.queue.count == 3)
    }

    @Test func `a target that nobody wants any more is forgotten, and is new when somebody wants it again`() throws {
        var work = try Self.work(Self.films, known: ["person/1": "2026-11-21T11:00:00Z"])
        work.begin([], now: Self.now, tick: 0)
        #expect(work.forgotten == ["person/1"])
        #expect(work.known.isEmpty)
        work.begin([.person("1")], now: Self.now, tick: 0)
        #expect(work.queue == [.person("1")])
        #expect(work.known["person/1"]?.isImported != true)
    }

    @Test func `a list that leads to more targets is fetched whole after a start, then once a day`() throws {
        let row: JSONObject = ["name": "air", "kind": "gios", "stations": "all"]
        var work = try Self.work(
            row, known: ["stations/0": "2026-11-21T11:00:00Z", "index/5": "2026-11-21T11:00:00Z"])
        let wanted = work.definition.targets { _ in [] }
        work.begin(wanted, now: Self.now, tick: 0)
        #expect(work.queue == [.stations(page: 0)])
        #expect(work.known["stations/0"]?.validators == FeedValidators())
        #expect(work.known["index/5"] != nil, "not forgotten before the list is there")
        work.giveUp()
        work.known["stations/0"]?.more = [.index("5"), .index("6")]
        work.begin(wanted, now: Self.now, tick: 0)
        #expect(work.queue.reversed() == [.index("5"), .index("6")])
    }

    /// Plays a feed with one target: looks when it says so, and answers late.
    ///
    /// - Parameters:
    ///   - answerMilliseconds: how long each answer takes.
    ///   - clockLag: how much slower the clock of the day is than the loop's at every second look, as two clocks differ.
    /// - Returns: when the rounds began.
    static func rounds(
        of interval: String, answerMilliseconds: Int64, clockLag: Int64 = 0, count: Int
    ) throws -> [Int64] {
        var work = try work(["name": "dept", "kind": "rss", "url": "https://e.org/", "interval": .string(interval)])
        var (tick, looks) = (Int64(1000), Int64(0))
        var rounds: [Int64] = []
        while rounds.count < count {
            looks += 1
            let clock = now.adding(milliseconds: tick - (looks % 2) * clockLag)
            if work.begin([.channel], now: clock, tick: tick) > 0 { rounds.append(tick - 1000) }
            work.looksAt = work.nextLook(now: clock, tick: tick)
            #expect(work.looksAt > tick && looks < 1000, "it goes on")
            if work.next() != nil {
                work.known["channel", default: FeedWork.Known()].checked = work.roundBegan
                tick += answerMilliseconds
            }
            tick = max(tick, work.looksAt)
        }
        return rounds
    }

    @Test(
        arguments: [("10s", 10_000), ("45s", 45_000), ("1m", 60_000), ("100s", 100_000), ("10m", 600_000)]
            as [(String, Int64)])
    func `a round begins an interval after the last one, however long answers take and however the clocks differ`(
        _ interval: String, _ milliseconds: Int64
    ) throws {
        let expected = (0..<6).map { $0 * milliseconds }
        for answer in [0, 50, 3000] as [Int64] {
            #expect(try Self.rounds(of: interval, answerMilliseconds: answer, count: 6) == expected)
        }
        let late = try Self.rounds(of: interval, answerMilliseconds: 50, clockLag: 3, count: 6)
        #expect(zip(late, expected).allSatisfy { ($1...$1 + 20).contains($0) }, "\(late)")
    }

    @Test func `an answer that takes longer than the interval delays the next round, and no more`() throws {
        let rounds = try Self.rounds(of: "10s", answerMilliseconds: 12_000, count: 4)
        #expect(rounds == [0, 12_000, 24_000, 36_000])
    }

    @Test func `a look for new things is soon, and one for a list that is due once a day is not sooner`() throws {
        var work = try Self.work(
            ["name": "air", "kind": "gios", "interval": "10m"], known: ["stations/0": "2026-11-21T11:50:10Z"])
        #expect(work.nextLook(now: Self.now, tick: 5) == 5 + FeedLimits.lookMilliseconds)
        work.known["index/5", default: FeedWork.Known()].checked = Self.now.adding(milliseconds: -599_000)
        #expect(work.nextLook(now: Self.now, tick: 5) == 1005)
        var random = SeededRandom(seed: 1)
        work.known["index/5"]?.pace.failed(at: 0, using: &random)
        #expect(work.nextLook(now: Self.now, tick: 5) == 5 + FeedLimits.lookMilliseconds, "it has its own time")
    }

    @Test func `the next run is an interval after the round that begins`() throws {
        var work = try Self.work(["name": "dept", "kind": "rss", "url": "https://e.org/", "interval": "1h"])
        work.begin([.channel], now: Self.now, tick: 0)
        #expect(work.status.nextRun == Self.now.adding(milliseconds: 3_600_000))
        #expect(
            work.progress(.channel, FeedValidators(), at: Self.now.adding(milliseconds: 9)).first?.checked == Self.now)
    }

    @Test func `while answers are awaited nothing wakes, else what comes next does`() throws {
        var work = try Self.work(Self.films)
        work.looksAt = 5
        work.startsAt = 7
        #expect(work.wakesAt == 5)
        work.enqueue([.person("1"), .person("2"), .person("3")])
        #expect(work.wakesAt == 7)
        work.underWay = ["person/8", "person/9"]
        #expect(work.wakesAt == nil)
        work.giveUp()
        #expect(work.wakesAt == nil)
        work.underWay = []
        #expect(work.wakesAt == 5)
        #expect(try Self.work(["name": "off", "kind": "tmdb", "enabled": false]).wakesAt == nil)
    }

    @Test func `one failing target is delayed by itself, and many failing targets that worked before delay the source`()
        throws
    {
        var random = SeededRandom(seed: 3)
        var work = try Self.work(
            ["name": "air", "kind": "gios"],
            known: Dictionary(uniqueKeysWithValues: (1...20).map { ("index/\($0)", "2026-11-21T11:00:00Z") }))
        func fail(_ id: Int, ofSource: Bool = false) -> Bool {
            work.failed(.index(String(id)), "status 500", ofSource: ofSource, wait: nil, at: 1000, using: &random)
        }
        work.status.lastSuccess = Self.now
        work.enqueue([.index("99")])
        // Those that never worked, and the same ones again.
        for id in 100..<200 { #expect(!fail(id)) }
        for _ in 0..<30 { #expect(!fail(1)) }
        #expect(work.queue == [.index("99")])
        #expect(work.pace.failures == 0)
        #expect(!work.isDue(.index("1"), now: Self.now, tick: 1000))
        #expect(work.isDue(.index("2"), now: Self.now, tick: 1000))
        for id in 2...9 { #expect(!fail(id)) }
        work.sourceIsWell()
        for id in 10...18 { #expect(!fail(id)) }
        #expect(fail(19))
        #expect(work.queue.isEmpty)
        #expect(work.pace.until > 1000)
        #expect(!fail(20), "told once")
        #expect(work.pace.failures == 2)
        work.sourceIsWell()
        #expect(fail(1, ofSource: true), "it says so itself")
    }

    @Test func `a target that the database did not take is fetched again, after a while and after the others`() throws {
        var work = try Self.work(Self.films)
        work.enqueue([.person("1"), .person("2")])
        let next = work.next()
        let target = try #require(next)
        work.underWay = [target.key]
        work.putOff(target, until: 5_000)
        #expect(work.wakesAt == 5_000)
        #expect(work.queue.reversed() == [.person("2"), .person("1")])
        #expect(work.status.failures == 0 && work.failuresInRow == 0 && work.failing.isEmpty)
    }

    @Test func `the progress of another source does not count`() throws {
        let work = try Self.work(Self.films)
        let progress = work.progress(.person("1"), FeedValidators(entityTag: "\"1\""), at: Self.now)
        let same = FeedWork(work.definition, key: nil, number: 2, progress: progress)
        #expect(same.known["person/1"]?.isImported == true)
        #expect(Array(same.known.keys) == ["person/1"])
        var row = Self.films
        row["language"] = "it"
        let other = FeedWork(try FeedDefinition(row), key: nil, number: 3, progress: progress)
        #expect(other.known.isEmpty)
        #expect(other.forgotten == ["person/1"])
    }

    @Test func `something that failed waits for its own time, and not when an operator asks`() throws {
        var random = SeededRandom(seed: 1)
        var work = try Self.work(Self.films)
        work.known["person/1", default: FeedWork.Known()].pace.failed(at: 0, using: &random)
        #expect(!work.isDue(.person("1"), now: Self.now, tick: 0))
        #expect(work.isDue(.person("1"), now: Self.now, tick: 10_000))
        work.isHurried = true
        #expect(work.isDue(.person("1"), now: Self.now, tick: 0))
    }

    // MARK: The configuration

    @Test func `feeds of the configuration file, with their keys from a file or a variable`() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let file = folder.path + "/key"
        try Array("from-file\n".utf8).write(to: file)
        let row: JSONObject = ["name": "films", "kind": "tmdb", "keyFile": .string(file)]
        #expect(try FeedConfiguration(row, environment: [:]).key?.text == "from-file")
        let variable: JSONObject = ["name": "films", "kind": "tmdb", "keyEnvironment": "K"]
        #expect(try FeedConfiguration(variable, environment: ["K": "from-variable"]).key?.text == "from-variable")
        #expect(try !"\(FeedConfiguration(variable, environment: ["K": "from-variable"]))".contains("from-variable"))
    }

    @Test(arguments: [
        (#"{"feeds": [{"name": "a", "kind": "rss"}]}"#, "the file: 'feeds', 'a.url'"),
        (#"{"feeds": [{"kind": "rss"}]}"#, "the file: 'feeds', '0.name'"),
        (#"{"feeds": [5]}"#, "the file: 'feeds', '0'"),
        (#"{"feeds": {}}"#, "the file: 'feeds'"),
        (#"{"feeds": [{"name":"a","kind":"tmdb"},{"name":"a","kind":"tmdb"}]}"#, "the file: 'feeds', 'a'"),
        (#"{"feeds": [{"name":"a","kind":"tmdb","key":"x","keyFile":"y"}]}"#, "the file: 'feeds', 'a.keyFile'"),
        (#"{"feeds": [{"name":"a","kind":"tmdb","keyFile":"/nowhere"}]}"#, "the file: 'feeds', 'a.keyFile'"),
        (
            #"{"feeds": [{"name":"a","kind":"tmdb","keyEnvironment":"NOWHERE_"}]}"#,
            "the file: 'feeds', 'a.keyEnvironment'"
        ),
        (#"{"feeds": [{"name":"a","kind":"tmdb","key":""}]}"#, "the file: 'feeds', 'a.key'"),
    ])
    func `a mistake in a feed of the configuration is named with its place`(_ text: String, _ place: String)
        throws
    {
        let layers = ConfigurationLayers(file: .init(name: "the file", bytes: Array(text.utf8)))
        let problem = try #require(throws: ConfigurationProblem.self) { try layers.configuration() }
        #expect(problem.place == place)
    }

    @Test func `feeds are given by a variable, too`() throws {
        let text = #"[{"name": "films", "kind": "tmdb", "interval": "1d"}]"#
        let layers = ConfigurationLayers(environment: ["WATCHWISE_FEEDS": text])
        #expect(try layers.configuration().feeds.map(\.definition.name) == ["films"])
    }
}

extension [UInt8] {
    fileprivate func write(to path: String) throws {
        try String(decoding: self, as: UTF8.self).write(toFile: path, atomically: true, encoding: .utf8)
    }
}
