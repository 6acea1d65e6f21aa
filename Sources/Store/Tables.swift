/// The tables as a transaction sees them.
///
/// The type of each names the kind of the transaction: a `UserTable<Transaction>` reads, and a
/// `UserTable<WriteTransaction>` also has the methods that write. A function that only reads takes a ``Transaction``,
/// and can be handed a ``WriteTransaction``: its tables then read with the writer's statements and memory.
package protocol Tables: AnyObject {}

extension Tables where Self: Transaction {
    package var accessRules: AccessRuleTable<Self> { AccessRuleTable(transaction: self) }
    package var broadcasts: BroadcastTable<Self> { BroadcastTable(transaction: self) }
    package var chats: ChatTable<Self> { ChatTable(transaction: self) }
    package var dead: DeadTable<Self> { DeadTable(transaction: self) }
    package var digests: DigestTable<Self> { DigestTable(transaction: self) }
    package var documents: DocumentTable<Self> { DocumentTable(transaction: self) }
    package var documentStreams: DocumentStreamTable<Self> { DocumentStreamTable(transaction: self) }
    package var entryStreams: EntryStreamTable<Self> { EntryStreamTable(transaction: self) }
    package var feeds: FeedTable<Self> { FeedTable(transaction: self) }
    package var follows: FollowTable<Self> { FollowTable(transaction: self) }
    package var history: DocumentHistoryTable<Self> { DocumentHistoryTable(transaction: self) }
    package var keys: KeyTable<Self> { KeyTable(transaction: self) }
    package var log: ChangeLog<Self> { ChangeLog(transaction: self) }
    package var messages: MessageTable<Self> { MessageTable(transaction: self) }
    package var notifications: NotificationTable<Self> { NotificationTable(transaction: self) }
    package var preferences: PreferenceTable<Self> { PreferenceTable(transaction: self) }
    package var retention: LogRetention<Self> { LogRetention(transaction: self) }
    package var revocations: RevocationTable<Self> { RevocationTable(transaction: self) }
    package var runs: TriggerRunTable { TriggerRunTable(transaction: self) }
    package var snoozes: SnoozeTable<Self> { SnoozeTable(transaction: self) }
    package var streams: StreamTable<Self> { StreamTable(transaction: self) }
    package var streamSweep: StreamSweep<Self> { StreamSweep(transaction: self) }
    package var topicCounts: TopicCountTable<Self> { TopicCountTable(transaction: self) }
    package var topicKinds: TopicKindTable { TopicKindTable(transaction: self) }
    package var triggers: TriggerRowTable<Self> { TriggerRowTable(transaction: self) }
    package var triggerStates: TriggerStateTable<Self> { TriggerStateTable(transaction: self) }
    package var users: UserTable<Self> { UserTable(transaction: self) }
    package var webhooks: WebhookTable<Self> { WebhookTable(transaction: self) }
}

extension Transaction: Tables {}
