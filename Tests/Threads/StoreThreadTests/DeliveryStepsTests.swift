import Execution
import Fanout
import Model
import Testing
@testable import StoreThread
@testable import ThreadMessages

/// The steps of a commit: runs of events, and the steps around them.
@Suite struct DeliveryStepsTests {
    private let address = ConnectionAddress(loop: 0, slot: 0, generation: 1)

    private func event(
        _ position: Int64, in stream: Int64 = 9, and second: Int64? = nil, bytes: Int = 10,
        unread: Publication.UnreadEffect = .unchanged, document: DocumentPath? = nil, silence: Silence? = nil
    ) -> KeptStep {
        let json = Array(repeating: UInt8(ascii: "a") + UInt8(truncatingIfNeeded: position % 20), count: bytes)
        let facts = silence.map {
            NotificationFacts(
                kind: "k", level: .active, topic: "t:1", at: Timestamp(milliseconds: 0), silence: $0, isPersonal: false)
        }
        return .publication(
            FramedPublication(
                Publication(
                    position: Position(position), name: .message, stream: StreamID(stored: stream),
                    secondStream: second.map { StreamID(stored: $0) }, payload: .same(json), unread: unread,
                    document: document.map { Publication.Document(path: $0, version: 1, bytes: nil) },
                    notification: facts)))
    }

    private func counts(at position: Int64) -> KeptStep {
        .change(
            .unread(
                user: StreamID(stored: 7), counts: UnreadCounts(chats: 1, notifications: 0), asOf: Position(position)))
    }

    /// The steps as a line: a run in brackets, positions of events, `o` for outcomes, `c` for changes.
    private func laidOut(_ parts: [KeptStep?]) -> String {
        var steps = DeliverySteps(capacity: parts.count)
        for part in parts {
            if let part { steps.append(part) } else { steps.append(address, .none, .success(EncodedAnswer([]))) }
        }
        return steps.finish().map(line).joined(separator: " ")
    }

    private func line(_ step: LoopStep) -> String {
        switch step {
        case .run(let run, let between): "[\(line(run, between))]"
        case .publication(let framed): framed.publication.position.description
        case .change: "c"
        case .outcome: "o"
        }
    }

    private func line(_ run: PublicationRun, _ between: [LoopStep.Between]) -> String {
        let parts = run.publications.enumerated().map { index, framed in
            let steps = between.filter { $0.place == index + 1 }
            return "\(framed.publication.position)" + steps.map { line($0.step) }.joined()
        }
        return parts.joined(separator: " ")
    }

    @Test func `events that follow each other in one stream are a run, with outcomes between them`() {
        #expect(laidOut([event(1), nil, event(2), nil, event(3), nil]) == "[1o 2o 3o]")
        #expect(laidOut([nil, event(1), nil]) == "o [1o]")
    }

    @Test func `another stream ends a run, so that nobody gets a later event first`() {
        #expect(laidOut([event(1), event(2, in: 8), event(3)]) == "[1] [2] [3]")
        #expect(laidOut([event(1, and: 5), event(2, and: 5), event(3)]) == "[1 2] [3]")
    }

    @Test func `a change of sessions ends a run`() {
        let followed = KeptStep.change(
            .subscription(user: StreamID(stored: 7), stream: StreamID(stored: 9), isOn: true))
        #expect(laidOut([event(1), nil, followed, nil, event(2)]) == "[1o] c o [2]")
    }

    @Test func `counts do not end a run, but for notifications that count up from them`() {
        #expect(laidOut([event(1), counts(at: 1), nil, event(2), counts(at: 2), nil]) == "[1co 2co]")
        #expect(laidOut([event(1), counts(at: 1), event(2, unread: .oneMore)]) == "[1c] [2]")
        #expect(laidOut([event(1, unread: .oneMore), counts(at: 1), event(2)]) == "[1] c [2]")
    }

    @Test func `a room that is read does not end the run of its events, but one of another stream`() {
        func read(_ stream: Int64) -> KeptStep {
            .change(
                .roomRead(users: [StreamID(stored: 7)], room: StreamID(stored: stream), asOf: Position(2)))
        }
        #expect(laidOut([event(1), nil, event(2), read(9), nil, event(3)]) == "[1o 2co 3]")
        #expect(laidOut([event(1), read(8), event(2)]) == "[1] c [2]")
    }

    @Test func `changes of documents of one stream are a run, and other events of the stream are not in it`() throws {
        let (one, two) = (try DocumentPath("items/one"), try DocumentPath("items/two"))
        #expect(
            laidOut([event(1, document: one), nil, event(2, document: one), nil, event(3, document: two)])
                == "[1o 2o 3]")
        #expect(laidOut([event(1, and: 5, document: one), event(2, document: two)]) == "[1] [2]")
        #expect(laidOut([event(1), event(2, document: one), event(3)]) == "[1] [2] [3]")
    }

    @Test func `an event that differs from reader to reader is offered alone`() throws {
        #expect(laidOut([event(1), event(2, unread: .recount), event(3)]) == "[1] 2 [3]")
        #expect(laidOut([event(1), event(2, silence: .updated), event(3)]) == "[1] 2 [3]")
        let text = Publication(
            position: Position(2), name: .notification, stream: StreamID(stored: 9),
            payload: .localized(Localized(fallback: [65], byLanguage: [:])))
        #expect(laidOut([event(1), .publication(FramedPublication(text)), event(3)]) == "[1] 2 [3]")
    }

    @Test func `a run is bounded, and a large event is one of its own`() {
        let half = PublicationRun.bytesMax / 2
        #expect(laidOut([event(1, bytes: half), event(2, bytes: half), event(3)]) == "[1] [2 3]")
        #expect(laidOut([event(1), event(2, bytes: 4 * half), event(3)]) == "[1] [2] [3]")
    }
}
