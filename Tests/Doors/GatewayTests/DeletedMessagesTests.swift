import Fanout
import JSON
import Model
import Testing

@testable import Gateway

/// The words of a message that is deleted while a session reads the log.
struct DeletedMessagesTests {
    private func step(_ name: EventName, _ event: JSONValue) -> KeptStep {
        .publication(
            FramedPublication(
                Publication(
                    position: Position(event["seq"]?.integerValue ?? 0), name: name, stream: .everyone,
                    payload: .same(event.bytes))))
    }

    private func blanked(_ steps: [KeptStep]) throws -> [JSONValue?] {
        var recent = RecentCommits<KeptStep>(head: .zero)
        for (index, step) in steps.enumerated() { recent.append([step], head: Position(Int64(index + 1))) }
        let commits = try #require(recent.after(.zero))
        let deleted = DeletedMessages(in: commits)
        return try commits.flatMap(\.steps).map { step in
            guard case .publication(let framed) = step else { return nil }
            return try deleted.blanked(framed.publication).map { try JSONValue(parsing: $0) }
        }
    }

    @Test func `a message and its edits lose their words, others keep theirs`() throws {
        let found = try blanked([
            step(.message, ["seq": 1, "type": "message", "chat": "a:b", "n": 1, "text": "secret", "replyTo": 7]),
            step(.message, ["seq": 2, "type": "message", "chat": "a:b", "n": 2, "text": "kept"]),
            step(.message, ["seq": 3, "type": "message", "chat": "a:c", "n": 1, "text": "kept"]),
            step(.messageEdited, ["seq": 4, "type": "message.edited", "chat": "a:b", "n": 1, "text": "x", "rev": 2]),
            step(.messageDeleted, ["seq": 5, "type": "message.deleted", "chat": "a:b", "n": 1]),
        ])
        #expect(
            found == [
                ["seq": 1, "type": "message", "chat": "a:b", "n": 1, "deleted": true], nil, nil,
                ["seq": 4, "type": "message.edited", "chat": "a:b", "n": 1, "rev": 2], nil,
            ])
    }

    @Test func `where nothing is deleted everything goes out as it is`() throws {
        let found = try blanked([
            step(.message, ["seq": 1, "type": "message", "chat": "a:b", "n": 1, "text": "kept"]),
            .change(.snoozed(user: .everyone, count: 1)),
        ])
        #expect(found == [nil, nil])
    }
}
