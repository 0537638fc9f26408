print("trains")
