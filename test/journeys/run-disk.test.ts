/** Jobs that meet a full disk: each ends with a clear reason, the forge lives on, what is listed is whole. */
import { afterAll, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  statfsSync,
} from 'node:fs'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, startForge, type ForgeProcess } from '../../scripts/support/forge.ts'
import { git, runGit, withToken } from '../../scripts/support/git.ts'
import { EXECUTABLE, requireExecutable } from './forge.ts'

await requireExecutable()
const root = mkdtempSync(join(tmpdir(), 'hearth-run-disk-'))
const disk = join(root, 'disk')
const data = join(disk, 'data')
let forge: ForgeProcess | null = null
afterAll(async () => {
  await forge?.kill()
  if (existsSync(disk)) await Bun.spawn(['umount', disk], { stderr: 'ignore' }).exited
  rmSync(root, { recursive: true, force: true })
})

const MIB = 1024 ** 2
/** Whoever notices first says it: the log, the watch over the job, or the store of files. */
const FULL = /disk of the server is (nearly )?full|no room for this file/
const free = (): number => {
  const { bavail, bsize } = statfsSync(disk)
  return bavail * bsize
}
const ballast = join(disk, 'ballast')

/** Leaves so many bytes. */
function leave(bytes: number): void {
  rmSync(ballast, { force: true })
  writeFileSync(ballast, new Uint8Array(Math.max(0, free() - bytes)))
}

/** What is listed was stored before the disk was full, and is whole. */
function requireWhole(items: readonly Json[]): void {
  if (items.length === 0) return
  const blobs = join(data, 'blobs')
  const sizes = readdirSync(blobs, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [statSync(join(entry.parentPath, entry.name)).size] : [],
  )
  for (const { size_in_bytes } of items) expect(sizes).toContain(Number(size_in_bytes))
}

type Json = Readonly<Record<string, unknown>>

async function begin(): Promise<{
  run: (step: string) => Promise<{ reason: string; conclusion: string; text: string; id: string }>
  list: (path: string) => Promise<Json[]>
}> {
  forge = await startForge({
    executable: EXECUTABLE,
    data,
    log: join(root, 'log'),
    environment: {
      PATH: process.env.PATH ?? '',
      HEARTH_JOBS_NETWORK: 'none',
      HEARTH_LIMITS_DISK_RESERVE: '260M',
    },
  })
  const { url } = forge
  const { token } = await claim(forge)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const ask = async (method: string, path: string, body?: unknown): Promise<Response> => {
    for (;;) {
      const init = {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }
      const answer = await fetch(`${url}/api/v1${path}`, init)
      if (answer.status !== 503) return answer
      await Bun.sleep(200)
    }
  }
  const repo = '/repos/acme/site'
  const list = async (path: string): Promise<Json[]> =>
    (await (await ask('GET', `${repo}${path}`)).json()) as Json[]
  await ask('POST', '/repos', { workspace: 'acme', name: 'site' })
  const work = join(root, 'work')
  mkdirSync(join(work, '.hearth', 'workflows'), { recursive: true })
  await git(work, 'init', '-q', '-b', 'main')
  return {
    list,
    async run(steps) {
      const before = new Set((await list('/actions/runs')).map(({ id }) => id))
      const job = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`
      writeFileSync(join(work, '.hearth', 'workflows', 'ci.yml'), job)
      await git(work, 'add', '-A')
      await git(work, 'commit', '-q', '--allow-empty', '-m', 'Change')
      await pushWhenThereIsRoom(work, `${withToken(url, token)}/acme/site.git`)
      for (;;) {
        const found = (await list('/actions/runs')).find(({ id }) => !before.has(id))
        if (found?.status === 'completed') {
          const [one] = await list(`/actions/runs/${String(found.id)}/jobs`)
          const log = await fetch(`${url}/api/v1${repo}/actions/jobs/${String(one?.id)}/log`, {
            headers: { ...headers, accept: 'text/plain' },
          })
          return {
            id: String(found.id),
            conclusion: String(one?.conclusion),
            reason: String(one?.reason),
            text: await log.text(),
          }
        }
        await Bun.sleep(50)
      }
    },
  }
}

/** What a job before left is still being removed, so a push may come before there is room again. */
async function pushWhenThereIsRoom(work: string, remote: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { status, error } = await runGit(work, ['push', '-q', remote, 'main'])
    if (status === 0) return
    if (tries === 100 || !error.includes('disk of this site is full')) throw new Error(error)
    await Bun.sleep(200)
  }
}

test('a log, an artifact and a cache that meet a full disk end their job in words', async () => {
  mkdirSync(disk)
  // Only root may mount. What is refused is in the tests of blobs and of jobs too.
  const mounted = Bun.spawn(['mount', '-t', 'tmpfs', '-o', 'size=700m', 'tmpfs', disk], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  if ((await mounted.exited) !== 0) return
  const { run, list } = await begin()
  expect(await run('      - run: echo fine\n')).toMatchObject({ conclusion: 'success' })

  // Its own files: the job is watched, and ends before the disk is full.
  leave(266 * MIB)
  const filling = await run('      - run: head -c 200000000 /dev/urandom > big; sleep 120\n')
  expect(filling.conclusion).toBe('failure')
  expect(`${filling.text} ${filling.reason}`).toMatch(FULL)

  // Its log is the forge's.
  leave(266 * MIB)
  const printing = await run(
    '      - run: i=0; while [ $i -lt 400 ]; do head -c 75000 /dev/zero | tr "\\\\0" x | fold -w 100; echo; i=$((i+1)); done\n',
  )
  expect(printing.conclusion).toBe('failure')
  // Either the log meets the reserve first, or the job is ended for the room that is left.
  expect(`${printing.text.slice(-400)} ${printing.reason}`).toMatch(FULL)
  expect(free()).toBeGreaterThan(200 * MIB)

  leave(300 * MIB)
  const uploading = await run(
    '      - run: head -c 30000000 /dev/urandom > big\n      - { uses: actions/upload-artifact@v4, with: { name: big, path: big } }\n',
  )
  expect(uploading.conclusion).toBe('failure')
  expect(`${uploading.text} ${uploading.reason}`).toMatch(FULL)
  requireWhole(await list(`/actions/runs/${uploading.id}/artifacts`))

  leave(300 * MIB)
  const saving = await run(
    '      - { uses: actions/cache@v4, with: { key: big, path: big } }\n      - run: head -c 30000000 /dev/urandom > big\n',
  )
  // As with the stock action, a cache that cannot be saved is a warning.
  expect(`${saving.text} ${saving.reason}`).toMatch(FULL)
  requireWhole(await list('/actions/caches'))

  rmSync(ballast)
  expect(await run('      - run: echo again\n')).toMatchObject({ conclusion: 'success' })
  const after = await run(
    '      - run: echo small > small\n      - { uses: actions/upload-artifact@v4, with: { name: small, path: small } }\n',
  )
  expect(after.conclusion).toBe('success')
  expect((await fetch(`${forge?.url}/readyz`)).status).toBe(200)
}, 240_000)
