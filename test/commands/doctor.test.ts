import { expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { layout } from '#src/app.ts'
import { openDatabase } from '#core/db.ts'
import { repoByPath } from '#features/repos/index.ts'
import { installationKey } from '#lib/installation-key.ts'
import { makeWorld } from '../world.ts'
import { PROGRAM } from './program.ts'

/** Runs the program. */
async function doctor(data: string, ...args: string[]) {
  const child = Bun.spawn([...PROGRAM, 'doctor', '--data', data, ...args], {
    cwd: join(import.meta.dir, '..', '..'),
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: '/nonexistent', HOME: '/nonexistent' },
  })
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, error, status }
}

const LASTING = [
  'database',
  'audit log',
  'git stores',
  'orphan stores',
  'files',
  'leftovers',
  'permissions',
  'clock',
]
const isSound = (out: string, ...checks: string[]): string[] =>
  checks.filter((check) => !out.includes(`${check}: sound\n`))

test('a sound forge is reported as sound; each kind of damage is found and changes the exit status', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.workspace('other', { owner: ada })
  await world.repo('acme/site')
  await world.commit('acme/site', 'main', { 'a.txt': 'a\n'.repeat(2000) })
  const sound = await doctor(world.data)
  expect([sound.status, sound.error, isSound(sound.out, ...LASTING)]).toEqual([0, '', []])
  // A note is no fault.
  expect(sound.out).toContain('backups: 1 note\n  no backup of this forge is known\n')

  // Somebody rewrites the log, past the triggers that forbid it.
  const database = openDatabase({ path: layout(world.data).database })
  database.exec('DROP TRIGGER audit_log_is_not_changed')
  database.run(
    `UPDATE audit_log SET actor_id = 'usr_other' WHERE id = (SELECT min(id) FROM audit_log)`,
  )
  const second =
    database.one<{ id: string }>('SELECT id FROM audit_log ORDER BY id LIMIT 1 OFFSET 1')?.id ??
    'none'
  const rewritten = await doctor(world.data)
  expect([rewritten.status, isSound(rewritten.out, ...LASTING)]).toEqual([1, ['audit log']])
  expect(rewritten.out).toContain(
    `audit log: 1 fault\n  the chain is broken at ${second}: an entry before it was changed or taken out\n`,
  )

  // A row that points at nothing, and a pack with a byte that is not as it was.
  database.exec('PRAGMA foreign_keys = OFF')
  database.run(
    `INSERT INTO members (workspace_id, user_id, role, joined_at) VALUES ('wsp_gone', ?, 'member', '2026-01-01T00:00:00.000Z')`,
    ada.id,
  )
  database.close()
  const store = join(
    layout(world.data).repos,
    repoByPath(world.hearth.db, 'acme/site')?.store ?? '',
  )
  const file =
    readdirSync(store, { recursive: true })
      .map(String)
      .find((name) => name.endsWith('.pack')) ?? ''
  const bytes = readFileSync(join(store, file))
  bytes[bytes.length - 30] = (bytes[bytes.length - 30] ?? 0) ^ 0xff
  rmSync(join(store, file))
  writeFileSync(join(store, file), bytes)
  // What cannot be mended without a loss is not touched by --fix either.
  const { out, status } = await doctor(world.data, '--fix')
  expect(status).toBe(1)
  expect(out).toContain('database: 1 fault\n  a row of members points at nothing in workspaces')
  expect(out).toMatch(/git stores: \d+ faults?\n {2}rep_/)
  expect(out).toContain('acme/site')
  expect(Buffer.compare(readFileSync(join(store, file)), bytes)).toBe(0)
}, 120_000)

