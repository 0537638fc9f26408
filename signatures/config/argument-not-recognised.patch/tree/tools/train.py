import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--model-path")
parser.add_argument("--steps", type=int)
