import Authentication
import ClientProtocol
import Execution
import JSON
import Model
import Services
import ThreadMessages
import Wire

/// Pushes: `/v1/push…`. The public key, `/v1/push/key`, is for everybody.
///
/// - Confinement: any
enum PushRoutes {
    static let all: [AdminRoute] = [
        AdminRoute(
            "GET", "push/devices", .read, "device.list",
            form: RouteForm(
                "The registered devices.", query: [.may("user", .user), .before, .limit],
                [.need("devices", .list(.object(RouteAnswers.device))), .next])
        ) { call throws(Refusal) in
            .read(
                ListPushDevices(
                    of: try call.queriedUser(), before: call.query("before"), limit: try call.request.limit()))
        },
        AdminRoute(
            "DELETE", "push/devices/{id}", .operate, "device.delete",
            form: RouteForm("Ends a registration.", [.need("id", .id), .need("seq", .position)])
        ) { call throws(Refusal) in .write(DeletePushDevice(id: try call.number(of: "device", field: "id"))) },
        AdminRoute(
            "POST", "push/test", .operate, "push.test", details: ["user", "device", "level"],
            form: RouteForm(
                "Pushes a text to all devices of a user, and says what the push services answered.",
                body: .object([
                    .need("user", .user), .need("title", .text(1...Limits.titleCharactersMax)),
                    .mayBeNull("body", .text(1...Limits.bodyCharactersMax)),
                    .mayBeNull("level", .words(["active", "time-sensitive", "critical"])),
                ]), [.need("user", .user), .need("devices", .list(RouteAnswers.trial))])
        ) { call throws(Refusal) in
            guard call.door.settings.mail.push != nil else {
                throw Refusal(.unavailable, "this server sends no pushes")
            }
            return .pushTrial(try PushTrial(call.request.object()))
        },
        AdminRoute(
            "GET", "push/jobs", .read, "push.list",
            form: RouteForm(
                "The jobs of pushes, newest first.",
                query: [.may("user", .user), .may("state", .words(["waiting", "begun", "ended"])), .before, .limit],
                [.need("jobs", .list(.object(RouteAnswers.job))), .next])
        ) { call throws(Refusal) in
            .read(
                ListPushJobs(
                    of: try call.queriedUser(), state: call.query("state"), before: call.query("before"),
                    limit: try call.request.limit()))
        },
        AdminRoute(
            "GET", "push/jobs/{id}", .read, "push.get",
            form: RouteForm(
                "One job, with what became of it for each device.", query: [.may("after", .cursor), .limit],
                .members(RouteAnswers.job + [.need("tries", .list(RouteAnswers.attempt)), .next]))
        ) { call throws(Refusal) in
            let id = try call.number(of: "push job", field: "id")
            return .read(ReadPushJob(id: id, after: call.query("after"), limit: try call.request.limit()))
        },
    ]

    /// The public key that a browser needs to subscribe: for everybody, as it is in the answer to every `hello`.
    static let key = OpenRoute(
        "GET", "/v1/push/key", "push.key",
        form: RouteForm("The public key with which a browser subscribes to pushes.", [.need("webpush", .sentence)])
    ) { _, door throws(Refusal) in
        guard let key = door.settings.pushOffer.webPushKey else {
            throw Refusal(.notFound, "this server sends no Web Push: its operator has not set push-contact")
        }
        return .now(.json(["webpush": .string(key)], status: 200))
    }
}

extension AdminCall {
    /// The user of the query; nil when none is named.
    fileprivate func queriedUser() throws(Refusal) -> UserID? {
        guard let text = query("user") else { return nil }
        guard let id = UserID(admitted: text) else { throw Refusal.badRequest(field: "user", "must be \(UserID.form)") }
        return id
    }
}
