import os

token = os.environ["GITHUB_API_TOKEN"]
