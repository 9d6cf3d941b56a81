/** What comes over a forge while it serves: a disk that fills up, and a clock that was ahead. */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hearth as command } from '../system/drill/run.ts'
import { claim, startForge, type ForgeProcess } from '../../scripts/support/forge.ts'
import { git, runGit, withToken } from '../../scripts/support/git.ts'
import { EXECUTABLE, requireExecutable } from './forge.ts'

await requireExecutable()
const root = mkdtempSync(join(tmpdir(), 'hearth-trouble-'))
const disk = join(root, 'disk')
const running = new Set<ForgeProcess>()
afterAll(async () => {
  for (const forge of running) await forge.kill()
  if (existsSync(disk)) await Bun.spawn(['umount', disk], { stderr: 'ignore' }).exited
  rmSync(root, { recursive: true, force: true })
})

async function serve(
  data: string,
  environment: Record<string, string> = {},
): Promise<ForgeProcess> {
  const forge = await startForge({
    executable: EXECUTABLE,
    data,
    log: join(root, 'log'),
    environment,
  })
  running.add(forge)
  return forge
}

type Answer = {
  readonly status: number
  readonly retry: string | null
  readonly body: Record<string, unknown>
}

const asker =
  (forge: ForgeProcess, token: string) =>
  async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(forge.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    return {
      status: response.status,
      retry: response.headers.get('retry-after'),
      body: (await response.json()) as Record<string, unknown>,
    }
  }

const free = (): number => {
  const { bavail, bsize } = statfsSync(disk)
  return bavail * bsize
}

/** Takes all that is left but so many bytes. */
function fill(name: string, but = 0): void {
  try {
    writeFileSync(join(disk, name), new Uint8Array(Math.max(0, free() - but)))
  } catch (error) {
    // The forge took some of it meanwhile, so that it is as full as can be.
    if ((error as { code?: string }).code !== 'ENOSPC') throw error
  }
}

test('while the disk is full changes and pushes are refused in words and reading goes on; with room again it goes on by itself', async () => {
  mkdirSync(disk)
  // Only root may mount; the parts of this are in the tests of room, jobs and pushes.
  if (
    (await Bun.spawn(['mount', '-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', disk], {
      stdout: 'ignore',
      stderr: 'ignore',
    }).exited) !== 0
  )
    return
  const data = join(disk, 'data')
  const forge = await serve(data, { HEARTH_LIMITS_DISK_RESERVE: '2M' })
  const { token } = await claim(forge)
  const ask = asker(forge, token)
  const repo = '/api/v1/repos/acme/site'
  expect(
    (await ask('POST', '/api/v1/repos', { workspace: 'acme', name: 'site', private: false }))
      .status,
  ).toBe(200)
  expect((await ask('POST', `${repo}/issues`, { title: 'before' })).status).toBe(200)
  const clone = join(root, 'clone')
  const remote = withToken(`${forge.url}/acme/site.git`, token)
  mkdirSync(clone)
  await git(clone, 'init', '-q', '-b', 'main')
  const commit = async (name: string, bytes: number): Promise<string> => {
    writeFileSync(join(clone, name), randomBytes(bytes))
    await git(clone, 'add', '.')
    await git(clone, 'commit', '-q', '-m', name)
    return (await git(clone, 'rev-parse', 'HEAD')).trim()
  }
  await commit('first', 1000)
  await git(clone, 'push', '-q', remote, 'main')
  const heads = async () => (await git(clone, 'ls-remote', remote)).match(/refs\/heads\/\S+/g)

  // More comes than there is room for, though there was some when it began.
  await git(clone, 'checkout', '-q', '-b', 'large')
  await commit('large', 6 * 1024 * 1024)
  fill('most', 4 * 1024 * 1024)
  const left = free()
  const cut = await runGit(clone, ['push', '-q', remote, 'large'])
  expect([cut.status, cut.error]).toEqual([
    1,
    expect.stringContaining('the disk of the server is full'),
  ])
  expect(await heads()).toEqual(['refs/heads/main'])
  // What had come of it is gone.
  expect(free()).toBeGreaterThan(left - 512 * 1024)

  fill('rest')
  const full = {
    status: 503,
    retry: '60',
    body: {
      error: { code: 'unavailable', message: expect.stringContaining('disk of this site is full') },
    },
  }
  // What is free is asked at most once a second.
  let refused = await ask('POST', `${repo}/issues`, { title: 'too early' })
  let made = 1
  for (
    ;
    refused.status === 200;
    refused = await ask('POST', `${repo}/issues`, { title: 'too early' })
  )
    made++
  expect(refused).toMatchObject(full)
  await git(clone, 'checkout', '-q', '-b', 'small', 'main')
  const small = await commit('small', 1000)
  const turned = await runGit(clone, ['push', '-q', remote, 'small'])
  // Before it sends anything, or, within the second, when it has.
  expect([turned.status === 0, turned.error]).toEqual([
    false,
    expect.stringMatching(/the disk of (this site|the server) is full/),
  ])
  expect(await ask('GET', `${repo}/issues/1`)).toMatchObject({
    status: 200,
    body: { issue: { title: 'before' } },
  })
  expect((await fetch(`${forge.url}/acme/site`)).status).toBe(200)
  expect((await runGit(root, ['clone', '-q', remote, 'reading'])).status).toBe(0)
  expect((await fetch(`${forge.url}/livez`)).status).toBe(200)
  expect(await ask('GET', '/readyz')).toMatchObject({
    status: 503,
    body: {
      checks: {
        // Its log may have room left that it used before.
        database: expect.stringMatching(/^(ok|cannot be written)$/),
        data_directory: 'cannot be written',
        git: 'ok',
      },
    },
  })

  for (const name of ['most', 'rest']) rmSync(join(disk, name))
  let again = await ask('POST', `${repo}/issues`, { title: 'after' })
  while (again.status === 503) again = await ask('POST', `${repo}/issues`, { title: 'after' })
  expect(again).toMatchObject({ status: 200, body: { number: made + 1 } })
  await git(clone, 'push', '-q', remote, 'small', 'large')
  expect(await git(clone, 'ls-remote', remote, 'small')).toContain(small)
  expect(await forge.stop()).toBe(0)
  // Of this small disk it says that it has little room, and of all else that it is sound.
  const { out } = await command(EXECUTABLE, ['doctor', '--data', data])
  for (const part of [
    'database',
    'git stores',
    'orphan stores',
    'files',
    'leftovers',
    'failed jobs',
  ])
    expect(out).toContain(`${part}: sound\n`)
}, 120_000)

