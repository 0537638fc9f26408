from setuptools import setup

setup(name="trainer")
