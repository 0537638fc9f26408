import transfer_queue


def connect():
    return transfer_queue.connect()
