"""Packages of Debian and Ubuntu: the programs and the libraries that they bring, and what is said without them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tests.seeded.kinds.breaks import PLACE

NAME = re.compile(r"[a-z0-9][a-z0-9+.-]*")

# Package of Debian and Ubuntu -> the program that only it brings.
PROGRAMS: Mapping[str, str] = {
    "bc": "bc",
    "bubblewrap": "bwrap",
    "build-essential": "make",
    "ccache": "ccache",
    "clang": "clang",
    "clang-tidy": "clang-tidy",
    "clinfo": "clinfo",
    "cmake": "cmake",
    "cppcheck": "cppcheck",
    "curl": "curl",
    "ffmpeg": "ffmpeg",
    "gcc-arm-none-eabi": "arm-none-eabi-gcc",
    "gcc-mingw-w64-x86-64": "x86_64-w64-mingw32-gcc",
    "gettext-base": "envsubst",
    "gh": "gh",
    "git": "git",
    "git-lfs": "git-lfs",
    "graphviz": "dot",
    "jq": "jq",
    "lcov": "lcov",
    "lsof": "lsof",
    "net-tools": "netstat",
    "ninja-build": "ninja",
    "numactl": "numactl",
    "openmpi-bin": "mpirun",
    "pandoc": "pandoc",
    "parallel": "parallel",
    "pdsh": "pdsh",
    "postgresql-client": "psql",
    "redis-tools": "redis-cli",
    "retry": "retry",
    "rsync": "rsync",
    "shellcheck": "shellcheck",
    "socat": "socat",
    "sqlite3": "sqlite3",
    "tree": "tree",
    "unzip": "unzip",
    "valgrind": "valgrind",
    "wget": "wget",
    "xvfb": "xvfb-run",
    "zip": "zip",
}
# What the machines of GitHub bring anyway.
HOSTED = frozenset(
    [
        "build-essential",
        "clang",
        "cmake",
        "curl",
        "gh",
        "git",
        "git-lfs",
        "jq",
        "ninja-build",
        "parallel",
        "postgresql-client",
        "rsync",
        "shellcheck",
        "sqlite3",
        "tree",
        "unzip",
        "wget",
        "zip",
        "net-tools",
        "lsof",
        "bc",
    ]
)
# Package -> what a compiler, a loader or CMake says without it.
LIBRARIES: Mapping[str, tuple[str, ...]] = {
    "libgl1": (
        f'  File "{PLACE}/cv2/__init__.py", line 181, in <module>',
        "    bootstrap()",
        "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
    ),
    "libgl1-mesa-glx": (
        f'  File "{PLACE}/cv2/__init__.py", line 181, in <module>',
        "    bootstrap()",
        "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
    ),
    "libglib2.0-0": (
        f'  File "{PLACE}/cv2/__init__.py", line 181, in <module>',
        "    bootstrap()",
        "ImportError: libgthread-2.0.so.0: cannot open shared object file: No such file or directory",
    ),
    "libegl1": ("ImportError: libEGL.so.1: cannot open shared object file: No such file or directory",),
    "libsndfile1": (
        "OSError: cannot load library 'libsndfile.so': libsndfile.so: cannot open shared object file: No such file or directory",
    ),
    "libaio-dev": (
        "csrc/aio/common/deepspeed_aio_utils.h:14:10: fatal error: libaio.h: No such file or directory",
        "   14 | #include <libaio.h>",
        "      |          ^~~~~~~~~~",
        "compilation terminated.",
    ),
    "libopenmpi-dev": (
        "src/lib-mpi/config.h:14:10: fatal error: mpi.h: No such file or directory",
        "   14 | #include <mpi.h>",
        "      |          ^~~~~~~",
        "compilation terminated.",
    ),
    "libsparsehash-dev": (
        "csrc/backend/hash/hash_cpu.cpp:3:10: fatal error: google/dense_hash_map: No such file or directory",
        "    3 | #include <google/dense_hash_map>",
        "      |          ^~~~~~~~~~~~~~~~~~~~~~~",
        "compilation terminated.",
    ),
    "libsdl2-dev": (
        "CMake Error at CMakeLists.txt:61 (find_package):",
        '  By not providing "FindSDL2.cmake" in CMAKE_MODULE_PATH this project has',
        '  asked CMake to find a package configuration file provided by "SDL2", but',
        "  CMake did not find one.",
        "",
        '  Could not find a package configuration file provided by "SDL2" with any of',
        "  the following names:",
        "",
        "    SDL2Config.cmake",
        "    sdl2-config.cmake",
        "",
        "-- Configuring incomplete, errors occurred!",
    ),
    "libeigen3-dev": (
        "CMake Error at CMakeLists.txt:87 (find_package):",
        '  By not providing "FindEigen3.cmake" in CMAKE_MODULE_PATH this project has',
        '  asked CMake to find a package configuration file provided by "Eigen3", but',
        "  CMake did not find one.",
        "",
        '  Could not find a package configuration file provided by "Eigen3" with any of',
        "  the following names:",
        "",
        "    Eigen3Config.cmake",
        "    eigen3-config.cmake",
        "",
        "-- Configuring incomplete, errors occurred!",
    ),
    "libgtest-dev": (
        "CMake Error at /usr/share/cmake-3.28/Modules/FindPackageHandleStandardArgs.cmake:230 (message):",
        "  Could NOT find GTest (missing: GTEST_LIBRARY GTEST_INCLUDE_DIR",
        "  GTEST_MAIN_LIBRARY)",
        "Call Stack (most recent call first):",
        "  /usr/share/cmake-3.28/Modules/FindGTest.cmake:270 (FIND_PACKAGE_HANDLE_STANDARD_ARGS)",
        "  CMakeLists.txt:12 (find_package)",
        "",
        "-- Configuring incomplete, errors occurred!",
    ),
    "libxml2-dev": (
        "src/document.c:7:10: fatal error: libxml/parser.h: No such file or directory",
        "    7 | #include <libxml/parser.h>",
        "      |          ^~~~~~~~~~~~~~~~~",
        "compilation terminated.",
    ),
    "libnuma-dev": (
        "csrc/cpu/utils.cpp:2:12: fatal error: numa.h: No such file or directory",
        "    2 |   #include <numa.h>",
        "      |            ^~~~~~~~",
        "compilation terminated.",
    ),
    "libcurl4-openssl-dev": (
        "common/download.cpp:20:10: fatal error: curl/curl.h: No such file or directory",
        "   20 | #include <curl/curl.h>",
        "      |          ^~~~~~~~~~~~~",
        "compilation terminated.",
    ),
    "libssl-dev": (
        "  run pkg_config fail: ",
        "  pkg-config exited with status code 1",
        "  > PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 pkg-config --libs --cflags openssl",
        "",
        "  The system library `openssl` required by crate `openssl-sys` was not found.",
        "  The file `openssl.pc` needs to be installed and the PKG_CONFIG_PATH environment variable must contain its parent directory.",
        "error: failed to run custom build command for `openssl-sys v0.9.109`",
    ),
    "protobuf-compiler": (
        '  Error: Custom { kind: NotFound, error: "Could not find `protoc`. If `protoc` is installed, try setting the `PROTOC` environment variable to the path of the `protoc` binary. To install it on Debian, run `apt-get install protobuf-compiler`." }',
        "error: failed to run custom build command for `train-proto v0.1.0`",
    ),
}


def asks(names: Sequence[str]) -> tuple[str, ...]:
    """What apt prints where it asks before it installs packages, and nobody answers."""
    return (
        "Reading package lists...",
        "Building dependency tree...",
        "Reading state information...",
        "The following NEW packages will be installed:",
        f"  {' '.join(names)}",
        f"0 upgraded, {len(names)} newly installed, 0 to remove and 21 not upgraded.",
        "Need to get 1284 kB of archives.",
        "After this operation, 4310 kB of additional disk space will be used.",
        "Do you want to continue? [Y/n] Abort.",
    )
