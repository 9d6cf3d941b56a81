/**
 * How a forge does that holds much: 10,000 repositories and 1,000,000 events unless told otherwise.
 * It is filled, started until its background work is done, then started several times for the time
 * from exec to its first answer and to being ready; its memory is read at rest; and its main pages
 * are asked for, with how much they ask of the database and what of it is slow. A directory that
 * was filled before can be given again.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Database } from 'bun:sqlite'
import { makeLarge } from './forge/large-forge.ts'
import { makeSetting, REPO } from './forge/setting.ts'
import { SteadyLoad } from './forge/steady-load.ts'
import { memoryOf } from './forge/memory.ts'
import { table, whole } from './forge/table.ts'
import { cpuOf } from './forge/vitals.ts'
import { median } from './forge/wrk.ts'
import { EXECUTABLE, OWNER, requireBuilt, startForge, type ForgeProcess } from '../support/forge.ts'
import { runScript, type Option } from '../support/options.ts'

const OPTIONS = {
  repositories: { kind: 'count', default: '10000', help: 'How many repositories.' },
  events: { kind: 'count', default: '1000000', help: 'How many events, about.' },
  starts: { kind: 'count', default: '7', help: 'How often it is started.' },
  times: { kind: 'count', default: '20', help: 'How often each page is asked for.' },
  settle: {
    kind: 'count',
    default: '20',
    help: 'Minutes that background work (the search index) may take before anything is measured.',
  },
  idle: { kind: 'count', default: '20', help: 'Seconds of rest before memory is read.' },
  slow: {
    kind: 'count',
    default: '20',
    help: 'Milliseconds from which on a question to the database is shown.',
  },
  directory: {
    kind: 'text',
    default: '',
    help: 'Where it is kept and found again; a temporary one that is removed unless given.',
  },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

type Kept = {
  readonly token: string
  readonly cookie: string
  readonly counts: Record<string, number>
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const WORKSPACES = 200
/** A repository in the middle of all, in a workspace that the reader belongs to. */
function placeOf(repositories: number): string {
  const n = Math.floor(repositories / 2 / WORKSPACES) * WORKSPACES + 7
  return `team-${n % WORKSPACES}/project-${n}`
}

async function fill(
  executable: string,
  directory: string,
  repositories: number,
  events: number,
): Promise<Kept> {
  const { forge, token, cookie } = await makeSetting(executable, directory)
  const wanted = Math.ceil(events / repositories)
  const load = new SteadyLoad({ forge, token, cookie }, join(directory, 'clones'))
  const have = (): number => {
    const db = new Database(join(directory, 'data', 'hearth.db'), { readonly: true })
    const count =
      db.query<{ count: number }, []>('SELECT count(*) AS count FROM events').get()?.count ?? 0
    db.close()
    return count
  }
  for (let n = 0; have() < wanted; n++) await load.round(n)
  await forge.stop()
  for (const [what, count] of load.counts.failures) say(`failed ${count} times: ${what}`)
  const began = performance.now()
  const counts = await makeLarge({
    data: join(directory, 'data'),
    repo: REPO,
    owner: OWNER.username,
    repositories,
    workspaces: WORKSPACES,
    people: 1000,
    notifications: Math.min(20_000, repositories * 3),
    audit: Math.min(200_000, repositories * 20),
    say,
  })
  say(
    `filled in ${whole((performance.now() - began) / 1000)} s: ${Object.entries(counts)
      .map(([name, count]) => `${whole(count)} ${name}`)
      .join(', ')}`,
  )
  const kept = { token, cookie, counts }
  writeFileSync(join(directory, 'kept.json'), JSON.stringify(kept))
  return kept
}

/** Waits until nothing is left to be taken into the index and no job is due. */
async function settle(data: string, most: number): Promise<boolean> {
  const db = new Database(join(data, 'hearth.db'), { readonly: true })
  const left = db.query<{ left: number }, [number]>(
    `SELECT (SELECT count(*) FROM search_marks) + (SELECT count(*) FROM jobs WHERE state = 'running' OR (state = 'waiting' AND run_at <= ?)) AS left`,
  )
  try {
    for (const until = performance.now() + most; performance.now() < until; ) {
      // Twice in a row: what ends may begin something.
      if (left.get(Date.now())?.left === 0) {
        await Bun.sleep(2000)
        if (left.get(Date.now())?.left === 0) return true
      }
      await Bun.sleep(1000)
    }
    return false
  } finally {
    db.close()
  }
}

