#!/usr/bin/env bash
# pack.sh TEACHER GAMES RECORDS FOLDER: pack what a round on a GPU needs into FOLDER, some 50 MB:
# the release binary, the teacher (.bin.gz) with 5 bits of mantissa, the *.games in the folder GAMES,
# and from RECORDS (.sgfs.gz: SGF, one a line) those of 19x19. start.sh unpacks it there.
set -euo pipefail
[ $# = 4 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
teacher=$(realpath "$1"); games=$(realpath "$2"); records=$(realpath "$3")
mkdir -p "$4"; folder=$(realpath "$4")
cd "$(dirname "$0")/.."
cargo build --release
xz -9 -T0 -c target/release/ponnuki > "$folder/ponnuki.xz"
${PY:-python3} training/export.py "$teacher" "$folder/teacher.bin.gz" --bits 5
gunzip -c "$folder/teacher.bin.gz" | xz -9 -T0 > "$folder/teacher.bin.xz"; rm "$folder/teacher.bin.gz"
unpacked=$(mktemp -d); trap 'rm -rf "$unpacked"' EXIT
cp "$games"/*.games "$unpacked"
gunzip -c "$records" | grep -F 'SZ[19]' > "$unpacked/kgs19.sgfs"
tar -C "$unpacked" -cf - . | xz -9 -T0 > "$folder/games.tar.xz"
ls -l "$folder"
