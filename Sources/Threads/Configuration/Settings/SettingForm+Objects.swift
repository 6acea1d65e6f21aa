import ClientProtocol
import Execution
import Feeds
internal import Foundation
import JSON
import Model
import Notifying

extension SettingForm<TopicCollections> {
    static var collections: SettingForm {
        SettingForm(
            wanted: "must give topic kinds their plurals, such as {\"person\": \"people\"}, each plural once",
            text: .pairs,
            read: { value in
                guard let object = value.objectValue else { return nil }
                var plurals: [String: String] = [:]
                for (kind, plural) in object.members {
                    guard Topic(kind: kind, id: "x") != nil, let name = plural.stringValue, !name.contains("/"),
                        (try? DocumentPath(name + "/x")) != nil, !plurals.values.contains(name)
                    else { return nil }
                    plurals[kind] = name
                }
                return TopicCollections(configured: plurals)
            })
    }
}

extension SettingForm<AccessRules> {
    static var rules: SettingForm {
        SettingForm(
            wanted: "must give path patterns their rules, such as {\"users/{user}/tasks/{task}\": \"owner\"}",
            text: .json,
            read: { (value) throws(UnfitMember) in
                guard let table = value.objectValue else { return nil }
                do throws(AccessProblem) {
                    return try AccessRules(table)
                } catch {
                    throw UnfitMember(name: error.field, message: error.message)
                }
            })
    }
}

extension SettingForm<DefaultPreferences> {
    static var preferences: SettingForm {
        SettingForm(
            wanted: "must be the object that the command preferences takes, such as "
                + "{\"levels\": [\"time-sensitive\", \"critical\"]}",
            text: .json,
            read: { (value) throws(UnfitMember) in
                guard let object = value.objectValue else { return nil }
                do throws(Refusal) {
                    return try DefaultPreferences(object)
                } catch {
                    throw UnfitMember(name: error.field, message: error.message)
                }
            })
    }
}

extension SettingForm<RetentionTimes> {
    static var retention: SettingForm {
        SettingForm(
            wanted: "must give kinds of rows their times, such as {\"log\": \"30d\", \"audit\": \"400d\"}",
            text: .json,
            read: { (value) throws(UnfitMember) in
                guard let object = value.objectValue else { return nil }
                var times = RetentionTimes()
                for (name, value) in object.members {
                    switch RetentionKind(rawValue: name)?.place {
                    case .bounded(let path):
                        times[keyPath: path] = try SettingForm<Int64>.span.read(value, as: name)
                    case .open(let path):
                        times[keyPath: path] = try SettingForm<Int64?>.spanOrForever.read(value, as: name)
                    case nil:
                        let known = RetentionKind.allCases.map(\.rawValue).joined(separator: ", ")
                        throw UnfitMember(name: name, message: "must be one of \(known)")
                    }
                }
                return times
            })
    }
}

extension SettingForm<PersonLimits> {
    static var limits: SettingForm {
        SettingForm(
            wanted: "must give deeds their limits, such as {\"send\": \"30/10s\"}",
            text: .json,
            read: { (value) throws(UnfitMember) in
                guard let object = value.objectValue else { return nil }
                do throws(Refusal) {
                    return try PersonLimits(object)
                } catch {
                    throw UnfitMember(name: error.field, message: error.message)
                }
            })
    }
}

extension SettingForm<[FeedConfiguration]> {
    /// A refusal never shows the value: there may be a key in it.
    static var feeds: SettingForm {
        SettingForm(
            wanted: "must be a list of feeds", text: .json,
            paths: { paths, value in paths.each(value) { paths.member("keyFile", of: $0) { _ in true } } },
            read: { (value) throws(UnfitMember) in
                do throws(FeedProblem) {
                    return try FeedConfiguration.list(value, environment: ProcessInfo.processInfo.environment)
                } catch {
                    throw UnfitMember(name: error.field.isEmpty ? nil : error.field, message: error.message)
                }
            })
    }
}
