import { expect, test } from 'bun:test'
import {
  RETAINED_OBJECT_COLUMNS,
  UNRETAINED_OBJECT_COLUMNS,
} from '#features/site/object-retention.ts'
import { listRetainedCommits, repoByPath } from '#features/repos/index.ts'
import { createPull } from '#features/pulls/index.ts'
import { makeWorld } from '../../world.ts'

const world = await makeWorld()
const { db, database } = world.hearth
const ada = await world.user('ada')

/** Column names that suggest an object id. */
const WORD =
  /(^|_)(sha|sha1|commit|oid|object|blob|head|base|tip|tree|merge|before|after|candidate|target|peeled|applied|revision|rev)(_|$)/
/** Column names that match the pattern but hold something else. */
const OTHER = /_(ref|by|at|name|method|id|url|kind|paths|permission)$|^sha256$/

const columns = db
  .all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'`,
  )
  .flatMap(({ name: table }) =>
    db
      .all<{ name: string; type: string }>(`SELECT name, type FROM pragma_table_xinfo(?)`, table)
      .filter(({ type }) => type === 'TEXT')
      .map(({ name }) => ({ table, column: name })),
  )

test('every column with object ids has a retention rule', () => {
  const found = columns
    .filter(({ column }) => WORD.test(column) && !OTHER.test(column))
    .map(({ table, column }) => `${table}.${column}`)
  expect(found).toContain('pulls.head_sha')
  // The target of a ruleset and the subject of an identity are no object ids.
  const none = ['rulesets.target']
  expect(
    found.filter(
      (name) =>
        !none.includes(name) &&
        !RETAINED_OBJECT_COLUMNS.includes(name) &&
        !(name in UNRETAINED_OBJECT_COLUMNS),
    ),
  ).toEqual([])
  const there = new Set(columns.map(({ table, column }) => `${table}.${column}`))
  expect(
    [...RETAINED_OBJECT_COLUMNS, ...Object.keys(UNRETAINED_OBJECT_COLUMNS)].filter(
      (name) => !there.has(name),
    ),
  ).toEqual([])
  expect(RETAINED_OBJECT_COLUMNS.filter((name) => name in UNRETAINED_OBJECT_COLUMNS)).toEqual([])
})

