WatchwiseLoad.main()
