"""Releases whose break everybody has met, and what is said then."""

from __future__ import annotations

from collections.abc import Mapping

PLACE = "/opt/hostedtoolcache/Python/3.11.9/x64/lib/python3.11/site-packages"
# Distribution -> the first release that breaks, the one that is installed, what is said then.
BREAKS: Mapping[str, tuple[tuple[int, ...], str, tuple[str, ...]]] = {
    "numpy": (
        (2,),
        "2.3.5",
        (
            "A module that was compiled using NumPy 1.x cannot be run in",
            "NumPy 2.3.5 as it may crash. To support both 1.x and 2.x",
            "versions of NumPy, modules must be compiled with NumPy 2.0.",
            "Some module may need to rebuild instead e.g. with 'pybind11>=2.12'.",
            "",
            "If you are a user of the module, the easiest solution will be to",
            "downgrade to 'numpy<2' or try to upgrade the affected module.",
            "We expect that some modules will need time to support NumPy 2.",
            "",
            "Traceback (most recent call last):",
            f'  File "{PLACE}/train_native/__init__.py", line 11, in <module>',
            "    from . import _native",
            "ImportError: numpy.core.multiarray failed to import",
        ),
    ),
    "setuptools": (
        (82,),
        "82.0.1",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/tensorboard/default.py", line 30, in <module>',
            "    import pkg_resources",
            "ModuleNotFoundError: No module named 'pkg_resources'",
        ),
    ),
    "protobuf": (
        (4,),
        "6.33.1",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/onnx/onnx_ml_pb2.py", line 33, in <module>',
            "    _descriptor.EnumValueDescriptor(",
            f'  File "{PLACE}/google/protobuf/descriptor.py", line 914, in __new__',
            "    _message.Message._CheckCalledFromGeneratedFile()",
            "TypeError: Descriptors cannot be created directly.",
            (
                "If this call came from a _pb2.py file, your generated code is out of date and must be regenerated with"
                " protoc >= 3.19.0."
            ),
            "If you cannot immediately regenerate your protos, some other possible workarounds are:",
            " 1. Downgrade the protobuf package to 3.20.x or lower.",
            (
                " 2. Set PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python (but this will use pure-Python parsing and will be"
                " much slower)."
            ),
        ),
    ),
    "pydantic": (
        (2,),
        "2.12.4",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/pydantic/_migration.py", line 297, in wrapper',
            "    raise PydanticImportError(",
            (
                "pydantic.errors.PydanticImportError: `BaseSettings` has been moved to the `pydantic-settings` package. See"
                " https://docs.pydantic.dev/2.12/migration/#basesettings-has-moved-to-pydantic-settings for more details."
            ),
            "",
            "For further information visit https://errors.pydantic.dev/2.12/u/import-error",
        ),
    ),
    "transformers": (
        (5,),
        "5.0.0",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/peft_helpers/model.py", line 7, in <module>',
            "    from transformers import AutoModelForVision2Seq",
            f"ImportError: cannot import name 'AutoModelForVision2Seq' from 'transformers' ({PLACE}/transformers/__init__.py)",
        ),
    ),
    "huggingface-hub": (
        (1,),
        "1.2.1",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/datasets_tools/hub.py", line 4, in <module>',
            "    from huggingface_hub import HfFolder",
            f"ImportError: cannot import name 'HfFolder' from 'huggingface_hub' ({PLACE}/huggingface_hub/__init__.py)",
        ),
    ),
    "datasets": (
        (4,),
        "4.4.1",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/datasets/load.py", line 1021, in dataset_module_factory',
            '    raise RuntimeError(f"Dataset scripts are no longer supported, but found {filename}")',
            "RuntimeError: Dataset scripts are no longer supported, but found wikitext.py",
        ),
    ),
    "urllib3": (
        (2,),
        "2.5.0",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/botocore/httpsession.py", line 11, in <module>',
            "    from urllib3.util.ssl_ import (",
            f"ImportError: cannot import name 'DEFAULT_CIPHERS' from 'urllib3.util.ssl_' ({PLACE}/urllib3/util/ssl_.py)",
        ),
    ),
    "httpx": (
        (0, 28),
        "0.28.1",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/openai/_base_client.py", line 745, in __init__',
            "    super().__init__(**kwargs)",
            "TypeError: Client.__init__() got an unexpected keyword argument 'proxies'",
        ),
    ),
    "tyro": (
        (0, 9),
        "0.9.2",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/trl/commands/cli_utils.py", line 12, in <module>',
            "    from tyro._fields import is_nested_type",
            f"ImportError: cannot import name 'is_nested_type' from 'tyro._fields' ({PLACE}/tyro/_fields.py)",
        ),
    ),
    "zarr": (
        (3,),
        "3.1.5",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/anemoi/datasets/data/stores.py", line 18, in <module>',
            "    class S3Store(zarr.storage.ReadOnlyStore):",
            "AttributeError: module 'zarr.storage' has no attribute 'ReadOnlyStore'",
        ),
    ),
    "werkzeug": (
        (3,),
        "3.1.4",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/flask/app.py", line 28, in <module>',
            "    from werkzeug.urls import url_quote",
            f"ImportError: cannot import name 'url_quote' from 'werkzeug.urls' ({PLACE}/werkzeug/urls.py)",
        ),
    ),
    "pytest": (
        (9,),
        "9.0.1",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/_pytest/config/__init__.py", line 1560, in parse',
            "    self.pluginmanager.check_pending()",
            f'  File "{PLACE}/pluggy/_manager.py", line 318, in check_pending',
            "    raise PluginValidationError(",
            "pluggy._manager.PluginValidationError: Plugin 'train_plugin' for hook 'pytest_collect_file'",
            "hookimpl definition: pytest_collect_file(path, parent)",
            "Argument(s) {'path'} are declared in the hookimpl but can not be found in the hookspec",
        ),
    ),
    "cmake": (
        (4,),
        "4.1.2",
        (
            "CMake Error at third_party/fmt/CMakeLists.txt:1 (cmake_minimum_required):",
            "  Compatibility with CMake < 3.5 has been removed from CMake.",
            "",
            "  Update the VERSION argument <min> value.  Or, use the <min>...<max> syntax",
            "  to tell CMake that the project requires at least <min> but has been updated",
            "  to work with policies introduced by <max> or earlier.",
            "",
            "  Or, add -DCMAKE_POLICY_VERSION_MINIMUM=3.5 to try configuring anyway.",
            "",
            "-- Configuring incomplete, errors occurred!",
        ),
    ),
    "scipy": (
        (1, 14),
        "1.16.3",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/gensim/matutils.py", line 22, in <module>',
            "    from scipy.linalg import get_blas_funcs, triu",
            f"ImportError: cannot import name 'triu' from 'scipy.linalg' ({PLACE}/scipy/linalg/__init__.py)",
        ),
    ),
    "pillow": (
        (10,),
        "12.0.0",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/tensorboardX/summary.py", line 486, in make_image',
            "    image = image.resize((scaled_width, scaled_height), Image.ANTIALIAS)",
            "AttributeError: module 'PIL.Image' has no attribute 'ANTIALIAS'",
        ),
    ),
    "elasticsearch": (
        (8,),
        "9.2.0",
        (
            "Traceback (most recent call last):",
            f'  File "{PLACE}/search_tools/client.py", line 9, in <module>',
            "    from elasticsearch import ElasticsearchException",
            f"ImportError: cannot import name 'ElasticsearchException' from 'elasticsearch' ({PLACE}/elasticsearch/__init__.py)",
        ),
    ),
}
