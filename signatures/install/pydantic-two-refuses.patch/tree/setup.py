from setuptools import setup

REQUIRED = [
    "torch>=2.0",
    "pydantic>=1.9",
]

setup(name="trainer", install_requires=REQUIRED)
