import JSON
import Model
import Testing
@testable import Push

struct PushContentTests {
    @Test func `the envelope has the members of the contract in their order`() {
        #expect(Samples.text(Samples.envelope(Samples.entry()).bytes) == Samples.ww)
        #expect(Samples.text(Samples.envelope(nil, gone: [Samples.tag]).bytes) == Samples.withdrawalWW)
    }

    @Test func `the envelope of a message has its chat and number, and the end if there is one`() {
        var envelope = Samples.envelope(Samples.messageEntry)
        envelope.expires = Samples.now
        #expect(
            Samples.text(envelope.bytes) == """
                {"v":1,"id":"m4712","seq":4712,"epoch":"e-6f2a","kind":"message","level":"active","chat":"alice:bob",\
                "n":17,"tag":"20iP1rQw_bBnBnrhZAMbnlFIMA1ONU4y","at":"2026-11-25T10:00:00.000Z",\
                "exp":"2026-11-25T10:00:04.000Z","badge":7}
                """)
    }

    @Test func `a badge is never below zero`() {
        #expect(PushEnvelope(epoch: Samples.envelope(nil).epoch, at: Samples.at, badge: -3, entry: nil).badge == 0)
    }

    @Test(arguments: [
        (PushKind.notification, InterruptionLevel.passive, PushUrgency.quietUpdate),
        (.notification, .active, .active), (.notification, .timeSensitive, .timeSensitive),
        (.notification, .critical, .critical), (.message, .active, .active), (.message, .passive, .quietUpdate),
        (.message, .critical, .critical), (.digest, .critical, .digest), (.quietUpdate, .critical, .quietUpdate),
        (.withdrawal, .critical, .withdrawal),
    ])
    func `kind and level give the row of the table`(
        _ kind: PushKind, _ level: InterruptionLevel, _ urgency: PushUrgency
    ) {
        #expect(PushUrgency(kind, level) == urgency)
    }

    @Test(
        arguments: [
            (nil, false, "New notification", "en"), ("it-CH", false, "Nuova notifica", "it"),
            ("pl", true, "Nowa wiadomość", "pl"), ("el-GR", true, "Νέο μήνυμα", "el"),
            ("en-GB", true, "New message", "en"),
            ("de-AT", false, "Neue Mitteilung", "de"), ("tr", true, "Yeni mesaj", "tr"),
            ("fi", true, "New message", "en"),
        ] as [(String?, Bool, String, String)])
    func `a hidden push has a generic text in the reader's language`(
        _ language: String?, _ isMessage: Bool, _ title: String, _ written: String
    ) {
        var content = Samples.content(isMessage ? .message : .notification)
        content.language = language.flatMap(LanguageTag.init)
        let hidden = content.hidden
        #expect(hidden.title == title)
        #expect(hidden.body == "")
        #expect(hidden.language?.text == written)
    }

    @Test func `a hidden push names the entry and nothing of its content`() {
        #expect(Samples.text(Samples.content(.notification).hidden.envelope.bytes) == Samples.hiddenWW)
        let message = Samples.text(Samples.content(.message).hidden.envelope.bytes)
        #expect(!message.contains("alice") && !message.contains("\"n\"") && !message.contains("kind"))
        #expect(Samples.content(.message).hidden.thread == nil)
    }

    @Test(
        arguments: [
            (.notification, .active, 72), (.notification, .critical, 4), (.notification, .timeSensitive, 4),
            (.message, .active, 168), (.digest, .active, 12), (.withdrawal, .active, 24), (.quietUpdate, .active, 72),
            (.quietUpdate, .critical, 4),
        ] as [(PushKind, InterruptionLevel, Int64)])
    func `a push lives as long as its kind and level say`(
        _ kind: PushKind, _ level: InterruptionLevel, _ hours: Int64
    ) {
        let end = PushLifetime.end(of: kind, level, expires: nil, committed: Samples.at)
        #expect(PushLifetime.seconds(until: end, at: Samples.at) == hours * 3_600)
        let expires = Samples.at.adding(milliseconds: 600_000)
        #expect(PushLifetime.end(of: kind, level, expires: expires, committed: Samples.at) == expires)
    }

    @Test(
        arguments: [
            (59_999, 0), (60_000, 60), (-1, 0), (0, 0), (28 * 86_400_000, 2_419_200), (29 * 86_400_000, 2_419_200),
        ] as [(Int64, Int64)])
    func `under a minute is now or never, and four weeks are the most`(_ rest: Int64, _ seconds: Int64) {
        #expect(PushLifetime.seconds(until: Samples.now.adding(milliseconds: rest), at: Samples.now) == seconds)
    }

    @Test func `times at the ends of their range give a lifetime, too`() {
        let ends = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(PushLifetime.seconds(until: ends.0, at: ends.1) == 0)
        #expect(PushLifetime.seconds(until: ends.1, at: ends.0) == 2_419_200)
    }
}
