from train.parts import Pipe


def main(cfg):
    return Pipe, cfg.pipe
