set -eu
eval "$(sed -n '/BEGIN CONFIG/,/END CONFIG/p' "$1" | grep =)"
sbatch --nodes=$NUM_NODES --time=0:$NUM_MINUTES:0 ray.sub
