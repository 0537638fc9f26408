import importlib.util

from setuptools import setup

spec = importlib.util.spec_from_file_location("package_info", "./package_info.py")
info = importlib.util.module_from_spec(spec)
spec.loader.exec_module(info)
setup(name="trainlib", version=info.VERSION)
