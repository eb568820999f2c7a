#!/usr/bin/env bash
# watch.sh SECONDS [last]: wait at most SECONDS for the end of round.sh, and show its progress; with
# `last`, copy the results to $OUT.
W=${W:-/tmp/round}; cd "$W" || exit 1
end=$(($(date +%s) + $1))
while [ "$(date +%s)" -lt $end ] && [ ! -e all-done ]; do sleep 1; done
cat round.log
for f in lab/*; do echo "$f: $(ls "$f" | grep -c shard) shards"; done
for f in serve*.log; do echo "$f: $(tail -n 2 "$f" | cut -c1-150 | tr '\n' ';')"; done
for f in play-*.log label*.log teach.log; do echo "$f: $(tail -c 150 "$f" | tr '\r' '\n' | tail -n 1)"; done
tail -c 300 train.log 2>/dev/null | tr '\r' '\n' | tail -n 2; tail -n 1 run/log.jsonl 2>/dev/null | cut -c1-400
nvidia-smi --query-gpu=utilization.gpu,memory.used --format=csv,noheader 2>/dev/null; uptime; free -g | sed -n 2p; df -h "$W" | tail -n 1
if [ "${2:-}" = last ]; then
  if [ ! -e all-done ]; then kill -TERM "$(cat train.pid)"; sleep 8; python3 training/export.py run/checkpoint.pt own-full.bin.gz --bits 12; fi
  cp own-full.bin.gz run/log.jsonl "$OUT/"; cat round.log train.log > "$OUT/round.log"
  tar cf - *.games | xz -T0 -3 > "$OUT/games.tar.xz"; ls -la "$OUT"
fi
