from setuptools import setup

setup(name="kernels")