test('what is said to be kept is kept', async () => {
  await world.workspace('acme')
  const repo = await world.repo('acme/site')
  await world.commit('acme/site', 'main', { 'a.txt': 'one\n' })
  await world.commit('acme/site', 'work', { 'a.txt': 'two\n' })
  await world.call(createPull, ada, { repo: 'acme/site', branch: 'work', title: 'Two' })
  const pull = db.one<{ id: string; number: number }>('SELECT id, number FROM pulls')
  if (!pull) throw new Error('there is no pull request')
  const oid = (letter: string) => letter.repeat(40)
  const now = '2026-01-01T00:00:00.000Z'
  const put = (table: string, values: Record<string, unknown>): void =>
    void database.run(
      `INSERT INTO ${table} (${Object.keys(values).join(', ')}) VALUES (${Object.keys(values)
        .map(() => '?')
        .join(', ')})`,
      ...(Object.values(values) as (string | number | null | Uint8Array)[]),
    )
  await world.write(() => {
    const of = { repo_id: repo.id, number: pull.number }
    put('reviews', {
      id: 'rev_1',
      pull_id: pull.id,
      author_id: ada.id,
      verdict: 'approve',
      body: '',
      commit_sha: oid('1'),
      diff_id: 'd',
      could_write: 1,
      created_at: now,
    })
    put('review_drafts', {
      id: 'drf_1',
      pull_id: pull.id,
      author_id: ada.id,
      path: 'a.txt',
      line: 1,
      side: 'new',
      commit_sha: oid('1'),
      body: 'x',
      created_at: now,
    })
    put('comments', {
      id: 'cmt_1',
      ...of,
      author_id: ada.id,
      body: 'x',
      path: 'a.txt',
      line: 1,
      side: 'new',
      commit_sha: oid('1'),
      created_at: now,
      updated_at: now,
    })
    put('releases', {
      id: 'rel_1',
      repo_id: repo.id,
      tag_name: 'v1',
      target_name: 'main',
      target: oid('1'),
      name: 'v1',
      body: '',
      notes_generated: 0,
      prerelease: 0,
      author_id: ada.id,
      created_at: now,
      updated_at: now,
    })
    put('wikis', { repo_id: repo.id, branch: 'main', commit_sha: oid('1'), updated_at: now })
    put('mirrors', {
      id: 'rmt_1',
      repo_id: repo.id,
      provider: 'generic',
      role: 'leader',
      name: 'origin',
      url: 'https://example.com/a.git',
      state: 'takeover',
      state_since: now,
      probe_at: 0,
      sync_at: 0,
      created_by: ada.id,
      created_at: now,
    })
    put('mirror_refs', { mirror_id: 'rmt_1', name: 'refs/heads/main' })
    put('mirror_kept_refs', {
      repo_id: repo.id,
      oid: oid('1'),
      name: 'refs/heads/main',
      mirror_id: 'rmt_1',
      side: 'remote',
      kept_at: now,
    })
    put('check_runs', {
      id: 'run_1',
      ...of,
      purpose: 'pull',
      head_sha: oid('1'),
      state: 'waiting',
      status: 'pending',
      timeout_ms: 1,
      principal_id: ada.id,
      created_at: now,
    })
    put('workflows', {
      id: 'wfl_1',
      repo_id: repo.id,
      path: 'a.yml',
      name: 'a',
      created_at: now,
      updated_at: now,
    })
    put('workflow_runs', {
      id: 'run_2',
      repo_id: repo.id,
      workflow_id: 'wfl_1',
      path: 'a.yml',
      name: 'a',
      title: 'a',
      number: 1,
      event: 'push',
      event_name: 'push',
      ref: 'refs/heads/main',
      sha: oid('1'),
      head_sha: oid('1'),
      workflow_sha: oid('1'),
      workflow_blob: oid('1'),
      status: 'queued',
      trusted: 1,
      payload: new Uint8Array(),
      created_at: now,
    })
    put('queue_entries', {
      id: 'que_1',
      repo_id: repo.id,
      pull_id: pull.id,
      number: pull.number,
      base_ref: 'main',
      place: 1,
      state: 'queued',
      method: 'merge',
      keep_issue_open: 0,
      commands: '[]',
      head_sha: oid('1'),
      candidate_sha: oid('1'),
      candidate_tree: oid('1'),
      queued_by: ada.id,
      queued_at: now,
    })
  })
  const store = repoByPath(db, 'acme/site')?.store ?? ''
  const kept = () => [...listRetainedCommits(world.hearth, store)].flat()
  for (const [at, name] of RETAINED_OBJECT_COLUMNS.entries()) {
    const [table = '', column = ''] = name.split('.')
    const own = (at + 100).toString(16).padStart(40, 'e')
    expect(kept()).not.toContain(own)
    await world.write(() => expect(database.run(`UPDATE ${table} SET ${column} = ?`, own)).toBe(1))
    expect([name, kept().includes(own)]).toEqual([name, true])
  }
})

test('retained commits of a large repository are listed in batches', async () => {
  const repo = await world.repo('acme/large')
  await world.commit('acme/large', 'main', { 'a.txt': 'one\n' })
  const now = '2026-01-01T00:00:00.000Z'
  const oid = (at: number) => at.toString(16).padStart(40, 'a')
  await world.write(() => {
    for (let number = 1; number <= 1201; number++) {
      database.run(
        `INSERT INTO records (repo_id, number, kind, title, author_id, created_at, updated_at) VALUES (?, ?, 'pull', 'x', ?, ?, ?)`,
        repo.id,
        number,
        ada.id,
        now,
        now,
      )
      database.run(
        `INSERT INTO pulls (id, repo_id, number, title, body, status, base_ref, base_sha, head_ref, head_sha, author_id, created_at, updated_at, closed_at, closed_from, closed_because)
         VALUES (?, ?, ?, 'x', '', 'closed', 'main', ?, 'x', ?, ?, ?, ?, ?, 'open', 'asked')`,
        `pul_${number}`,
        repo.id,
        number,
        oid(0),
        oid(number),
        ada.id,
        now,
        now,
        now,
      )
    }
  })
  const store = repoByPath(db, 'acme/large')?.store ?? ''
  const parts = [...listRetainedCommits(world.hearth, store)]
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(1000)
  const all = new Set(parts.flat())
  for (let number = 1; number <= 1201; number++) expect(all.has(oid(number))).toBe(true)
})
