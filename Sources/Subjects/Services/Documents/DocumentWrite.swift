import Execution
package import JSON
package import Model
import Store

/// One write of a document.
///
/// - Confinement: any
package struct DocumentWrite: Sendable {
    /// The kind of the write.
    package enum Operation: Sendable {
        case put(JSONObject)
        /// A merge patch (RFC 7396).
        case patch(JSONObject)
        case delete
    }

    package let path: DocumentPath
    package let operation: Operation
    /// The version that the writer knows; 0 when there must be no document yet; nil when the version does not matter.
    package let ifVersion: Int64?

    package init(path: DocumentPath, operation: Operation, ifVersion: Int64? = nil) {
        self.path = path
        self.operation = operation
        self.ifVersion = ifVersion
    }

    func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add(path.text)
        switch operation {
        case .put(let data): fingerprint.add("put" + JSONValue.object(data).text)
        case .patch(let data): fingerprint.add("patch" + JSONValue.object(data).text)
        case .delete: fingerprint.add("delete")
        }
        fingerprint.add(ifVersion)
    }
}
