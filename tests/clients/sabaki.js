// Drives the engine with Sabaki's own GTP client, as Sabaki does: whole games of two engines with
// analysis, undo, handicap, set-up stones, a rectangular board, an aborted analysis, and an exit
// within Sabaki's time limit.
//
// node tests/clients/sabaki.js ENGINE; the package @sabaki/gtp must be found.

const assert = require('assert')
const {ControllerStateTracker} = require('@sabaki/gtp')

const engine = process.argv[2]
const flags = ['--threads', '1', '--playouts', '100', '--rules', 'chinese']
// Time after `quit` at which Sabaki kills an engine.
const patience = 3000

// Sabaki's parser of a line of analysis (0.60): the variation is all words after `pv` as long as they
// are vertices.
function parseInfo(line) {
  return line
    .split(/\s*info\s+/)
    .slice(1)
    .map(x => x.trim())
    .map(x => {
      const at = x.match(/(pass|[A-Za-z]\d+)(\s+(pass|[A-Za-z]\d+))*\s*$/)
      return [x.slice(0, at ? at.index : 0).trim().split(/\s+/).slice(0, -1), at ? at[0].split(/\s+/) : []]
    })
    .filter(([, pv]) => pv.length > 0)
    .map(([words, pv]) => {
      const info = {pv}
      for (let i = 0; i + 1 < words.length; i += 2) info[words[i]] = words[i + 1]
      return info
    })
}

async function attach(more = []) {
  const tracker = ControllerStateTracker.fromController(engine, [...flags, ...more])
  const {controller} = tracker
  const noise = []
  controller.on('stderr', ({content}) => noise.push(content))
  controller.start()
  for (const name of ['name', 'version', 'protocol_version', 'list_commands']) {
    const response = await controller.sendCommand({name})
    assert(!response.error && response.content.length > 0, name)
  }
  return {tracker, controller, noise}
}

async function detach({controller, noise}) {
  const begun = Date.now()
  await controller.stop(patience)
  assert(Date.now() - begun < patience - 500, 'ends by itself')
  assert.deepStrictEqual(noise, [], 'nothing on standard error')
}

// Request one move as Sabaki does, check the stream and return the move.
async function generate(player, color) {
  let played = null
  let updates = 0
  const response = await player.controller.sendCommand(
    {name: 'kata-genmove_analyze', args: [color, '5']},
    ({line}) => {
      const match = line.trim().match(/^play\s+(.*)$/)
      if (match) played = match[1]
      if (/^info /.test(line)) {
        updates++
        for (const info of parseInfo(line)) {
          assert(info.move && info.visits && info.winrate, line)
          assert(+info.winrate >= 0 && +info.winrate <= 1, line)
        }
      }
    }
  )
  assert(!response.error, response.content)
  assert(played != null && updates > 0, 'a move and analysis')
  return played
}

async function game(size, komi, handicap) {
  const players = [await attach(), await attach()]
  const history = []
  if (handicap.length > 0) history.push({name: 'set_free_handicap', args: handicap})
  let passes = 0
  let turn = handicap.length > 0 ? 1 : 0
  for (; passes < 2 && history.length < 300; turn++) {
    const player = players[turn % 2]
    const color = 'BW'[turn % 2]
    await player.tracker.sync({komi, boardsize: size, history: [...history]})
    const move = await generate(player, color)
    if (move === 'resign') break
    passes = move === 'PASS' ? passes + 1 : 0
    history.push({name: 'play', args: [color, move]})
  }
  // Both agree on the result.
  const scores = []
  for (const player of players) {
    await player.tracker.sync({komi, boardsize: size, history: [...history]})
    scores.push((await player.controller.sendCommand({name: 'final_score'})).content)
  }
  assert.strictEqual(scores[0], scores[1])
  for (const player of players) await detach(player)
  return `${size.join('x')}, ${history.length} moves, ${scores[0]}`
}

async function undoAndReplay() {
  const player = await attach()
  const {tracker, controller} = player
  const play = (color, vertex) => ({name: 'play', args: [color, vertex]})
  const history = [play('B', 'D4'), play('W', 'F6'), play('B', 'F4'), play('W', 'D6'), play('B', 'E5')]
  await tracker.sync({komi: 6.5, boardsize: [9, 9], history})
  // Undo two moves and play others, sent in one batch without waiting.
  const other = [...history.slice(0, 3), play('W', 'C5'), play('B', 'C6'), play('W', 'pass')]
  await tracker.sync({komi: 0, boardsize: [9, 9], history: other})
  const board = (await controller.sendCommand({name: 'showboard'})).content
  assert(/Turn 6: White passed/.test(board), board)
  assert.strictEqual((await controller.sendCommand({name: 'get_komi'})).content, '0')
  // Set-up stones are sent as plays of one colour.
  const stones = ['C3', 'C4', 'D3'].map(v => play('B', v)).concat(['E3', 'E4'].map(v => play('W', v)))
  await tracker.sync({komi: -3.25, boardsize: [9, 9], history: stones})
  await tracker.sync({komi: 7, boardsize: [13, 7], history: [play('B', 'N7')]})
  await detach(player)
}

async function analysisWithAbort() {
  const player = await attach(['--playouts', 'off'])
  const {tracker, controller} = player
  await tracker.sync({komi: 7, boardsize: [19, 19], history: [{name: 'play', args: ['B', 'Q16']}]})
  for (const [color, command] of [['W', 'kata-analyze'], ['B', 'lz-analyze'], ['W', 'kata-analyze']]) {
    let lines = 0
    const done = controller.sendCommand({name: command, args: [color, '10']}, ({line}) => {
      if (!line.startsWith('info')) return
      lines++
      const infos = parseInfo(line)
      assert(infos.length > 0 && infos.every(i => i.visits != null && i.winrate != null), line)
    })
    await new Promise(resolve => setTimeout(resolve, 600))
    const begun = Date.now()
    const version = await controller.sendCommand({name: 'protocol_version'})
    await done
    assert.strictEqual(version.content, '2')
    assert(Date.now() - begun < 1000, 'aborts at once')
    assert(lines >= 3, `${lines} lines`)
  }
  await detach(player)
}

async function main() {
  console.log(await game([9, 9], 7, []))
  console.log(await game([9, 9], 0.5, ['G7', 'C3', 'G3']))
  console.log(await game([7, 9], 3.25, []))
  await undoAndReplay()
  console.log('undo, replay, set-up stones, rectangular boards')
  await analysisWithAbort()
  console.log('analysis with abort')
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
