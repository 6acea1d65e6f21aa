import Log
package import Model

/// How far messages were looked through for those that are too old: chat by chat, again and again.
///
/// - Confinement: any
package struct MessageSweep: Sendable, Hashable {
    /// The chat at work; 0 between two passes.
    package var chat: Int64 = 0
    /// The last message of it that was looked at.
    package var n: MessageNumber = 0
    /// The oldest message that this pass has left.
    package var least: Timestamp?
    /// When the last pass ended; nil before the first one has.
    package var ended: Timestamp?
    /// The oldest message that it left.
    package var oldest: Timestamp?

    fileprivate var text: String {
        [chat, n, least?.milliseconds ?? 0, ended?.milliseconds ?? 0, oldest?.milliseconds ?? 0].map { String($0) }
            .joined(separator: " ")
    }

    fileprivate init() {}

    fileprivate init?(_ text: String) {
        let numbers = text.split(separator: " ").compactMap { Int64($0) }
        guard numbers.count == 5 else { return nil }
        func time(_ number: Int64) -> Timestamp? { number == 0 ? nil : Timestamp(milliseconds: number) }
        (chat, n) = (numbers[0], MessageNumber(numbers[1]))
        (least, ended, oldest) = (time(numbers[2]), time(numbers[3]), time(numbers[4]))
    }

    /// Milliseconds between two passes: a message goes at most this much later than it should.
    package static func pause(keptMilliseconds kept: Int64) -> Int64 { max(1000, min(kept / 100, 1_800_000)) }

    /// When the next step is due.
    package func due(keptMilliseconds kept: Int64) -> Timestamp {
        guard chat == 0, let ended else { return Timestamp(milliseconds: 0) }
        return ended.adding(milliseconds: Self.pause(keptMilliseconds: kept))
    }
}

extension MessageTable {
    /// How far messages were looked through.
    package func sweep() throws -> MessageSweep {
        guard let text = try access.meta(.messagesSwept) else { return MessageSweep() }
        guard let sweep = MessageSweep(text) else { throw MetaText.messagesSwept.problem }
        return sweep
    }

    /// The numbers and times of a chat's messages after a number, and whether they were deleted.
    package func states(
        in chat: Int64, after n: MessageNumber, limit: Int
    ) throws -> [(n: MessageNumber, at: Timestamp, isDeleted: Bool)] {
        try access.all(
            "SELECT n, at, deleted IS NOT NULL FROM messages WHERE chat = ? AND n > ? ORDER BY n LIMIT ?",
            [chat, n, limit]
        ) { try ($0[0], $0[1], $0[2]) }
    }
}

extension MessageTable where Access == WriteAccess {
    /// Notes how far messages were looked through.
    package func setSweep(_ sweep: MessageSweep) throws { try access.setMeta(.messagesSwept, sweep.text) }
}
