import ClientProtocol
import Model
import Store

extension Refusal {
    static func feedNotFound(_ name: String) -> Refusal {
        Refusal(.notFound, "there is no feed \(name)", field: "name")
    }

    static func feedIsConfigured(_ name: String) -> Refusal {
        Refusal(.forbidden, "feed \(name) comes from the configuration file; change it there", field: "name")
    }
}
