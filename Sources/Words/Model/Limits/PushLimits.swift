/// The bounds of pushes and of the devices that get them, each with its reason.
///
/// - Confinement: any
package enum PushLimits {
    // MARK: The size of a push

    /// Bytes of a push's JSON before it is encrypted: APNs and FCM take 4,096, Web Push 3,993. The rest is for what the
    /// platforms add.
    package static let payloadBytesMax = 3_072
    /// The same for a push that is sealed and then written as Base64, which adds a third.
    package static let sealedBytesMax = 2_400
    /// Characters of the body where the push is too large, one after the other.
    package static let bodyCharactersMax = [512, 160]
    /// Characters of the title where the push is still too large.
    package static let titleCharactersMax = 120
    /// Tags of removed notifications in one push.
    package static let goneMax = 20

    // MARK: Settings

    /// The default of `push-hold`: clients acknowledge within a second of what they show.
    package static let holdMilliseconds: Int64 = 4_000
    /// A minute is longer than anybody wants to wait for a push.
    package static let holdMillisecondsRange: ClosedRange<Int64> = 0...60_000
    /// The default of `push-rate`: the pushes of one topic leave room for those of persons.
    package static let topicRate = 500
    package static let topicRateRange: ClosedRange<Int64> = 1...100_000
    /// Bytes of `push-contact`, which stands in every request of Web Push.
    package static let contactBytesMax = 256

    // MARK: Registrations

    /// Registered devices of a user: the one used longest ago goes.
    package static let devicesMax = 20
    /// Bytes of a subscription's endpoint; those of the known services have up to 600.
    package static let endpointBytesMax = 1000
    /// Hexadecimal digits of a token of APNs. It has 64 today, and Apple says that this can change.
    package static let apnsTokenDigits = 64...200
    /// Bytes of an app's bundle id.
    package static let topicBytesMax = 255
    /// Bytes of a token of FCM; today's have about 160.
    package static let tokenBytesMax = 4096
    /// Characters of the id of a Firebase installation: 17 bytes in base64url without their last characters.
    package static let installationCharacters = 22
    /// Bytes of a key in base64url, perhaps with padding: a point has 88.
    package static let keyTextBytesMax = 128
    /// Milliseconds without a registration or a `hello` after which a device is forgotten, unless the configuration says otherwise.
    package static let unusedMilliseconds: Int64 = 270 * 86_400_000
    /// Milliseconds for which a use of a device is not noted again: a day more or less of 270 costs nobody a push, and a
    /// write for each `hello` would cost much.
    package static let useNotedMilliseconds: Int64 = 86_400_000

    // MARK: Jobs

    /// Devices of one page of a job. After a crash at most one page is pushed again.
    package static let pageDevicesMax = 256
    /// Followers of a topic that one page looks at: nearly none of them may have a device.
    package static let followersLookedAt = 2_000
    /// A job of more devices keeps only the tries that are open or have failed.
    package static let triesKeptMax = 10_000
    /// Tries of a personal job in an answer of `explain`: one for each device, and for those that were removed.
    package static let explainedTriesMax = 50
    /// Notifications and chats that are to be taken back from one device: the newest stay.
    package static let goneKeptMax = 50
    /// How long a job that has ended is kept, if the log keeps its entry that long.
    package static let jobMilliseconds: Int64 = 7 * 86_400_000
    /// A device goes after this number of failures …
    package static let failuresMax: Int64 = 5
    /// … if none of its pushes was taken for this time.
    package static let failedMilliseconds: Int64 = 30 * 86_400_000

    // MARK: Lifetimes in milliseconds, from the commit on

    package static let urgentMilliseconds: Int64 = 4 * 3_600_000
    package static let activeMilliseconds: Int64 = 3 * 86_400_000
    package static let messageMilliseconds: Int64 = 7 * 86_400_000
    package static let digestMilliseconds: Int64 = 12 * 3_600_000
    package static let withdrawalMilliseconds: Int64 = 86_400_000
    /// The longest lifetime that FCM takes, in seconds: four weeks.
    package static let lifetimeSecondsMax: Int64 = 28 * 86_400
    /// A shorter rest of a lifetime, in seconds, becomes 0: now or never.
    package static let lifetimeSecondsMin: Int64 = 60

    // MARK: Tries

    /// Time after each failed try until the next one; the last step repeats until the lifetime ends.
    package static let retryMilliseconds: [Int64] = [
        5_000, 15_000, 60_000, 5 * 60_000, 15 * 60_000, 3_600_000, 3 * 3_600_000,
    ]
    /// By how many per cent chance may lengthen a pause: devices that failed together are not tried again together.
    package static let retryJitterPercent: Int64 = 20
    /// The bounds of Retry-After: a service that wants more is asked again after an hour.
    package static let retryAfterMilliseconds: ClosedRange<Int64> = 1_000...3_600_000
    /// The same for answers 507 of a UnifiedPush server, where nobody listens at the moment.
    package static let unsubscribedMilliseconds: [Int64] = [3_600_000, 6 * 3_600_000, 24 * 3_600_000]
    /// A device goes after 507 for so long.
    package static let unsubscribedMillisecondsMax: Int64 = 7 * 86_400_000
    /// Refusals of a device, each at least a day after the one before, until it goes.
    package static let refusalsMax = 3
    package static let refusalMilliseconds: Int64 = 86_400_000
    /// The first pause of FCM after an error of its own.
    package static let fcmErrorMilliseconds: Int64 = 10_000
    /// The first pause of FCM after its quota is used up; it doubles.
    package static let quotaMillisecondsMin: Int64 = 60_000
    /// The first pause of a device that got too many pushes from APNs; it doubles.
    package static let deviceMillisecondsMin: Int64 = 5 * 60_000
    /// Where the pauses of the quota and of a device stop doubling.
    package static let doubledMillisecondsMax: Int64 = 3_600_000
    /// Time until a platform whose key was refused is asked again.
    package static let keyMilliseconds: Int64 = 10 * 60_000

    // MARK: Requests under way

    /// Requests at once on one connection. Measured with libcurl: up to 100 a request costs 40 µs, with 400 it costs ten
    /// times as much.
    package static let requestsPerConnectionMax = 100
    /// Requests at once to a push service whose speed is not known yet.
    package static let requestsPerOriginFirst = 4

    // MARK: Tokens in milliseconds

    /// How long a VAPID token is valid, and its age at which a new one is made (RFC 8292 allows a day).
    package static let vapidMilliseconds: Int64 = 12 * 3_600_000
    package static let vapidRenewalMilliseconds: Int64 = 6 * 3_600_000
    /// Push services for which a VAPID token is kept. Most devices share a few; UnifiedPush users may choose their own.
    package static let vapidOriginsMax = 1_000
    /// The age at which a new APNs token is made; after an hour APNs refuses it.
    package static let apnsRenewalMilliseconds: Int64 = 45 * 60_000
    /// The least time between two APNs tokens: Apple refuses more (`TooManyProviderTokenUpdates`).
    package static let apnsTokenMillisecondsMin: Int64 = 20 * 60_000
    /// The rest of an FCM access token's life in which a new one is fetched.
    package static let fcmRenewalMilliseconds: Int64 = 5 * 60_000
    /// How long the assertion for an FCM access token is valid: the most that Google takes.
    package static let fcmAssertionMilliseconds: Int64 = 3_600_000
    /// A token that is refused at a lower age is not renewed: it was right, and the refusal is about something else.
    package static let freshTokenMilliseconds: Int64 = 60_000
}
