import ClientProtocol
import JSON
import Model
import Store
import Triggers

/// What running a trigger again on a past change comes to.
///
/// - Confinement: any
enum AgainOutcome: Sendable {
    /// It is missing, and still worth to be sent.
    case notify(NotificationWanted)
    case schedule(at: Timestamp, NotificationWanted)
    /// Nothing is to be done, and why.
    case nothing(String)
    /// The same, since it has been done.
    case done(String)
    case failed(TriggerFailure)

    /// What a first run would have come to; nil where nothing is done.
    var fired: TriggerOutcome? {
        switch self {
        case .notify(let wanted): .wanted(wanted)
        case .schedule(let at, let wanted): .scheduled(at: at, wanted)
        case .nothing, .done, .failed: nil
        }
    }
}