test('--fix repairs without loss and reports each repair; without it nothing changes', async () => {
  const world = await makeWorld()
  await world.workspace('acme')
  await world.repo('acme/site')
  await world.repo('acme/empty')
  await world.repo('acme/flipped')
  await world.commit('acme/flipped', 'main', { 'a.txt': 'flipped\n' })
  await world.commit('acme/site', 'main', { 'a.txt': 'a\n' })
  installationKey(world.data)
  const { repos, tmp } = layout(world.data)
  const at = (path: string): string => join(world.data, path)
  const old = new Date('2020-01-01')
  const { store } = repoByPath(world.hearth.db, 'acme/site') ?? { store: '' }
  const { store: empty } = repoByPath(world.hearth.db, 'acme/empty') ?? { store: '' }

  mkdirSync(join(repos, 'rep_forsaken'))
  writeFileSync(join(repos, 'rep_forsaken', 'HEAD'), 'ref: refs/heads/main\n')
  utimesSync(join(repos, 'rep_forsaken'), old, old)
  // One that was made a moment ago may belong to a repository that is being made.
  mkdirSync(join(repos, 'rep_young'))
  rmSync(join(repos, empty), { recursive: true })
  writeFileSync(join(repos, store, 'objects', 'info', 'commit-graph'), 'not a graph')
  const { store: flipped } = repoByPath(world.hearth.db, 'acme/flipped') ?? { store: '' }
  const packs = join(repos, flipped, 'objects', 'pack')
  const index = join(packs, readdirSync(packs).find((name) => name.endsWith('.idx')) ?? '')
  const bytes = readFileSync(index)
  bytes[1035] = (bytes[1035] ?? 0) ^ 1
  chmodSync(index, 0o644)
  writeFileSync(index, bytes)
  chmodSync(at('secrets/installation.key'), 0o644)
  mkdirSync(at('logs/checks/rep_gone/ckr_gone'), { recursive: true })
  writeFileSync(at('logs/checks/rep_gone/ckr_gone/chk_gone.log'), 'output')
  utimesSync(at('logs/checks/rep_gone/ckr_gone/chk_gone.log'), old, old)
  mkdirSync(join(tmp, 'git-999999999'))
  mkdirSync(join(tmp, 'verify-bkp_left'))

  const expected = [
    'repos/rep_forsaken belongs to no repository',
    `${empty}: the store is missing, of acme/empty`,
    `${store}: the commit-graph is damaged`,
    ': the index is damaged',
    'secrets/installation.key is open to others (644)',
    'logs/checks: 1 that nothing refers to',
    'tmp: 2 left behind',
  ]
  const looked = await doctor(world.data)
  expect([looked.status, expected.filter((line) => !looked.out.includes(line))]).toEqual([1, []])
  expect(looked.out).not.toContain('rep_young')
  expect(looked.out).not.toContain('mended')
  expect(existsSync(join(repos, 'rep_forsaken'))).toBe(true)

  const mended = await doctor(world.data, '--fix')
  expect([mended.status, mended.out.split('mended: ').length - 1]).toEqual([0, expected.length])
  // Moved, not destroyed.
  const lost = readdirSync(at('lost'), { recursive: true }).map(String)
  expect(lost.some((path) => path.endsWith('repos/rep_forsaken/HEAD'))).toBe(true)
  expect(lost.some((path) => path.endsWith('chk_gone.log'))).toBe(true)
  expect([
    existsSync(join(repos, 'rep_forsaken')),
    existsSync(join(repos, 'rep_young')),
    existsSync(join(repos, empty, 'objects')),
  ]).toEqual([false, true, true])
  // The pack is as it was, the index is new.
  expect(await world.hearth.git.verify(flipped, [])).toEqual([])
  expect(statSync(at('secrets/installation.key')).mode & 0o777).toBe(0o600)
  expect(readdirSync(tmp).filter((name) => /999999999|verify/.test(name))).toEqual([])
  const after = await doctor(world.data)
  expect([after.status, isSound(after.out, ...LASTING)]).toEqual([0, []])
}, 120_000)

