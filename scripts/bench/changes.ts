/**
 * How long `get_pull_changes` takes on a pull request that is large: `bun
 * scripts/bench/changes.ts`. One with 300 files of 200 lines, and one with a file of 50,000 lines,
 * asked for as a whole and by its path. Prints milliseconds of the first answer and the median of
 * ten, the longest time that the event loop stood still, and the memory that the process gained.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHearth } from '#src/app.ts'
import { call } from '#core/operation.ts'
import { writeAs } from '#core/write.ts'
import { insertUser } from '#features/accounts/store/users.ts'
import { userCaller } from '#features/accounts/index.ts'
import { createPull, getPullChanges } from '#features/pulls/index.ts'
import {
  branchRef,
  createCommit,
  createRepo,
  moveRefs,
  prepareUpdates,
  readRef,
  repoByPath,
} from '#features/repos/index.ts'
import { createWorkspace } from '#features/workspaces/index.ts'
import { silentLog } from '#lib/log.ts'
import { systemClock } from '#lib/time.ts'
import { typeId } from '#core/ids.ts'
import { testSettings } from '../../test/settings.ts'

const data = mkdtempSync(join(tmpdir(), 'hearth-changes-'))
const hearth = openHearth({
  settings: testSettings(data, {
    git: {
      workers: 2,
      concurrency: 4,
      places_per_caller: 2,
      memory_budget: 256 * 1024 * 1024,
      kept_bytes: 0,
      max_object_bytes: 256 * 1024 ** 2,
      max_pack_bytes: 2 * 1024 ** 3,
      old_faults: 'first_push',
    },
  }),
  log: silentLog,
  clock: systemClock,
  databasePath: join(data, 'hearth.db'),
})
const id = typeId('usr', systemClock.now())
await writeAs(hearth, null, (tx) =>
  insertUser(tx, {
    id,
    username: 'ada',
    email: 'ada@example.com',
    name: null,
    password_hash: null,
    verified: true,
    site_admin: true,
  }),
)
const ada = userCaller(hearth.db, id)
if (!ada) throw new Error('no caller')
await call(hearth, createWorkspace, ada, { slug: 'acme' })
await call(hearth, createRepo, ada, { workspace: 'acme', name: 'site' })
const repo = 'acme/site'
const row = () => {
  const found = repoByPath(hearth.db, repo)
  if (!found) throw new Error('no repository')
  return found
}
const lines = (count: number, word: string) =>
  `${Array.from({ length: count }, (_, at) => `${word} ${at % 7 === 0 ? 'changed' : 'line'} ${at}`).join('\n')}\n`
type Put = { path: string; action: 'put'; content: string }
const many = (word: string): Put[] =>
  Array.from({ length: 300 }, (_, at) => ({
    path: `src/part${at % 20}/file${at}.ts`,
    action: 'put',
    content: lines(200, at % 3 === 0 ? word : 'const').replaceAll('changed', word),
  }))
await call(hearth, createCommit, ada, {
  repo,
  branch: 'main',
  message: 'Begin',
  files: [...many('before'), { path: 'huge.txt', action: 'put', content: lines(50_000, 'row') }],
})

async function pull(branch: string, files: Put[]): Promise<number> {
  const from = readRef(hearth.db, row().id, branchRef('main'))
  const moves = await prepareUpdates(hearth, row(), [
    { name: branchRef(branch), old: null, new: from },
  ])
  await writeAs(hearth, ada, (tx) => moveRefs(tx, row(), moves))
  await call(hearth, createCommit, ada ?? never(), { repo, branch, message: 'Change', files })
  return (await call(hearth, createPull, ada ?? never(), { repo, title: branch, branch })).pull
    .number
}
const never = () => {
  throw new Error('nobody')
}

async function measure(name: string, ask: () => Promise<unknown>): Promise<void> {
  let longest = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - 2)
    last = now
  }, 2)
  Bun.gc(true)
  const memory = process.memoryUsage.rss()
  const times: number[] = []
  let peak = memory
  for (let round = 0; round < 11; round++) {
    const began = performance.now()
    await ask()
    times.push(performance.now() - began)
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  clearInterval(timer)
  const [first = 0, ...rest] = times
  const median = rest.sort((a, b) => a - b)[5] ?? 0
  process.stdout.write(
    `${name}: first ${first.toFixed(0)} ms, median ${median.toFixed(0)} ms, loop held up ${longest.toFixed(0)} ms at most, ${((peak - memory) / 2 ** 20).toFixed(0)} MiB more\n`,
  )
}

const wide = await pull('wide', many('after'))
const long = await pull('long', [
  { path: 'huge.txt', action: 'put', content: lines(50_000, 'line') },
])
await measure('300 files', () =>
  call(hearth, getPullChanges, ada, { repo, number: wide, per_page: 300 }),
)
await measure('100 files', () => call(hearth, getPullChanges, ada, { repo, number: wide }))
await measure('a file of 50,000 lines among all', () =>
  call(hearth, getPullChanges, ada, { repo, number: long }),
)
await measure('the same by its path', () =>
  call(hearth, getPullChanges, ada, { repo, number: long, path: 'huge.txt' }),
)
await hearth.close()
rmSync(data, { recursive: true, force: true })
