import Authentication
import ClientProtocol
import Execution
import Model
import Wire

/// A part of the admin API: what each part needs of a request.
///
/// - Confinement: loop
protocol AdminRoutes {
    var call: HTTPCall { get }
    var door: any RequestDoor { get }
}

extension AdminRoutes {
    var method: String { call.head.method }

    /// The administrator that asks.
    ///
    /// - Throws: `Refusal` unless the token has the scope `admin`.
    func administrator() throws(Refusal) -> Actor { .administrator(try administratorClaims().subject) }

    /// The claims of the administrator's token.
    ///
    /// - Throws: `Refusal` unless the token has the scope `admin`.
    func administratorClaims() throws(Refusal) -> Claims {
        guard let token = call.bearerToken else {
            throw Refusal(.unauthenticated, "an admin token is required in the Authorization header")
        }
        let claims = try door.verify(token: token)
        guard claims.isAdmin else {
            throw Refusal(
                .forbidden,
                "the token lacks the scope admin; make one with: watchwise token NAME --admin")
        }
        return claims
    }

    /// The answer to a method that is not known here.
    ///
    /// - Parameter allow: the methods that are.
    func notAllowed(_ allow: String) -> Route {
        .now(Problem(status: 405, detail: "\(method) is not allowed here; use \(allow)", allow: allow).response)
    }
}
