package import Log
package import Model

extension Tables {
    package var accessRules: AccessRuleTable<Access> { AccessRuleTable(access: access) }
    package var archived: ArchivedTable<Access> { ArchivedTable(access: access) }
    package var audit: AuditTable<Access> { AuditTable(access: access) }
    package var blocks: BlockTable<Access> { BlockTable(access: access) }
    package var broadcasts: BroadcastTable<Access> { BroadcastTable(access: access) }
    package var chats: ChatTable<Access> { ChatTable(access: access) }
    package var dead: DeadTable<Access> { DeadTable(access: access) }
    package var digests: DigestTable<Access> { DigestTable(access: access) }
    package var documents: DocumentTable<Access> { DocumentTable(access: access) }
    package var documentStreams: DocumentStreamTable<Access> { DocumentStreamTable(access: access) }
    package var erasures: ErasureTable<Access> { ErasureTable(access: access) }
    package var entryStreams: EntryStreamTable<Access> { EntryStreamTable(access: access) }
    package var follows: FollowTable<Access> { FollowTable(access: access) }
    package var history: DocumentHistoryTable<Access> { DocumentHistoryTable(access: access) }
    package var invitations: InvitationTable<Access> { InvitationTable(access: access) }
    package var messages: MessageTable<Access> { MessageTable(access: access) }
    package var notifications: NotificationTable<Access> { NotificationTable(access: access) }
    package var preferences: PreferenceTable<Access> { PreferenceTable(access: access) }
    package var personLimits: PersonLimitTable<Access> { PersonLimitTable(access: access) }
    package var reactions: ReactionTable<Access> { ReactionTable(access: access) }
    package var reports: ReportTable<Access> { ReportTable(access: access) }
    package var restrictions: RestrictionTable<Access> { RestrictionTable(access: access) }
    package var revocations: RevocationTable<Access> { RevocationTable(access: access) }
    package var rooms: RoomTable<Access> { RoomTable(access: access) }
    package var runs: TriggerRunTable { TriggerRunTable(access: access) }
    package var snoozes: SnoozeTable<Access> { SnoozeTable(access: access) }
    package var streamSweep: StreamSweep<Access> { StreamSweep(access: access) }
    package var topicCounts: TopicCountTable<Access> { TopicCountTable(access: access) }
    package var topicKinds: TopicKindTable { TopicKindTable(access: access) }
    package var triggers: TriggerRowTable<Access> { TriggerRowTable(access: access) }
    package var triggerStates: TriggerStateTable<Access> { TriggerStateTable(access: access) }
    package var users: UserTable<Access> { UserTable(access: access) }
}

extension Tables {
    /// The user's counts as this transaction sees them.
    package func unread(of user: UserEntry) throws -> UnreadCounts {
        UnreadCounts(
            chats: user.unreadChats + (try rooms.unreadCount(of: user)),
            notifications: user.unreadInbox + (try topicCounts.unread(of: user))
        )
    }
}
