from setuptools import setup

extras = {}
extras["dev"] = ["pytest", "speedkit", "tqdm"]

setup(name="train", extras_require=extras)
