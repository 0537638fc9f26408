import datasets
