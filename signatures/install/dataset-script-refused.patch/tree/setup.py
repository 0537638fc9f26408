from setuptools import setup

REQUIRED = [
    "torch>=2.0",
    "datasets>=2.14",
]

setup(name="trainer", install_requires=REQUIRED)
