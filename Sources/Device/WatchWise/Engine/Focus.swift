import JSON

/// Whether a person looks at the application, and what the server knows of it.
struct Focus {
    var isOn = false
    private var told: JSONObject?

    /// The fields of the command that tells the server; nil when it knows, or has forgotten with its connection.
    /// - Parameter chat: The chat on the screen.
    mutating func news(isLive: Bool, chat: String?) -> JSONObject? {
        guard isLive else {
            told = nil
            return nil
        }
        var fields: JSONObject = ["on": .bool(isOn)]
        if isOn, let chat { fields["chat"] = .string(chat) }
        if fields == told || !isOn && told == nil { return nil }
        told = fields
        return fields
    }
}
