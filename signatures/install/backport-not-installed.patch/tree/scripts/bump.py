try:
    import tomllib
except ModuleNotFoundError:
    import tomli as tomllib
