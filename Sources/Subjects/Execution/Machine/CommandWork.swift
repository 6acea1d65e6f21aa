package import ClientProtocol
package import Model

/// The work that a command is, whichever way it arrived.
///
/// - Confinement: any
package enum CommandWork: Sendable {
    case write(any WriteUseCase)
    case read(any ReadUseCase)
    /// The use case answers in the language of the device that asks, which only its session knows.
    case readInLanguage(@Sendable (LanguageTag?) -> any ReadUseCase)
    /// The use case refuses what the command asks. The client gets the refusal when it is the command's turn.
    case refused(Refusal)
    /// The answer is the time.
    case ping
    case typing(TypingCommand)
    /// Only for clients that have a session.
    case hello(HelloCommand)
    /// Only for clients that have a session.
    case presence(PresenceCommand)
    /// Only for clients that have a session.
    case focus(FocusCommand)
    /// Only for clients that have a session.
    case watch(WatchCommand)
    /// Only for clients that have a session.
    case unwatch(UnwatchCommand)
    /// A write about the device of the session. Only for clients that have a session.
    case device(DeviceCommand)

    /// Whether it only reads the database.
    package var isRead: Bool {
        switch self {
        case .read, .readInLanguage, .typing, .presence, .watch: true
        case .write, .refused, .hello, .ping, .focus, .unwatch, .device: false
        }
    }
}

extension HelloCommand: AnsweredCommand {
    package var work: CommandWork { .hello(self) }
}

extension PingCommand: AnsweredCommand {
    package var work: CommandWork { .ping }
}

extension TypingCommand: AnsweredCommand {
    package var work: CommandWork { .typing(self) }
}

extension PresenceCommand: AnsweredCommand {
    package var work: CommandWork { .presence(self) }
}

extension FocusCommand: AnsweredCommand {
    package var work: CommandWork { .focus(self) }
}

extension WatchCommand: AnsweredCommand {
    package var work: CommandWork { .watch(self) }
}

extension UnwatchCommand: AnsweredCommand {
    package var work: CommandWork { .unwatch(self) }
}

extension DeviceCommand: AnsweredCommand {
    package var work: CommandWork { .device(self) }
}
