import JSON
import Model

/// The settings of ``PushConfiguration``.
///
/// - Confinement: any
enum PushSettings: SettingGroup {
    static let title = "Push"
    static let settings = [contact] + ofAPNs + ofFCM + ofAll

    private static let contact = Setting(
        "push-contact", \.push.contact,
        .text(
            "must be an address of the operator, such as mailto:admin@example.org or https://example.org/contact",
            where: PushConfiguration.isContact),
        value: "uri", absent: nil, example: "mailto:admin@example.org",
        help: "Send Web Push (browsers, UnifiedPush); push services may write to this address, mailto: or https:.",
        note: "Its first start makes the file vapid-key in the folder; 'watchwise push key' shows the public key.")

    private static let ofAPNs = [
        Setting(
            "apns-key", \.push.apnsSettings.keyPath, .path(of: "the file with the key that Apple gave for APNs"),
            value: "file", absent: nil, example: "/etc/watchwise/AuthKey_2X9R4HXF34.p8",
            help: "Push to Apple's devices with this key (.p8); it needs --apns-key-id, --apns-team and --apns-topic."),
        Setting(
            "apns-key-id", \.push.apnsSettings.keyID,
            .text("must be the ten characters of the key's id, such as 2X9R4HXF34", where: PushConfiguration.isAppleID),
            value: "id", absent: nil, example: "2X9R4HXF34", help: "Id that Apple gave the key."),
        Setting(
            "apns-team", \.push.apnsSettings.team,
            .text(
                "must be the ten characters of the team's id, such as 59GAB85EFG", where: PushConfiguration.isAppleID),
            value: "id", absent: nil, example: "59GAB85EFG", help: "Id that Apple gave the developer's team."),
        Setting(
            "apns-topics", option: "apns-topic", \.push.apnsSettings.topics, .bundleIDs, value: "bundle-id",
            example: ["org.example.films"], help: "Bundle id of an app that may be pushed."),
        Setting(
            "apns-critical", \.push.apnsSettings.allowsCritical, .truth, example: true,
            help: "Send critical notifications as Apple's critical alerts, for which the app needs Apple's permission."),
        Setting(
            "apns-url", \.push.apnsSettings.url, .service, value: "url", absent: nil, example: "https://127.0.0.1:2197",
            help: "Another server than Apple's, for tests."),
    ]

    private static let ofFCM = [
        Setting(
            "fcm-service-account", \.push.fcmSettings.serviceAccountPath,
            .path(of: "the JSON file of a service account of Firebase"), value: "file", absent: nil,
            example: "/etc/watchwise/firebase.json",
            help: "Push to Android devices with this service account of Firebase (JSON)."),
        Setting(
            "fcm-url", \.push.fcmSettings.url, .service, value: "url", absent: nil, example: "http://127.0.0.1:8090",
            help: "Another server than Google's, for tests."),
    ]

    private static let ofAll = [
        Setting(
            "push-hold", \.push.holdMilliseconds, .number("of milliseconds", in: PushLimits.holdMillisecondsRange),
            value: "ms", example: 2000,
            help: """
                Milliseconds that a connected device has to show a notification and acknowledge it, before the user's \
                other devices are pushed.
                """,
            note: "A time-sensitive one waits half as long, a critical one not at all."),
        Setting(
            "push-badge", \.push.badge, .choice(of: PushBadge.allCases), value: "what", example: "chats",
            help: "What the badge of an app counts: unread chats, unread notifications, or both."),
        Setting(
            "push-messages", \.push.messages, .truth, value: "true-or-false", example: false,
            help: "Whether chat messages are pushed, besides notifications."),
        Setting(
            "push-open", \.push.open, .webAddress, value: "url", absent: nil, example: "https://app.example.org/",
            help: "Web app that a tap on a Web Push opens, where the device named none."),
        Setting(
            "push-rate", \.push.rate, .number(in: PushLimits.topicRateRange), value: "n", example: 100,
            help: "The most pushes of one topic in a second; personal ones do not wait for them."),
        Setting(
            "push-allow", \.push.allow, .ranges, value: "range", example: ["192.168.0.0/16"],
            help: "Let pushes go to these addresses, though they are not public: a UnifiedPush server at home."),
    ]
}
