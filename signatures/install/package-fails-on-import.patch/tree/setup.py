from setuptools import setup

setup(name="trainer", install_requires=["torch", "quantkernels>=0.41.0"])