async function starts(open: () => Promise<ForgeProcess>, times: number): Promise<string> {
  const columns: number[][] = [[], [], [], []]
  for (let n = 0; n < times; n++) {
    const began = performance.now()
    const forge = await open()
    await (await fetch(`${forge.url}/livez`)).text()
    const first = performance.now() - began
    const ready = await fetch(`${forge.url}/readyz`)
    if (ready.status !== 200)
      throw new Error(`/readyz answered ${ready.status}: ${await ready.text()}`)
    await ready.text()
    ;[forge.announced, first, performance.now() - began, cpuOf(forge.pid) * 1000].forEach(
      (value, at) => columns[at]?.push(value),
    )
    await forge.stop()
  }
  const row = (name: string, how: (values: readonly number[]) => number): string[] => [
    name,
    ...columns.map((values) => whole(how(values))),
  ]
  return table(
    ['milliseconds since exec', 'listening', 'first answer', 'ready', 'cpu until then'],
    [row('median', median), row('most', (values) => Math.max(...values))],
  )
}

async function pages(
  forge: ForgeProcess,
  kept: Kept,
  times: number,
  place: string,
): Promise<string> {
  const [team = ''] = place.split('/')
  const signedIn: Record<string, string> = { cookie: kept.cookie }
  const token: Record<string, string> = { authorization: `Bearer ${kept.token}` }
  const asked: readonly (readonly [string, string, Record<string, string>])[] = [
    ['the front page, signed out', '/', {}],
    ['dashboard', '/', signedIn],
    ['explore, signed out', '/explore', {}],
    ['explore', '/explore', signedIn],
    ['explore, page 50', '/explore?page=50', signedIn],
    ['a person with all of its events', `/${OWNER.username}`, signedIn],
    ['the same, signed out', `/${OWNER.username}`, {}],
    ['a workspace', `/${team}`, signedIn],
    ['its activity', `/${team}/-/activity`, signedIn],
    ['a repository', `/${place}`, signedIn],
    ['its issues', `/${place}/issues`, signedIn],
    ['its pull requests', `/${place}/pulls`, signedIn],
    ['its activity', `/${place}/activity`, signedIn],
    ['notifications', '/notifications', signedIn],
    ['search for an issue', '/search?q=door+squeaks&type=issues', signedIn],
    ['search for a repository', '/search?q=project-77&type=repos', signedIn],
    ['search for code', '/search?q=turn&type=code', signedIn],
    ['search for a person', '/search?q=person-77&type=people', signedIn],
    ['audit log', '/admin/audit', signedIn],
    ['audit log of an action', '/admin/audit?action=site.settings_changed', signedIn],
    ['site status', '/admin', signedIn],
    ['users', '/admin/users', signedIn],
    ['workspaces', '/admin/workspaces', signedIn],
    ['jobs', '/admin/jobs', signedIn],
    ['settings', '/admin/settings', signedIn],
    ['backups', '/admin/backups', signedIn],
    ['audit log of a workspace', `/${team}/-/audit`, signedIn],
    ['GET /v1/repos', '/api/v1/repos', token],
    ['GET /v1/user', '/api/v1/user', token],
    ['GET /notifications', '/api/v1/notifications', token],
    ['events of a repository', `/api/v1/repos/${place}/events`, token],
    ['GET /admin/audit', '/api/v1/admin/audit-log', token],
    ['metrics', '/metrics', token],
  ]
  const rows: string[][] = []
  const questions = async (): Promise<number> =>
    Number(
      /^hearth_database_queries_total (\d+)$/m.exec(
        await (await fetch(`${forge.url}/metrics`, { headers: token })).text(),
      )?.[1],
    )
  // What asking for the number asks itself.
  const own = -(await questions()) + (await questions())
  for (const [name, path, headers] of asked) {
    const took: number[] = []
    let status = 0
    let bytes = 0
    const asked = await questions()
    const before = cpuOf(forge.pid)
    for (let n = 0; n < times; n++) {
      const began = performance.now()
      const response = await fetch(forge.url + path, { headers, redirect: 'manual' })
      bytes = (await response.text()).length
      took.push(performance.now() - began)
      status = response.status
    }
    const sorted = took.toSorted((a, b) => a - b)
    const cpu = (1000 * (cpuOf(forge.pid) - before)) / times
    const each = ((await questions()) - asked - own) / times
    rows.push([
      name,
      String(status),
      median(sorted).toFixed(1),
      (sorted.at(-1) ?? 0).toFixed(1),
      (took[0] ?? 0).toFixed(1),
      cpu.toFixed(1),
      each.toFixed(0),
      whole(bytes),
    ])
  }
  return table(['page', 'status', 'p50 ms', 'most', 'first', 'cpu ms', 'questions', 'bytes'], rows)
}

