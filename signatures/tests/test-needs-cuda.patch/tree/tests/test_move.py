def test_move():
    make(device="cuda")
