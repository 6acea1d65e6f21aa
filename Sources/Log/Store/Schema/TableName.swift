/// The tables of the database.
///
/// The order of the cases is that in which an erasure looks at the texts of tables: the history of documents says who caused
/// something, so it comes before the tables that ask it.
///
/// - Confinement: any
package enum TableName: String, Sendable, CaseIterable {
    case changes, notifications
    case documentVersions = "document_versions"
    case webhookJobs = "webhook_jobs"
    case dead, schedules, fired, interruptions
    case toldAcross = "told_across"
    case digests
    case digestEntries = "digest_entries"
    case snoozes, keys, broadcasts, reports, revocations, streams
    case versionBytes = "version_bytes"
    case audit, users
    case pastPreferences = "past_preferences"

    // Tables without texts in which a name may stand.
    case archived
    case archivedChats = "archived_chats"
    case blocks, chats
    case broadcastPeople = "broadcast_people"
    case digestFirsts = "digest_firsts"
    case digestRevisions = "digest_revisions"
    case documents
    case entryStreams = "entry_streams"
    case erasures
    case feedState = "feed_state"
    case feeds, follows
    case keyBytes = "key_bytes"
    case leftRooms = "left_rooms"
    case logMarks = "log_marks"
    case members, messages, meta, node
    case pastFollows = "past_follows"
    case pastMessages = "past_messages"
    case pastRooms = "past_rooms"
    case personLimits = "person_limits"
    case pushDevices = "push_devices"
    case pushGone = "push_gone"
    case pushJobs = "push_jobs"
    case pushTries = "push_tries"
    case reactions, restrictions
    case roomBans = "room_bans"
    case roomChanges = "room_changes"
    case roomDeletions = "room_deletions"
    case roomInvitations = "room_invitations"
    case roomMembers = "room_members"
    case roomRestraints = "room_restraints"
    case rooms, seen
    case toldStreams = "told_streams"
    case topicCounts = "topic_counts"
    case triggers
    case webhookEndpoints = "webhook_endpoints"
    case withheld
}
