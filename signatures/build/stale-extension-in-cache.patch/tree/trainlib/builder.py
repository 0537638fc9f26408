FOLDER = ".cache/trainlib/torch_extensions"
