import Authentication
import ClientProtocol
import Model
import Services
import Wire

/// `/v1/rooms` and `/v1/rooms/ID`: rooms and their members, without messages.
///
/// - Confinement: any
enum RoomRoutes {
    static let all: [AdminRoute] = [
        AdminRoute(
            "GET", "rooms", .read, "room.list",
            form: RouteForm(
                "The rooms, without messages.", query: [.may("after", .cursor), .limit],
                [.need("rooms", .list(.object(SharedForms.listedRoom))), .next])
        ) { call throws(Refusal) in .read(ReadRooms(after: call.query("after"), limit: try call.request.limit())) },
        AdminRoute(
            "GET", "rooms/{room}", .read, "room.get",
            form: RouteForm(
                "One room and its members, without messages.", query: [.may("after", .cursor), .limit],
                .members(
                    SharedForms.listedRoom + [
                        .need("last", .count), .need("people", .list(SharedForms.roomMember)), .next,
                    ]))
        ) { call throws(Refusal) in
            let id = call.value
            guard let chat = ChatID(id.hasPrefix("room:") ? id : "room:" + id) else {
                throw Refusal(.notFound, "there is no room \(id)")
            }
            return .read(ReadRoom(chat, after: call.query("after"), limit: try call.request.limit()))
        },
    ]
}
