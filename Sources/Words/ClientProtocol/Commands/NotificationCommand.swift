import JSON
import Model

/// One notification, for an app that was woken by a push and knows only the id.
///
/// The member `notification` names it. Where that is absent, the `id` of the command does: the shortest request of an app
/// has one id for both.
///
/// - Confinement: any
package struct NotificationCommand: Command {
    package static let name = "notification"

    /// The notification's id.
    package var notification: String
}

extension NotificationCommand {
    package static let form = CommandForm(
        [
            .may(
                "notification", .visible(FieldLimits.notificationIDBytesMax),
                "Without it, the id of the command names the notification.")
        ], ok: SharedForms.listedNotification)

    package init(_ fields: Fields) throws(Refusal) {
        let id = fields.optional("id")
        let isNamedByID = fields.optional("notification") == nil && id?.token.kind == .string
        let field = if isNamedByID, let id { id } else { try fields.required("notification") }
        notification = try field.visibleASCII(bytesMax: FieldLimits.notificationIDBytesMax)
    }
}
