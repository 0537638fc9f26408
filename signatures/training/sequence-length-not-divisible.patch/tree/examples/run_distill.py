print("distill")
