from train.parts.pipe import Pipe
