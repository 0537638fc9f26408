from setuptools import setup; setup(name="train")
