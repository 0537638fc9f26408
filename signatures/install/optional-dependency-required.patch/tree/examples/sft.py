print("a script that loads a model with device_map")
