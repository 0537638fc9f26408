from trainer.queue import connect


def test_connect():
    assert connect()
