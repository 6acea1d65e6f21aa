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
        AdminRoute("GET", "rooms", .read, "room.list") { call throws(Refusal) in
            .read(ReadRooms(after: call.query("after"), limit: try call.request.limit()), call.actor)
        },
        AdminRoute("GET", "rooms/{room}", .read, "room.get") { call throws(Refusal) in
            let id = call.value
            guard let chat = ChatID(id.hasPrefix("room:") ? id : "room:" + id) else {
                throw Refusal(.notFound, "there is no room \(id)")
            }
            return .read(
                ReadRoom(chat, after: call.query("after"), limit: try call.request.limit()), call.actor)
        },
    ]
}
