import Model

extension DeviceCommand {
    package static let form = CommandForm(
        either: [
            subscription + registration, apns + openly, apns + sealed, fcm + openly, fcm + sealed,
            installation + openly, installation + sealed, removal,
        ], ok: [.device])

    private static let keys = ValueForm.object(
        [
            .need("p256dh", .visible(PushLimits.keyTextBytesMax)), .need("auth", .visible(PushLimits.keyTextBytesMax)),
        ], isOpen: true)
    private static let privacy = PushPrivacy.allCases.map(\.rawValue)
    private static let open = ValueForm.Member.may("open", .visible(FieldLimits.addressCharactersMax))
    private static let registration: [ValueForm.Member] = [
        .may("privacy", .words(privacy)), .may("keys", keys), open,
    ]
    private static let openly: [ValueForm.Member] = [
        .may("privacy", .words(privacy.filter { $0 != PushPrivacy.sealed.rawValue })), .may("keys", keys), open,
    ]
    private static let sealed: [ValueForm.Member] = [
        .need("privacy", .words([PushPrivacy.sealed.rawValue])), .need("keys", keys), open,
    ]
    private static let apns: [ValueForm.Member] = [
        .need("platform", .words(["apns"])),
        .need("token", .text(PushLimits.apnsTokenDigits, pattern: "^([0-9A-Fa-f]{2})+$")),
        .need("topic", .visible(PushLimits.topicBytesMax)),
        .may("environment", .words(APNsEnvironment.allCases.map(\.rawValue))),
    ]
    private static let fcm: [ValueForm.Member] = [
        .need("platform", .words(["fcm"])), .need("token", .visible(PushLimits.tokenBytesMax)), .without("fid"),
    ]
    private static let installation: [ValueForm.Member] = [
        .need("platform", .words(["fcm"])), .without("token"),
        .need(
            "fid",
            .text(
                PushLimits.installationCharacters...PushLimits.installationCharacters, pattern: "^[A-Za-z0-9_-]+$")),
    ]
    private static let subscription: [ValueForm.Member] = [
        .need("platform", .words(["webpush", "unifiedpush"])),
        .need(
            "subscription",
            .object([.need("endpoint", .visible(PushLimits.endpointBytesMax)), .need("keys", keys)], isOpen: true)),
    ]
    private static let removal: [ValueForm.Member] = [
        .need("remove", .either([.yes, .visible(FieldLimits.deviceBytesMax)]))
    ]
}