test('missing files of rows, a late clock and failed jobs are reported', async () => {
  const world = await makeWorld()
  await world.workspace('acme')
  const repo = await world.repo('acme/site')
  await world.write((tx) => {
    tx.db.run(
      `INSERT INTO check_runs (id, repo_id, number, purpose, head_sha, state, status, timeout_ms, principal_id, created_at) VALUES ('ckr_1', ?, 1, 'pull', 'x', 'done', 'passed', 1, 'usr_1', ?)`,
      repo.id,
      tx.now,
    )
    tx.db.run(
      `INSERT INTO check_results (id, run_id, position, command, status, log_bytes, finished_at) VALUES ('chk_1', 'ckr_1', 0, 'true', 'passed', 3, ?)`,
      tx.now,
    )
    tx.db.run(
      `INSERT INTO jobs (id, kind, input, state, attempt, run_at, error, created_at, updated_at) VALUES ('bgj_1', 'send_mail', 'null', 'failed', 5, 0, 'no such host', ?, ?)`,
      tx.now,
      tx.now,
    )
    tx.db.run(
      `INSERT INTO events (id, type, time, workspace_id, data) VALUES ('evt_zzzz', 'x', '2999-01-01T00:00:00.000Z', 'wsp_1', '{}')`,
    )
  })
  const { out, status } = await doctor(world.data)
  expect(status).toBe(1)
  expect(out).toContain(`logs/checks: 1 missing: ${repo.id}/ckr_1/chk_1.log`)
  expect(out).toContain('clock: 1 fault\n  the newest event is of 2999-01-01')
  expect(out).toContain('failed jobs: 1 note\n  1 of send_mail, one with: no such host')
}, 120_000)

test('a branch without its objects is set back to existing ones, so that a push can repair it', async () => {
  const world = await makeWorld()
  await world.workspace('acme')
  await world.repo('acme/site')
  const first = await world.commit('acme/site', 'main', { 'a.txt': 'a\n' })
  const { store, id } = repoByPath(world.hearth.db, 'acme/site') ?? { store: '', id: '' }
  const packs = join(layout(world.data).repos, store, 'objects', 'pack')
  const before = new Set(readdirSync(packs))
  const second = await world.commit('acme/site', 'main', { 'b.txt': 'b\n' })
  const third = await world.commit('acme/site', 'fresh', { 'c.txt': 'c\n' })
  // The last packs had not come.
  for (const name of readdirSync(packs)) if (!before.has(name)) rmSync(join(packs, name))
  const refs = () =>
    world.hearth.db.all('SELECT name, oid FROM refs WHERE repo_id = ? ORDER BY name', id)
  const looked = await doctor(world.data)
  expect([
    looked.status,
    looked.out.includes(`object ${second} is missing, a ref points at it`),
    looked.out.includes('would move refs/heads/main back'),
  ]).toEqual([1, true, true])
  expect(refs()).toEqual([
    { name: 'refs/heads/fresh', oid: third },
    { name: 'refs/heads/main', oid: second },
  ])
  const mended = await doctor(world.data, '--fix')
  expect([mended.status, refs()]).toEqual([0, [{ name: 'refs/heads/main', oid: first }]])
  expect((await doctor(world.data)).out).toContain('git stores: sound')
  // What the branch was is in the timeline.
  expect(
    world
      .events('git.push')
      .slice(-2)
      .map(({ data, actor_id }) => [data.before, data.after, actor_id])
      .sort(),
  ).toEqual(
    [
      [second, first, null],
      [third, null, null],
    ].sort(),
  )
}, 120_000)

test('it needs a forge, and does not migrate an old one', async () => {
  const world = await makeWorld()
  expect(await doctor(join(world.data, 'nowhere'))).toMatchObject({ out: '', status: 1 })
  const database = openDatabase({ path: layout(world.data).database })
  database.run(`DELETE FROM migrations WHERE name = (SELECT max(name) FROM migrations)`)
  database.close()
  const { out, error, status } = await doctor(world.data)
  expect([out, status, error.includes('run hearth migrate first')]).toEqual(['', 1, true])
}, 120_000)
