// The bounds of the thread that sends pushes.
extension PushLimits {
    /// Time between two looks for work: commits arrive in quick succession, and one look serves all of it.
    package static let lookPauseMilliseconds: Int64 = 5
    /// The sender also looks by itself this often.
    package static let lookMilliseconds: Int64 = 60_000
    /// Results that the database does not show are handed over again after this time.
    package static let resultRepeatMilliseconds: Int64 = 5_000
    /// Pages and results in memory at once; a job of one person is a page.
    package static let errandsMax = 1_000
    /// Users of one question to the loops.
    package static let usersAskedMax = 1_000
    /// A push that waits longer for room at its service is left for a later try, so that its page ends.
    package static let readyMilliseconds: Int64 = 5_000
    /// Time between two looks at pushes that wait for room.
    package static let backlogMilliseconds: Int64 = 1_000
    /// Open jobs up to this number are counted at each look, and more once a second.
    package static let pendingCountedMax: Int64 = 10_000
    /// The time until a connection is open, and until the answer is complete.
    package static let connectMilliseconds = 5_000
    package static let answerMilliseconds = 20_000
    /// Answers have some hundred bytes.
    package static let answerBytesMax = 8 << 10
    /// Requests of Web Push under way to services that are failing, slow or not known yet. Each may hold one of the 64
    /// connections until its time is over, so half of them is left to the quick ones.
    package static let slowRequestsMax = 32
    /// The same, where a request is the first to its service: after a start nobody is known, and most services are quick.
    package static let firstRequestsMax = 48
    /// A service whose last answer took longer is slow.
    package static let quickMilliseconds: Int64 = 2_000
    /// Push services that are remembered. Those that wait or fail are never forgotten for others.
    package static let servicesMax = 1_000
    /// How long a platform whose key file cannot be read waits.
    package static let keyFileMilliseconds: Int64 = 60_000
    /// Time between two looks at the key file of a platform that waits.
    package static let keyLookMilliseconds: Int64 = 5_000
    /// Time in which removed entries are collected before a push of their own takes them back.
    package static let withdrawalDelayMilliseconds: Int64 = 3_000
    /// Time between two pushes of their own to one device: APNs allows two or three an hour.
    package static let withdrawalPauseMilliseconds: Int64 = 30 * 60_000
    /// Time between two looks for devices from which something is taken back.
    package static let withdrawalLookMilliseconds: Int64 = 1_000
    /// Tests of pushes under way at once, each to the devices of one user.
    package static let trialsMax = 4
    /// A test is answered after this time: a request takes 20 s at most, and some wait for room before it.
    package static let trialMilliseconds: Int64 = 25_000
    /// Requests of a test to one device, where an answer asks for another one at once.
    package static let trialRequestsMax = 3
}
