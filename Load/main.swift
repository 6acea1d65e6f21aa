WatchwiseLoad.start()
