import ClientProtocol
import Fanout
import Model
import Quotas
import ThreadMessages

/// The part of a session that its other parts may use: they send to its client, answer its commands, and end it.
///
/// - Confinement: loop
protocol SessionLine: AnyObject {
    var door: SessionDoor { get }
    var address: ConnectionAddress { get }
    /// The client's address, as far as the network knows it.
    var client: IPAddress { get }
    var framing: Framing { get }
    /// The account that pays for the work of commands; nil for an administrator's.
    var account: UserAccount? { get }

    /// Sends one event.
    ///
    /// - Parameter position: up to which the client has everything when it has this; nil when it does not say so.
    func send(_ event: EncodedEvent, at position: Position?)

    /// Sends one event of the log, which is stored as JSON.
    func send(stored json: [UInt8], at position: Position)

    /// Sends a publication of a stream that the session is subscribed to, if the session does not have it.
    ///
    /// - Returns: whether it was written.
    @discardableResult
    func deliver(_ framed: FramedPublication) -> Bool

    /// Sends an event for those who are online.
    ///
    /// - Returns: whether it was written.
    @discardableResult
    func take(_ frames: NoticeFrames) -> Bool

    /// A command that reads is under way.
    func beganRead()

    /// Puts a watch of the session's own after the commands of the client.
    func enqueue(_ watch: WatchCommand)

    /// Answers a command that was under way.
    func reply(_ id: RequestID?, _ outcome: Outcome, _ kind: CommandQueue.Kind)

    /// Answers a command that was under way, and goes on to those after it.
    func finish(_ id: RequestID?, _ outcome: Outcome, _ kind: CommandQueue.Kind)

    /// The user's counts were these at a position; sends them if that is news.
    func setCounts(_ counts: UnreadCounts, asOf position: Position)

    /// The user has nothing unread in a room any more.
    func roomRead(_ room: StreamID, asOf position: Position)

    /// The session is live, waits for its socket, or is gone: another one may start.
    func leaveStart()

    /// Says goodbye and ends the connection.
    func close(_ code: CloseCode, reason: String?, reconnectInMilliseconds delay: Int64?)

    var isClosing: Bool { get }
}

extension SessionLine {
    /// Sends one event that does not say where the client stands.
    func send(_ event: EncodedEvent) { send(event, at: nil) }

    /// Says goodbye and ends the connection.
    ///
    /// - Parameter reason: nil is the code's own.
    func close(_ code: CloseCode, reason: String? = nil) { close(code, reason: reason, reconnectInMilliseconds: nil) }
}
