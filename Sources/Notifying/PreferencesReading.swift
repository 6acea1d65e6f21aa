import ClientProtocol
import JSON
import Model

/// Reads the choices of a user. A refusal names the member that has not its form.
///
/// - Confinement: any
struct PreferencesReading {
    /// The members besides `locale`, each with its value when nothing was chosen.
    static let members: KeyValuePairs<String, JSONValue> = [
        "timeZone": .null, "quietHours": .null, "mute": [:], "levels": ["active", "time-sensitive", "critical"],
        "kinds": [:], "digest": [:], "presence": "contacts",
    ]
    static let allLevels: Set<InterruptionLevel> = [.active, .timeSensitive, .critical]

    let preferences: DeliveryPreferences
    private let prefix: String

    /// - Parameters:
    ///   - chosen: the choices, without the language.
    ///   - prefix: the beginning of the field that a refusal names: `set.`, or nothing.
    /// - Throws: `Refusal` naming the member.
    init(_ chosen: JSONObject, prefix: String) throws(Refusal) {
        self.prefix = prefix
        let reading = PreferenceFields(prefix: prefix)
        for (name, _) in chosen.members
        where name != DefaultPreferences.marker && !Self.members.contains(where: { $0.key == name }) {
            throw reading.unknown(name)
        }
        let mute = try reading.object(chosen["mute"], "mute", allowing: ["all", "topics", "kinds", "chats"])
        let topics = try reading.mutes(mute["topics"], "mute.topics", form: Topic.form) {
            Topic($0)?.text ?? ($0 == "everyone" ? $0 : nil)
        }
        let kinds = try reading.mutes(
            mute["kinds"], "mute.kinds", form: PreferenceFields.kindForm, PreferenceFields.kind)
        let chats = try reading.mutes(mute["chats"], "mute.chats", form: ChatID.form) { ChatID($0) }
        guard topics.count + kinds.count + chats.count <= PreferenceLimits.mutesMax else {
            throw reading.refusal("mute", "has at most \(PreferenceLimits.mutesMax) topics, kinds and chats")
        }
        if let presence = chosen["presence"], !["contacts", "nobody"].contains(presence.stringValue) {
            throw reading.refusal("presence", "must be contacts or nobody")
        }
        preferences = DeliveryPreferences(
            clock: try reading.clock(chosen["timeZone"]),
            quietHours: try reading.quietHours(chosen["quietHours"]),
            muteAll: try mute["all"].map { value throws(Refusal) in try reading.mute(value, "mute.all") },
            mutedTopics: topics,
            mutedKinds: kinds,
            mutedChats: chats,
            levels: try chosen["levels"].map { value throws(Refusal) in try reading.levels(value, "levels") }
                ?? Self.allLevels,
            levelsByKind: try reading.kinds(chosen["kinds"]),
            digests: try reading.digests(chosen["digest"])
        )
    }
}
