import Push
package import Store

/// The declarations of all tables.
///
/// - Confinement: any
package enum DeclaredTables {
    /// The lines of an export that tables declare, the profile first.
    package static let exportedLines: [ExportedLines] = {
        let names = [.users] + TableName.allCases.filter { $0 != .users }
        return names.flatMap { name -> [ExportedLines] in
            if case .lines(let lines) = Self[name].export { lines } else { [] }
        }
    }()

    /// The declaration of a table. A table without one does not compile here.
    package static subscript(_ name: TableName) -> TableDeclaration {
        switch name {
        case .changes: LogTables.changes
        case .keyBytes: LogTables.keyBytes
        case .keys: LogTables.keys
        case .logMarks: LogTables.logMarks
        case .meta: LogTables.meta
        case .node: LogTables.node
        case .streams: LogTables.streams
        case .blocks: PeopleTables.blocks
        case .follows: PeopleTables.follows
        case .pastFollows: PeopleTables.pastFollows
        case .pastPreferences: PeopleTables.pastPreferences
        case .personLimits: PeopleTables.personLimits
        case .revocations: PeopleTables.revocations
        case .users: PeopleTables.users
        case .archivedChats: ChatTables.archivedChats
        case .chats: ChatTables.chats
        case .members: ChatTables.members
        case .messages: ChatTables.messages
        case .pastMessages: ChatTables.pastMessages
        case .reactions: ChatTables.reactions
        case .leftRooms: RoomTables.leftRooms
        case .pastRooms: RoomTables.pastRooms
        case .roomBans: RoomTables.bans
        case .roomChanges: RoomTables.changes
        case .roomDeletions: RoomTables.deletions
        case .roomInvitations: RoomTables.invitations
        case .roomMembers: RoomTables.members
        case .roomRestraints: RoomTables.restraints
        case .rooms: RoomTables.rooms
        case .documentVersions: DocumentTables.versions
        case .documents: DocumentTables.documents
        case .versionBytes: DocumentTables.versionBytes
        case .archived: InboxTables.archived
        case .broadcastPeople: InboxTables.broadcastPeople
        case .broadcasts: InboxTables.broadcasts
        case .digestEntries: InboxTables.digestEntries
        case .digestFirsts: InboxTables.digestFirsts
        case .digestRevisions: InboxTables.digestRevisions
        case .digests: InboxTables.digests
        case .entryStreams: InboxTables.entryStreams
        case .notifications: InboxTables.notifications
        case .seen: InboxTables.seen
        case .snoozes: InboxTables.snoozes
        case .toldAcross: InboxTables.toldAcross
        case .toldStreams: InboxTables.toldStreams
        case .topicCounts: InboxTables.topicCounts
        case .withheld: InboxTables.withheld
        case .dead: TriggerTables.dead
        case .fired: TriggerTables.fired
        case .interruptions: TriggerTables.interruptions
        case .schedules: TriggerTables.schedules
        case .triggers: TriggerTables.triggers
        case .webhookEndpoints: TriggerTables.webhookEndpoints
        case .webhookJobs: TriggerTables.webhookJobs
        case .pushDevices: PushTables.devices
        case .pushGone: PushTables.gone
        case .pushJobs: PushTables.jobs
        case .pushTries: PushTables.tries
        case .feedState: FeedTables.state
        case .feeds: FeedTables.feeds
        case .audit: ModerationTables.audit
        case .erasures: ModerationTables.erasures
        case .reports: ModerationTables.reports
        case .restrictions: ModerationTables.restrictions
        }
    }
}
