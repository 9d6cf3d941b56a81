/**
 * Measures the built executable: requests a second beside a bare route that answers the same bytes and beside a bare insert,
 * interleaved in one run; the time to the first answer; and resident memory, with where it goes. Ratios mean more than rates,
 * because both sides ran on the same machine in the same minutes.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBare, type Bare } from './bench/bare.ts'
import { memoryOf, memoryOfScript, threadsOf, type Memory } from './bench/memory.ts'
import { keep, makeSetting, READS, WRITE, type Case, type Setting } from './bench/setting.ts'
import { mib, ratio, table, whole } from './bench/table.ts'
import { load, median, requireWrk, type Measured } from './bench/wrk.ts'
import { EXECUTABLE, requireBuilt, startForge } from './run/forge.ts'
import { runScript, type Option } from './run/options.ts'

const OPTIONS = {
  rounds: { kind: 'count', default: '5', help: 'How often everything is measured; medians are shown.' },
  seconds: { kind: 'count', default: '3', help: 'How long one measurement takes.' },
  connections: { kind: 'count', default: '16', help: 'Clients at once for reads.' },
  writers: { kind: 'count', default: '32', help: 'Clients at once for writes.' },
  idle: { kind: 'count', default: '30', help: 'Seconds of rest before memory is read again.' },
  only: { kind: 'text', default: 'all', help: 'speed, start, memory or all.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

const say = (text: string): void => void process.stdout.write(text)

type Contender = { readonly name: string; readonly url: string; readonly pid: number; readonly measured: Measured[] }
type Race = { readonly test: Case; readonly connections: number; readonly headers: Record<string, string>; readonly contenders: readonly Contender[] }

const contender = (name: string, { url, pid }: { url: string; pid: number }, path: string): Contender => ({ name, url: url + path, pid, measured: [] })
const middle = ({ measured }: Contender, of: keyof Measured): number => median(measured.map((one) => one[of]))

/** All contenders of all races in turn, so that whatever else the machine does hits all alike. */
async function run(races: readonly Race[], rounds: number, seconds: number, directory: string): Promise<void> {
  for (let round = 0; round <= rounds; round++) {
    for (const { test, connections, headers, contenders } of races) {
      for (const { url, pid, measured } of contenders) {
        const result = await load({ url, pid, headers, body: test.body, connections, seconds: round === 0 ? 1 : seconds }, directory)
        // The first round is to warm up.
        if (round > 0) measured.push(result)
      }
    }
  }
}

/** Both ratios say how the forge stands to the contender: 1 is as good, 0.5 half as good. */
function report(races: readonly Race[]): void {
  for (const { test, contenders } of races) {
    const [first] = contenders
    if (!first) continue
    say(`\n${test.name}\n`)
    say(
      table(
        ['', 'requests/s', 'p50 ms', 'p99 ms', 'cpu µs', 'rate ratio', 'cpu ratio', 'requests/s of all rounds'],
        contenders.map((one) => [
          one.name, whole(middle(one, 'rate')), ratio(middle(one, 'p50')), ratio(middle(one, 'p99')), middle(one, 'cpu').toFixed(1),
          ratio(middle(first, 'rate') / middle(one, 'rate')), ratio(middle(one, 'cpu') / middle(first, 'cpu')), one.measured.map((each) => whole(each.rate)).join(' '),
        ]),
      ),
    )
  }
}

async function speed(executable: string, directory: string, options: Record<keyof typeof OPTIONS, string>): Promise<void> {
  requireWrk()
  const settings: Setting[] = []
  const bares: Bare[] = []
  try {
    const usual = await makeSetting(executable, join(directory, 'usual'))
    settings.push(usual)
    const quiet = await makeSetting(executable, join(directory, 'quiet'), { HEARTH_LOG_LEVEL: 'warn' })
    settings.push(quiet)
    const kept = await Promise.all(READS.map((test) => keep(usual, test)))
    writeFileSync(join(directory, 'answers.json'), JSON.stringify(kept))
    const answers = await startBare('answers', join(directory, 'answers.json'))
    const each = await startBare('inserts', join(directory, 'each.db'), 'each')
    const grouped = await startBare('inserts', join(directory, 'grouped.db'), 'grouped')
    bares.push(answers, each, grouped)

    // One set of headers fits both forges only if they know the same token, so each gets its own race order with its own.
    const readRaces = READS.flatMap((test, at): Race[] => {
      const common = { test, connections: Number(options.connections) }
      return [
        {
          ...common, headers: test.headers(usual),
          contenders: [
            contender('forge', usual.forge, test.path),
            contender('bare route', answers, `/plain${test.path}`),
            contender('bare route, same headers', answers, `/full${test.path}`),
          ],
        },
        { ...common, test: { ...test, name: `${test.name}: ${whole((kept[at]?.body ?? '').length)} bytes` }, headers: test.headers(quiet), contenders: [contender('forge without request log', quiet.forge, test.path)] },
      ]
    })
    const writeRaces: Race[] = [
      {
        test: WRITE, connections: Number(options.writers), headers: WRITE.headers(usual),
        contenders: [contender('forge', usual.forge, WRITE.path), contender('bare insert, grouped', grouped, '/'), contender('bare insert, each its own commit', each, '/')],
      },
      { test: WRITE, connections: Number(options.writers), headers: WRITE.headers(quiet), contenders: [contender('forge without request log', quiet.forge, WRITE.path)] },
    ]
    const races = [...readRaces, ...writeRaces]
    await run(races, Number(options.rounds), Number(options.seconds), directory)
    report(joined(races))
    say(`\nresident after this load: ${mib(memoryOf(usual.forge.pid).resident)} MiB`)
    await Bun.sleep(Number(options.idle) * 1000)
    say(`, and ${options.idle} s later: ${mib(memoryOf(usual.forge.pid).resident)} MiB\n`)
  } finally {
    for (const bare of bares) bare.stop()
    for (const { forge } of settings) await forge.stop()
  }
}

