import ArgumentParser

WatchwiseLoad.main()
