package import Log
import Store

extension Tables {
    package var pushDevices: PushDeviceTable<Access> { PushDeviceTable(access: access) }
    package var pushGone: PushGoneTable<Access> { PushGoneTable(access: access) }
    package var pushJobs: PushJobTable<Access> { PushJobTable(access: access) }
}