/** Races come in pairs, because two forges have two tokens; a table shows a pair as one. */
function joined(races: readonly Race[]): Race[] {
  return races.flatMap((race, at) => {
    const next = races[at + 1]
    return at % 2 === 1 || !next ? [] : [{ ...race, test: { ...race.test, name: next.test.name }, contenders: [...race.contenders, ...next.contenders] }]
  })
}

async function start(executable: string, directory: string, rounds: number): Promise<void> {
  const rows: string[][] = []
  for (const [name, fresh] of [['an empty directory', true], ['a directory with data', false]] as const) {
    const announced: number[] = []
    const answered: number[] = []
    for (let at = 0; at < rounds; at++) {
      const place = join(directory, fresh ? `fresh-${at}` : 'fresh-0')
      mkdirSync(place, { recursive: true })
      const began = performance.now()
      const forge = await startForge({ executable, data: join(place, 'data'), log: join(place, 'serve.log') })
      const response = await fetch(`${forge.url}/api/readyz`)
      if (response.status !== 200) throw new Error(`the first answer was ${response.status}`)
      await response.text()
      answered.push(performance.now() - began)
      announced.push(forge.announced)
      await forge.stop()
    }
    rows.push([name, whole(median(announced)), whole(median(answered)), whole(Math.max(...answered))])
  }
  say(`\nTime from the start of the process, in milliseconds (${rounds} starts each)\n`)
  say(table(['with', 'listening', 'first answer', 'most'], rows))
}

const memoryRow = (name: string, { resident, own, code }: Memory): string[] => [name, mib(resident), mib(own), mib(code)]

async function memory(executable: string, directory: string, idle: number): Promise<void> {
  const rows: string[][] = []
  const { forge: filled } = await makeSetting(executable, join(directory, 'memory'))
  await filled.stop()
  /** An idle forge over the filled data: just started, and after its rest. */
  const rest = async (seconds: number, environment: Record<string, string> = {}): Promise<{ begun: Memory; rested: Memory; threads: number }> => {
    const forge = await startForge({ executable, data: join(directory, 'memory', 'data'), log: join(directory, 'memory', 'serve.log'), environment })
    await (await fetch(`${forge.url}/api/readyz`)).text()
    const begun = memoryOf(forge.pid)
    await Bun.sleep(seconds * 1000)
    const rested = memoryOf(forge.pid)
    const threads = threadsOf(forge.pid)
    await forge.stop()
    return { begun, rested, threads }
  }
  const usual = await rest(idle)
  rows.push(memoryRow(`forge, after its first answer (${usual.threads} threads)`, usual.begun), memoryRow(`forge, ${idle} s idle`, usual.rested))
  const one = (await rest(5, { HEARTH_GIT_WORKERS: '1' })).rested
  const three = (await rest(5, { HEARTH_GIT_WORKERS: '3' })).rested
  rows.push(memoryRow('forge with 1 git worker, 5 s idle', one), memoryRow('forge with 3 git workers, 5 s idle', three))
  const each = { resident: (three.resident - one.resident) / 2, own: (three.own - one.own) / 2, code: (three.code - one.code) / 2 }
  rows.push(memoryRow('  so a worker costs', each))
  const runtime = await memoryOfScript(executable, '')
  const bun = await memoryOfScript(process.execPath, '')
  rows.push(memoryRow('bun -e, doing nothing', bun), memoryRow('the executable as bun -e, doing nothing', runtime))
  const open = `const { Database } = require('bun:sqlite'); const db = new Database(${JSON.stringify(join(directory, 'memory', 'data', 'hearth.db'))}, { readonly: true }); ` +
    `db.run('PRAGMA cache_size = -16384'); for (const { name } of db.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'").all()) db.query('SELECT count(*) FROM "' + name + '"').get()`
  const sqlite = await memoryOfScript(executable, open)
  rows.push(memoryRow('  the same with the database open and read', sqlite))
  const workers = Number(process.env['HEARTH_GIT_WORKERS'] ?? Math.max(1, Math.min(4, availableParallelism())))
  rows.push(
    memoryRow(`left for our own code and its data (${workers} workers)`, {
      resident: usual.rested.resident - sqlite.resident - workers * each.resident,
      own: usual.rested.own - sqlite.own - workers * each.own,
      code: usual.rested.code - sqlite.code - workers * each.code,
    }),
  )
  say('\nResident memory in MiB\n')
  say(table(['', 'resident', 'of its own', 'mapped code'], rows))
}

await runScript('bun scripts/bench.ts [options]', OPTIONS, async (options) => {
  const built = requireBuilt(options.executable)
  const directory = mkdtempSync(join(tmpdir(), 'hearth-bench-'))
  const executable = join(directory, 'hearth')
  copyFileSync(built, executable)
  const wanted = (part: string): boolean => options.only === 'all' || options.only === part
  try {
    say(`${availableParallelism()} cores, ${options.rounds} rounds of ${options.seconds} s, ${options.connections} clients for reads, ${options.writers} for writes\n`)
    if (wanted('start')) await start(executable, directory, Math.max(3, Number(options.rounds)))
    if (wanted('memory')) await memory(executable, directory, Number(options.idle))
    if (wanted('speed')) await speed(executable, directory, options)
    return 0
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
