import Model

/// The devices of the user that are pushed.
///
/// - Confinement: any
package struct DevicesCommand: Command {
    package static let name = "devices"
}

extension DevicesCommand {
    package static let form = CommandForm(
        [],
        ok: [
            .need(
                "devices",
                .list(
                    .object([
                        .device, .need("platform", .words(PushPlatform.allCases.map(\.rawValue))),
                        SharedForms.at, .may("lastPush", .time), .may("problem", .sentence),
                    ])))
        ])

    package init(_ fields: Fields) throws(Refusal) {}
}
