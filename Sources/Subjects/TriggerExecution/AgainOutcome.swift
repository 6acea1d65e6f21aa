import ClientProtocol
import JSON
import Model
import Store
import Triggers

/// The outcome of running a trigger again on a past change.
///
/// - Confinement: any
enum AgainOutcome: Sendable {
    /// The notification is missing, and still worth sending.
    case notify(NotificationWanted)
    case schedule(at: Timestamp, NotificationWanted)
    /// Nothing is to be done, and why.
    case nothing(String)
    /// The same, because it has been done.
    case done(String)
    case failed(TriggerFailure)

    /// The same outcome of a first run; nil when nothing is done.
    var fired: TriggerOutcome? {
        switch self {
        case .notify(let wanted): .wanted(wanted)
        case .schedule(let at, let wanted): .scheduled(at: at, wanted)
        case .nothing, .done, .failed: nil
        }
    }
}
