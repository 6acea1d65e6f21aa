package import Model

extension Restriction {
    /// The refusal of what the user may not do, with the reason and the time until it ends.
    package func refusal(at now: Timestamp) -> Refusal {
        Self.refusal(kind, until: until, reason: reason, at: now)
    }

    /// The same for a restriction in its parts.
    package static func refusal(_ kind: Kind, until: Timestamp?, reason: String, at now: Timestamp) -> Refusal {
        let what =
            switch kind {
            case .mute: "you may not write to others"
            case .ban: "you may not come in"
            case .deactivated: "this account is deactivated"
            }
        let end = until.map { " until \($0.text)" } ?? ""
        return Refusal(
            .forbidden, "\(what)\(end)" + (reason.isEmpty ? "" : ": \(reason)"),
            retryAfterMilliseconds: until.map { max(1, $0.milliseconds - now.milliseconds) })
    }
}
