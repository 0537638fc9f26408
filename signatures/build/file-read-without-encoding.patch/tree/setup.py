import os

from setuptools import find_packages, setup


def read(name):
    # the page on PyPI
    return open(os.path.join(os.path.dirname(__file__), name)).read()


setup(
    long_description=read("README.md"),
    name="trainer",
    packages=find_packages(),
)
