print("homeward")
