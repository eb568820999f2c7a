#!/usr/bin/env bash
# A round of training within a fixed time, on a machine with a GPU. It plays games through serve.py,
# where a teacher labels their positions, labels earlier games again, and trains on both at the same
# time. start.sh fills the folder $W.
set -u; shopt -s nullglob
W=${W:-/tmp/round}
END=${END:-690}             # seconds after which training ends; writing files takes 20 more
SERVE=${SERVE:-400}         # seconds after which no more games are played
SHAPE=${SHAPE:-b12c128}     # of the student
PLAYER=${PLAYER:-own.bin.gz} # the student that plays
INIT=${INIT---init-from own.bin.gz}
TEACHER=${TEACHER:-teacher.bin.gz}
KEEP=${KEEP:-0.15}          # share of the positions of earlier games that are labelled
# size:games at once:visits of the teacher:visits against the student:records that games continue
PLAYS=${PLAYS:-9:1400:12:24:games/n9.games 13:700:10:20:games/n13.games 19:450:8:16:games/kgs19.sgfs}
CHUNK=${CHUNK:-32768}       # positions of a shard
SIZES=${SIZES:-9x9=0.27 13x13=0.24 19x19=0.38 7x7=0.01 8x8=0.01 10x10=0.012 11x11=0.012 12x12=0.012 14x14=0.011 15x15=0.011 16x16=0.011 17x17=0.011 18x18=0.011}
TRAIN=${TRAIN:---points 184832 --lr 2e-3 --decay 0.8 --warmup 300}
DEV=${DEV:-cuda}; COMPILE=${COMPILE---compile}; EAGER=${EAGER-} # EAGER=--no-compile for a rehearsal
SERVING=${SERVING-}         # more options of serve.py, such as --no-graphs
PY=${PY:-python3}; SEED=${SEED:-1}; N=$(nproc)
cd "$W" || exit 1
trap '' HUP
P=$W/ponnuki; T0=$(date +%s)
export PYTHONUNBUFFERED=1 TORCHINDUCTOR_CACHE_DIR=$W/inductor
now() { echo $(($(date +%s) - T0)); }
say() { echo "[$(now)] $*" >> round.log; }
count() { find "$1" -name '*.shard' | wc -l; }
ready() { until grep -q "ready on" "$1"; do sleep 0.3; [ "$(now)" -gt "$END" ] && exit 1; done; }
ulimit -n "$(ulimit -Hn)"

# One server for each size, so that none waits for the Python of another.
for play in $PLAYS; do
  size=${play%%:*}; mkdir -p "lab/served$size"
  setsid nohup $PY training/serve.py --teacher "$TEACHER" --player "$PLAYER" --out "lab/served$size" --first $((size * 10000)) --chunk "$CHUNK" \
    --port $((5100 + size)) --sizes "${size}x$size" --device "$DEV" $EAGER $SERVING > "serve$size.log" 2>&1 &
  echo $! > "serve$size.pid"
done

# Earlier games. Their last positions, where stones are counted, are all labelled.
mkdir -p feat/old lab/old; number=0
for f in games/*.games games/*.sgfs; do
  g=$(basename "$f"); out=feat/of-$g
  $P label --games "$f" --held-out 1 --out "$out" --seed "$SEED" --keep "$KEEP" --threads "$N" > "label-$g.log" 2>&1
  for s in "$out"/*.shard; do mv "$s" "feat/old/$(printf %06d "$number").shard"; number=$((number + 1)); done
done
say "features of earlier games: $(count feat/old) shards"
setsid nohup $PY training/teach.py --net "$TEACHER" --device "$DEV" --replace $EAGER --quiet feat/old lab/old > teach.log 2>&1 &

# Games: the teacher against itself, and against the student, whose trees reach positions that it
# misjudges.
for play in $PLAYS; do
  IFS=: read -r size once own against records <<< "$play"
  from=(--records "$records" --held-out 1000000 --recorded 0.8)
  (
    ready "serve$size.log"; say "server of $size is ready"
    common=(--server "127.0.0.1:$((5100 + size))" --size "$size" --games 1000000 "${from[@]}")
    timeout $((SERVE - $(now))) $P selfplay --net "$TEACHER" "${common[@]}" --at-once "$once" --visits "$own" --seed "$SEED" --out "t$size.games" > "play-t$size.log" 2>&1 &
    timeout $((SERVE - $(now))) $P selfplay --net "$PLAYER" --against "$TEACHER" "${common[@]}" --at-once "$once" --visits "$against" --seed $((SEED + 1)) --out "a$size.games" > "play-a$size.log" 2>&1 &
    wait; kill -TERM "$(cat "serve$size.pid")"; say "games of $size: $(count "lab/served$size") shards"
  ) &
done

whole() { for play in $PLAYS; do [ "$(count "lab/served${play%%:*}")" -ge 1 ] || return 1; done; [ "$(count lab/old)" -ge "$(count feat/old)" ]; }
until whole; do sleep 0.5; [ "$(now)" -gt "$END" ] && exit 1; done
minutes=$($PY -c "print(max(0.2, ($END - $(now)) / 60))"); say "training begins, $minutes minutes"
folders=(lab/old); for play in $PLAYS; do folders+=("lab/served${play%%:*}"); done
setsid nohup $PY training/train.py "${folders[@]}" --out run --shape "$SHAPE" $INIT --samples 1e9 --minutes "$minutes" $TRAIN $COMPILE \
  --seed "$SEED" --evaluate 0 --sizes $SIZES --threads 4 --device "$DEV" > train.log 2>&1 &
echo $! > train.pid
while kill -0 "$(cat train.pid)" 2> /dev/null; do sleep 1; done
say "training has ended"
$PY training/export.py run/checkpoint.pt own-full.bin.gz --bits 12 >> round.log 2>&1
say "done"; touch all-done
