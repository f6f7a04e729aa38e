print("homewardd")