test('after a clock that was ahead, what is new still comes after what is old, and the doctor says what happened', async () => {
  const data = join(root, 'ahead')
  const first = await serve(data)
  const { token } = await claim(first)
  expect(
    (await asker(first, token)('POST', '/api/v1/repos', { workspace: 'acme', name: 'old' })).status,
  ).toBe(200)
  expect(await first.stop()).toBe(0)
  const db = new Database(join(data, 'hearth.db'))
  // As if the last event, and the plans of all jobs, had been made by a clock of the year 2099.
  const event = db.query<{ id: string }, []>('SELECT max(id) AS id FROM events').get()?.id ?? ''
  const late = `evt_03${event.slice('evt_03'.length)}`
  db.run('UPDATE events SET id = ?, time = ? WHERE id = ?', [
    late,
    '2099-01-01T00:00:00.000Z',
    event,
  ])
  db.run(
    `UPDATE jobs SET run_at = run_at + unixepoch('2099-01-01') * 1000 - unixepoch() * 1000, updated_at = '2099-01-01T00:00:00.000Z'`,
  )
  db.close()

  const second = await serve(data)
  const ask = asker(second, token)
  expect((await ask('POST', '/api/v1/repos', { workspace: 'acme', name: 'site' })).status).toBe(200)
  expect(await second.stop()).toBe(0)
  const after = new Database(join(data, 'hearth.db'), { readonly: true })
  const newest = after
    .query<{ id: string; type: string }, []>('SELECT id, type FROM events ORDER BY id DESC LIMIT 1')
    .get()
  expect(newest?.id).not.toBe(late)
  expect(newest?.type).toStartWith('repo')
  // No sweep waits for that year.
  expect(
    after
      .query('SELECT count(*) AS n FROM jobs WHERE run_at > (unixepoch() + 40 * 86400) * 1000')
      .get(),
  ).toEqual({ n: 0 })
  after.close()
  const { status, out } = await command(EXECUTABLE, ['doctor', '--data', data])
  expect([status, out]).toEqual([
    0,
    expect.stringContaining('the clock of this machine was once ahead'),
  ])
}, 120_000)
