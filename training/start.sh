#!/usr/bin/env bash
# start.sh FOLDER SECONDS: on the machine with the GPU, unpack what pack.sh packed into $W, start
# round.sh there, which explains the variables, and watch it for SECONDS. STUDENT is the network to
# continue.
set -euo pipefail
[ $# = 2 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
export W=${W:-/tmp/round}
here=$(dirname "$(realpath "$0")"); folder=$(realpath "$1")
mkdir -p "$W/games" "$W/results"
xz -dc "$folder/teacher.bin.xz" | gzip -1 > "$W/teacher.bin.gz" & teacher=$!
xz -dc "$folder/ponnuki.xz" > "$W/ponnuki"; chmod +x "$W/ponnuki"
xz -dc "$folder/games.tar.xz" | tar -C "$W/games" -xf -
cp "${STUDENT:-$here/networks/b12c128.bin.gz}" "$W/own.bin.gz"
cp -r "$here" "$W/training"
wait "$teacher"
cd "$W"
setsid nohup bash training/round.sh > round.out 2>&1 &
bash training/watch.sh "$2"
