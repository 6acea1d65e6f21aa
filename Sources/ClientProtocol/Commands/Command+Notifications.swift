package import JSON
package import Model

/// The commands about notifications, and how they reach a person.
extension Command {
    /// Marks notifications as seen: those listed, or all up to a position.
    package enum Seen: Sendable, Hashable {
        case upTo(Position)
        case ids([String])
    }

    /// Puts notifications off: they disappear, and come back at a time.
    package struct Snooze: Sendable, Hashable {
        package var ids: [String]
        package var until: Timestamp

        package init(ids: [String], until: Timestamp) {
            self.ids = ids
            self.until = until
        }
    }

    /// Where pushes for this device go, or that they go nowhere any more.
    package enum Device: Sendable, Hashable {
        /// The subscription of a browser, as `PushSubscription.toJSON()` gives it.
        case webPush(subscription: JSONObject)
        case apns(token: String)
        case fcm(token: String)
        /// A device by its id.
        case remove(device: String)
    }

    /// A page of notifications, newest first.
    package struct Notifications: Sendable, Hashable {
        /// The `next` of the page before.
        package var before: String?
        package var limit: Int
        /// `unread` on the wire.
        package var isUnreadOnly: Bool

        package init(before: String? = nil, limit: Int = Limits.pageDefault, isUnreadOnly: Bool = false) {
            self.before = before
            self.limit = limit
            self.isUnreadOnly = isUnreadOnly
        }
    }

    /// Reads the preferences, or sets some of them.
    package struct Preferences: Sendable, Hashable {
        /// The members to change; their names and values are for the service to check.
        package var set: JSONObject?

        package init(set: JSONObject? = nil) {
            self.set = set
        }
    }
}

extension Command.Notifications {
    init(_ fields: Fields) throws(Refusal) {
        before = try fields.optional("before")?.cursor()
        limit = try fields.limit()
        isUnreadOnly = try fields.optional("unread")?.bool() ?? false
    }
}

extension Command.Preferences {
    init(_ fields: Fields) throws(Refusal) {
        set = try fields.optional("set")?.tree()
    }
}

extension Command.Seen {
    init(_ fields: Fields) throws(Refusal) {
        switch (fields.optional("upTo"), fields.optional("ids")) {
        case (let position?, nil): self = .upTo(try position.position())
        case (nil, let list?):
            var ids: [String] = []
            for element in try list.elements(1...FieldLimits.seenIDsMax) { ids.append(try element.notificationID()) }
            self = .ids(ids)
        case (nil, nil): throw .badRequest(field: "upTo", "or ids is required")
        case (_?, _?): throw .badRequest(field: "ids", "must not be given together with upTo")
        }
    }
}

extension Command.Snooze {
    init(_ fields: Fields) throws(Refusal) {
        var ids: [String] = []
        for element in try fields.required("ids").elements(1...FieldLimits.seenIDsMax) {
            let id = try element.notificationID()
            if !ids.contains(id) { ids.append(id) }
        }
        self.ids = ids
        until = try fields.required("until").form("a time such as 2026-11-21T10:00:00Z") { Timestamp($0) }
    }
}

extension Command.Device {
    init(_ fields: Fields) throws(Refusal) {
        if let device = fields.optional("remove") {
            self = .remove(device: try device.deviceID())
            return
        }
        let platform = try fields.required("platform")
        switch try platform.string() {
        case "webpush":
            let subscription = try fields.required("subscription")
            _ = try subscription.object().required("endpoint").text(1...FieldLimits.addressCharactersMax)
            self = .webPush(subscription: try subscription.tree())
        case "apns": self = .apns(token: try fields.required("token").pushToken())
        case "fcm": self = .fcm(token: try fields.required("token").pushToken())
        default: throw platform.refusal("must be webpush, apns or fcm")
        }
    }
}

extension Field {
    fileprivate func pushToken() throws(Refusal) -> String {
        try visibleASCII(bytesMax: FieldLimits.tokenBytesMax)
    }

    fileprivate func notificationID() throws(Refusal) -> String {
        try visibleASCII(bytesMax: FieldLimits.notificationIDBytesMax)
    }
}
