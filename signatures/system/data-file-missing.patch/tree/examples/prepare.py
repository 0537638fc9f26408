print("writes the data")
