/** Requests a second of the forge beside what is bare, all in turn in one run. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startForge } from '../../support/forge.ts'
import { RECORDED_NUMBER, startBare, type Bare } from './bare.ts'
import { memoryOf } from './memory.ts'
import { recordGetIssue } from './record-queries.ts'
import {
  addManyIssues,
  FIRST_READ,
  keep,
  makeSetting,
  READS,
  REPO,
  WRITE,
  type Case,
  type Setting,
} from './setting.ts'
import { mib, ratio, table, whole } from './table.ts'
import { load, median, requireWrk, type Measured } from './wrk.ts'

export type SpeedOptions = {
  rounds: number
  seconds: number
  connections: number
  writers: number
  idle: number
}

/** One that answers the requests of a race. */
type Contender = {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly headers: Record<string, string>
  readonly measured: Measured[]
}

type Race = {
  readonly name: string
  readonly body: string | undefined
  readonly numbers?: number
  readonly connections: number
  readonly contenders: readonly Contender[]
}

/** Measures all races and gives the tables as text. */
export async function speed(
  executable: string,
  directory: string,
  options: SpeedOptions,
): Promise<string> {
  requireWrk()
  const settings: Setting[] = []
  const bares: Bare[] = []
  try {
    const usual = await makeSetting(executable, join(directory, 'usual'))
    settings.push(usual)
    const quiet = await makeSetting(executable, join(directory, 'quiet'), {
      HEARTH_LOG_LEVEL: 'warn',
    })
    settings.push(quiet)
    const kept = await Promise.all(READS.map((test) => keep(usual, test)))
    writeFileSync(join(directory, 'answers.json'), JSON.stringify(kept))
    const answers = await startBare('answers', join(directory, 'answers.json'))
    bares.push(answers)
    const each = await startBare('inserts', join(directory, 'each.db'), 'each')
    bares.push(each)
    const grouped = await startBare('inserts', join(directory, 'grouped.db'), 'grouped')
    bares.push(grouped)

    const forges = ({ path, headers }: Case): [Contender, Contender] => [
      contender('forge', usual.forge, path, headers(usual)),
      contender('forge without request log', quiet.forge, path, headers(quiet)),
    ]
    const bare = (
      name: string,
      { url, pid }: Bare,
      { path, headers }: Case,
      prefix: string | null,
    ) => contender(name, { url, pid }, prefix === null ? '/' : prefix + path, headers(usual))
    const races: Race[] = READS.map((test, at) => {
      const [forge, withoutLog] = forges(test)
      return {
        name: `${test.name}, ${whole((kept[at]?.body ?? '').length)} bytes`,
        body: test.body,
        connections: options.connections,
        contenders: [
          forge,
          bare('bare route', answers, test, '/plain'),
          bare('bare route, same headers', answers, test, '/full'),
          withoutLog,
        ],
      }
    })
    const many = await makeManyIssues(executable, join(directory, 'many'))
    settings.push(many.setting)
    const queries = await startBare('queries', many.database, many.queries)
    bares.push(queries)
    races.push({
      name: FIRST_READ.name,
      body: undefined,
      numbers: FIRST_READ.numbers,
      connections: options.connections,
      contenders: [
        contender('forge', many.setting.forge, FIRST_READ.path, FIRST_READ.headers(many.setting)),
        contender('bare route, same queries', queries, FIRST_READ.path, {}),
      ],
    })
    const [forge, withoutLog] = forges(WRITE)
    races.push({
      name: WRITE.name,
      body: WRITE.body,
      connections: options.writers,
      contenders: [
        forge,
        bare('bare insert with its event, grouped', grouped, WRITE, null),
        bare('bare insert with its event, each its own commit', each, WRITE, null),
        withoutLog,
      ],
    })

    await run(races, options, directory)
    const after = memoryOf(usual.forge.pid)
    await Bun.sleep(options.idle * 1000)
    const rested = memoryOf(usual.forge.pid)
    const memory = `resident after this load: ${mib(after.resident)} MiB, and ${options.idle} s later: ${mib(rested.resident)} MiB\n`
    return [...races.map(report), memory].join('\n')
  } finally {
    for (const one of bares) one.stop()
    for (const { forge } of settings) await forge.stop()
  }
}

/** A forge with many issues, and the queries that one of them takes. */
async function makeManyIssues(
  executable: string,
  place: string,
): Promise<{ setting: Setting; database: string; queries: string }> {
  const first = await makeSetting(executable, place)
  await first.forge.stop()
  const data = join(place, 'data')
  addManyIssues(data)
  const queries = join(place, 'queries.json')
  const { token } = first
  const recorded = await recordGetIssue(data, { token, repo: REPO, number: RECORDED_NUMBER })
  writeFileSync(queries, JSON.stringify(recorded))
  const forge = await startForge({ executable, data, log: join(place, 'serve.log') })
  return { setting: { ...first, forge }, database: join(data, 'hearth.db'), queries }
}

type Server = { readonly url: string; readonly pid: number }

const contender = (
  name: string,
  { url, pid }: Server,
  path: string,
  headers: Record<string, string>,
): Contender => ({
  name,
  url: url + path,
  pid,
  headers,
  measured: [],
})

/** All contenders of all races in turn, so that whatever else the machine does hits all alike. */
async function run(
  races: readonly Race[],
  { rounds, seconds }: SpeedOptions,
  directory: string,
): Promise<void> {
  for (let round = 0; round <= rounds; round++) {
    for (const { body, numbers, connections, contenders } of races) {
      for (const { url, pid, headers, measured } of contenders) {
        const result = await load(
          { url, pid, headers, body, numbers, connections, seconds: round === 0 ? 1 : seconds },
          directory,
        )
        // The first round is to warm up.
        if (round > 0) measured.push(result)
      }
    }
  }
}

/** Both ratios say how the forge stands to the contender: 1 is as good, 0.5 half as good. */
function report({ name, contenders }: Race): string {
  const middle = ({ measured }: Contender, of: keyof Measured): number =>
    median(measured.map((one) => one[of]))
  const [first] = contenders
  if (!first) return ''
  const head = [
    '',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'cpu µs',
    'rate ratio',
    'cpu ratio',
    'requests/s of all rounds',
  ]
  const rows = contenders.map((one) => [
    one.name,
    whole(middle(one, 'rate')),
    ratio(middle(one, 'p50')),
    ratio(middle(one, 'p99')),
    middle(one, 'cpu').toFixed(1),
    ratio(middle(first, 'rate') / middle(one, 'rate')),
    ratio(middle(one, 'cpu') / middle(first, 'cpu')),
    one.measured.map((each) => whole(each.rate)).join(' '),
  ])
  return `${name}\n${table(head, rows)}`
}
