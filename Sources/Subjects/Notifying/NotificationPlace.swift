import Model

/// The place of one row of a notification, and the people for whom it is there.
///
/// - Confinement: any
struct NotificationPlace {
    /// A topic, or everyone, with its stream.
    struct TopicStream {
        let text: String
        let stream: StreamID
    }

    var stream: StreamID
    let topic: String
    let isInbox: Bool
    /// The topics in whose streams the row lies beside its own.
    var others: [TopicStream] = []
    /// Whether people are named beside the topics.
    var isBesidePersonal = false
    /// The inboxes of people who read one of the streams, and have a row of their own.
    var apart: [StreamID] = []
    /// The users among the readers that block the writer.
    var withheld: [StreamID] = []
    /// The streams whose readers got an earlier row with the same `collapse`.
    var notified: [StreamID] = []

    init(stream: StreamID, topic: String) {
        self.stream = stream
        self.topic = topic
        isInbox = false
    }

    init(inbox: StreamID, of user: UserID) {
        stream = inbox
        topic = Topic(user: user).text
        isInbox = true
    }

    /// The stream by which people had the earlier row of the first topic, where the row's own stream has no followers.
    var followed: StreamID? { others.first?.text == topic ? others.first?.stream : nil }

    /// The reach of the row's event; nil for the readers of its own stream.
    func reach(in zones: [String]) -> PublicationReach? {
        guard !others.isEmpty || !apart.isEmpty || !withheld.isEmpty else { return nil }
        return PublicationReach(others: others.map(\.stream), except: apart + withheld, zones: zones, told: notified)
    }
}