/** What the log says was slow: how often, at most how long, and what. */
function slowQueries(log: string): string {
  const slow = new Map<string, { count: number; most: number }>()
  for (const line of log.split('\n')) {
    if (!line.includes('"slow query"')) continue
    const { sql, ms } = JSON.parse(line) as { sql: string; ms: number }
    const known = slow.get(sql) ?? { count: 0, most: 0 }
    slow.set(sql, { count: known.count + 1, most: Math.max(known.most, ms) })
  }
  const rows = [...slow]
    .sort(([, a], [, b]) => b.most - a.most)
    .map(
      ([sql, { count, most }]) =>
        `${most.toFixed(0).padStart(6)} ms at most, ${count} times: ${sql}`,
    )
  return rows.length === 0 ? 'no question to the database was slow' : rows.join('\n')
}

if (import.meta.main) {
  await runScript('bun scripts/bench/size.ts [options]', OPTIONS, async (options) => {
    const directory =
      options.directory === '' ? mkdtempSync(join(tmpdir(), 'hearth-size-')) : options.directory
    mkdirSync(directory, { recursive: true })
    const executable = join(directory, 'hearth')
    copyFileSync(requireBuilt(options.executable), executable)
    const repositories = Number(options.repositories)
    const [data, log] = [join(directory, 'data'), join(directory, 'serve.log')]
    const open = (): Promise<ForgeProcess> =>
      startForge({ executable, data, log, environment: { HEARTH_LOG_SLOW_QUERY_MS: options.slow } })
    try {
      say(`${availableParallelism()} cores, load of the machine ${loadavg()[0]?.toFixed(1)}`)
      const kept = existsSync(join(directory, 'kept.json'))
        ? (JSON.parse(readFileSync(join(directory, 'kept.json'), 'utf8')) as Kept)
        : await fill(executable, directory, repositories, Number(options.events))
      writeFileSync(log, '')
      const first = await open()
      const began = performance.now()
      const settled = await settle(data, Number(options.settle) * 60_000)
      say(
        `background work after the first start ${settled ? 'was done' : 'was not done'} after ${whole((performance.now() - began) / 1000)} s`,
      )
      await first.stop()
      say(slowQueries(readFileSync(log, 'utf8')))
      writeFileSync(log, '')
      say(await starts(open, Number(options.starts)))
      say(slowQueries(readFileSync(log, 'utf8')))
      writeFileSync(log, '')
      const forge = await open()
      const rest = async (when: string): Promise<string[]> => {
        const cpu = cpuOf(forge.pid)
        await Bun.sleep(Number(options.idle) * 1000)
        const { resident, own, code } = memoryOf(forge.pid)
        return [
          when,
          resident.toFixed(0),
          own.toFixed(0),
          code.toFixed(0),
          ((1000 * (cpuOf(forge.pid) - cpu)) / Math.max(1, Number(options.idle))).toFixed(1),
        ]
      }
      const fresh = await rest('after the start')
      say(await pages(forge, kept, Number(options.times), placeOf(repositories)))
      say(
        table(
          [
            `MiB after ${options.idle} s of rest`,
            'resident',
            'its own',
            'of files',
            'cpu ms a second',
          ],
          [fresh, await rest('after all pages')],
        ),
      )
      await forge.stop()
      say(slowQueries(readFileSync(log, 'utf8')))
      return 0
    } finally {
      if (options.directory === '') rmSync(directory, { recursive: true, force: true })
    }
  })
}
