import Admin
import ClientProtocol
import Model
import Telemetry
import ThreadMessages

/// Ends the sessions of one loop when its node lags the others too much, or is cut off from them, so that their clients go
/// to other nodes: a part of them each second, so that they do not come there all at once.
///
/// - Confinement: loop
final class LeavingSessions {
    private let number: Int
    private let table: ConnectionTable
    private let settings: LoopSettings
    /// The seconds since sessions began to leave; nil when they may stay.
    private var seconds: Int?

    /// - Parameter number: of the loop.
    init(ofLoop number: Int, _ table: ConnectionTable, _ settings: LoopSettings) {
        self.number = number
        self.table = table
        self.settings = settings
    }

    /// Ends the sessions whose turn it is, as long as the node lags too much.
    func eachSecond() {
        guard let farewell = NodeDistance(settings).farewell else {
            seconds = nil
            return
        }
        let second = seconds ?? 0
        seconds = second + 1
        var ended = 0
        table.forEachSession { session in
            guard Int(session.address.slot) % MemberLimits.leavingSeconds == second % MemberLimits.leavingSeconds,
                !session.isClosing
            else { return }
            session.close(.overloaded)
            ended += 1
        }
        guard ended > 0 || second == 0 && number == 0 else { return }
        settings.log.warning(
            "sessions end, so that their clients go to other nodes",
            ["reason": farewell, "loop": "\(number)", "sessions": "\(ended)"])
    }
}

@available(*, unavailable)
extension LeavingSessions: Sendable {}
