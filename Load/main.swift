print("watchwise")
