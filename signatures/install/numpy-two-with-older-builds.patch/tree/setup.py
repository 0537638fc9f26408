from setuptools import setup

REQUIRED = [
    "torch>=2.0",
    "numpy>=1.18.2",
]

setup(name="trainer", install_requires=REQUIRED)
