import Console
import Model

/// Confirmations before a broadcast is sent: an audience may be misspelt, and a large one is not called back by an excuse.
struct BroadcastQuestion {
    static let askAbove = 1000

    let audience: String
    let isEveryone: Bool
    let level: InterruptionLevel
    /// Nil for a repetition, which reaches nobody else.
    let size: Int64?

    /// Asks for what the flags do not answer.
    ///
    /// - Throws: `CommandFailure` when it is not to be sent, or nobody can be asked.
    func ask(yes: Bool, criticalToEveryone: Bool) throws {
        let isCritical = level == .critical && isEveryone
        if isCritical, !criticalToEveryone, !Terminal.canAsk { throw refusal }
        if !yes { try askAboutSize(always: isCritical && !criticalToEveryone) }
        if isCritical, !criticalToEveryone { try askAboutRinging() }
    }

    private func askAboutSize(always: Bool) throws {
        guard let size, always || size > Self.askAbove || size == 0 else { return }
        let finding = size == 0 ? Self.nobody(audience) : "this reaches \(size.counted("person", "people"))"
        guard Terminal.canAsk else {
            throw CommandFailure(
                size == 0 ? .nothingDone : .misused, finding + "; nothing was sent. Repeat it with --yes to send it")
        }
        guard Terminal.confirms(finding.prefix(1).uppercased() + finding.dropFirst() + ". Send it?") else {
            throw CommandFailure(.failed, "nothing was sent")
        }
    }

    /// The second question has another answer than the first, so that a habit does not give it.
    private func askAboutRinging() throws {
        let question = "Critical rings at everybody's, through mutes and quiet hours. Type critical to send it: "
        guard Terminal.answer(to: question) == InterruptionLevel.critical.rawValue else {
            throw CommandFailure(.failed, "nothing was sent")
        }
    }

    private var refusal: CommandFailure {
        CommandFailure(
            .misused,
            """
            critical to everyone rings at \((size ?? 0).counted("person's", "people's")) devices, through mutes and quiet hours; nothing \
            was sent. --yes is not enough for that: repeat it with --critical-to-everyone
            """)
    }

    /// The sentence for an audience without people.
    static func nobody(_ audience: String) -> String {
        switch audience {
        case "online": "nobody is online"
        case "everyone": "nobody is known yet"
        default: "nobody follows \(audience)"
        }
    }
}
