"""Options of the programs that hand a command to another system, as their manuals list them."""

from __future__ import annotations

from typing import NamedTuple

from triage.fixes.evaluate.programs import PYTHON, SHELLS


class Options(NamedTuple):
    """Options that take a value, those that take none, and the letters of the short ones of either kind."""

    valued: frozenset[str]
    flags: frozenset[str]

    def takes(self, option: str) -> bool | None:
        return True if option in self.valued else False if option in self.flags else None


def _options(valued: str, flags: str) -> Options:
    return Options(frozenset(valued.split()), frozenset(flags.split()))


GLOBAL = _options("-H --host -c --context --config -l --log-level --url --connection", "-D --debug --tls --remote")
RUN = _options(
    "-e --env --env-file -v --volume --mount -w --workdir --entrypoint --name -u --user -h --hostname -p --publish "
    "--expose -m --memory --memory-swap --memory-reservation --memory-swappiness --shm-size --cpus --cpuset-cpus "
    "--cpuset-mems -c --cpu-shares --cpu-period --cpu-quota --gpus --runtime --device --device-cgroup-rule --network "
    "--net --network-alias --net-alias --ip --ip6 --link "
    "--dns --dns-search --dns-option --add-host --mac-address --ipc "
    "--pid --uts --userns --cgroupns --cgroup-parent --cgroups --cap-add --cap-drop --security-opt --ulimit --sysctl "
    "--tmpfs --volumes-from --volume-driver --log-driver --log-opt -l --label --label-file --restart --stop-signal "
    "--stop-timeout --pull --platform --isolation --cidfile --detach-keys -a --attach --group-add --kernel-memory "
    "--pids-limit --oom-score-adj --storage-opt --health-cmd --health-interval --health-retries --health-timeout "
    "--health-start-period --blkio-weight --annotation --arch --os "
    "--pod --authfile --tz --umask --hooks-dir --env-merge",
    "-i --interactive -t --tty -d --detach --rm --privileged --init --read-only -P --publish-all -q --quiet "
    "--oom-kill-disable --no-healthcheck --sig-proxy --disable-content-trust --env-host --replace --tls-verify --rmi",
)
EXEC = _options(
    "-e --env --env-file -u --user -w --workdir --detach-keys --preserve-fds",
    "-i --interactive -t --tty -d --detach --privileged -l --latest",
)
COMPOSE = _options(
    "-f --file -p --project-name --profile --env-file --project-directory --ansi --parallel --progress",
    "--verbose --all-resources --compatibility --dry-run",
)
COMPOSE_RUN = _options(
    "-e --env -v --volume -w --workdir -u --user --entrypoint -l --label --name -p --publish --cap-add --cap-drop "
    "--env-from-file --pull",
    "-d --detach -T --no-TTY --no-tty --rm --build --no-deps -q --quiet --quiet-pull --quiet-build --remove-orphans -P "
    "--service-ports --use-aliases -i --interactive",
)
COMPOSE_EXEC = _options(
    "-e --env -w --workdir -u --user --index", "-d --detach -T --no-TTY --no-tty -i --interactive -t --tty --privileged"
)
SSH = _options(
    "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w",
    "-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y",
)
SRUN = _options(
    "-A --account -c --cpus-per-task -D --chdir -e --error -i --input -J --job-name -N --nodes -n --ntasks -o --output "
    "-p --partition -q --qos -t --time -w --nodelist -x --exclude -G --gpus --gres --mem --mem-per-cpu --mem-per-gpu "
    "--cpu-bind --gpus-per-node --gpus-per-task --ntasks-per-node --gpu-bind --mpi --jobid --reservation -C "
    "--constraint --time-min --signal --comment --export --container-image --container-mounts --container-workdir "
    "--container-name --container-env --container-save --het-group --threads-per-core --wait -W",
    "--kill-on-bad-exit -K --exclusive --overlap -l --label -u --unbuffered "
    "--pty -v --verbose -Q --quiet -O --overcommit -E "
    "--preserve-env --no-container-mount-home --container-mount-home --container-remap-root "
    "--no-container-remap-root --container-writable --no-container-entrypoint "
    "--container-entrypoint --exact --oversubscribe -s",
)
SBATCH = _options(
    "-A --account -c --cpus-per-task -D --chdir -d --dependency -e --error -J --job-name -N --nodes -n --ntasks "
    "-o --output -p --partition -q --qos -t --time -w --nodelist -x --exclude -G --gpus --gres --mem --mem-per-cpu "
    "--mem-per-gpu --gpus-per-node --gpus-per-task --ntasks-per-node --reservation -C --constraint --time-min "
    "--signal --comment --export -a --array --mail-type --mail-user --open-mode",
    "--exclusive --parsable -W --wait -v --verbose -Q --quiet -O --overcommit --requeue --no-requeue -H --hold -s "
    "--oversubscribe",
)
ENGINES = ("docker", "podman", "nerdctl", "nvidia-docker", "docker-compose", "podman-compose")
# A command of `docker run` may also be arguments of the image's own entry point: only these are surely programs.
PROGRAMS = frozenset(
    (
        *SHELLS, *PYTHON, "pip", "pip3", "uv", "conda", "apt-get", "apt", "git", "make", "cmake", "ls", "cat", "cp",
        "mv",
        "rm", "chown", "chmod", "mkdir", "find", "nvidia-smi", "rocm-smi", "sleep", "tail", "tar", "touch", "timeout",
        "env", "nice", "numactl", "nohup", "sudo", "stdbuf", "ray", "mpirun", "ninja", "du", "df", "pwd", "echo",
        "true",
        "auditwheel", "twine", "nvcc", "whoami", "test",
    )
)  # fmt: skip
