from setuptools import setup

EXTRAS = {"test": ["pytest", "transformers"]}

setup(
    name="trainer",
    install_requires=[
        "torch>=2.4",  # any build
        "transformers>=4.40",  # the tokenizers come with it
    ],
    extras_require=EXTRAS,
)
