/** A workspace goes from one forge to another: what goes, what stays, and whose it is then. */
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blobPath } from '#core/blobs.ts'
import { openDatabase, transaction } from '#core/db.ts'
import { migrate } from '#core/migrate.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { createLabel } from '#features/issues/labels/create-label.ts'
import { listIssues } from '#features/issues/list-issues.ts'
import { listWorkflows } from '#features/workflows/files/list-workflows.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { createRelease } from '#features/releases/create-release.ts'
import { listAttachments } from '#features/attachments/list-attachments.ts'
import { uploadAttachment } from '#features/attachments/upload-attachment.ts'
import { uploadReleaseAsset } from '#features/releases/upload-release-asset.ts'
import { starRepo } from '#features/notifications/stars/star-repo.ts'
import { listStores, listTipsOfStore, refsOf, repoByPath } from '#features/repos/index.ts'
import {
  exportWorkspace,
  importWorkspace,
  MAX_ROWS_BESIDE_SERVER,
  requireArchive,
  type ImportOptions,
} from '#features/transfer/index.ts'
import { copyRows, listTables } from '#features/transfer/store.ts'
import { EXCLUDED_TABLES, TRANSFERRED_TABLES } from '#features/transfer/transferred-tables.ts'
import { redirectWorkspace } from '#features/accounts/index.ts'
import { startServer } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { openHearth } from '#src/app.ts'
import { examine } from '#features/backups/index.ts'
import { directoryPlace } from '#backup'
import { makeWorld, refusal, type World } from '../../world.ts'
import { folder } from '../backups/forge.ts'

const never = new AbortController().signal
const quiet = () => {}

test('every table goes along or stays, and that is said', () => {
  const database = openDatabase({ path: ':memory:' })
  migrate(database, '2026-01-01T00:00:00.000Z')
  const said = [...Object.keys(TRANSFERRED_TABLES), ...Object.keys(EXCLUDED_TABLES)]
  expect(said.filter((table, at) => said.indexOf(table) !== at)).toEqual([])
  // A table that is missing here: say in src/features/transfer/transferred-tables.ts whether its rows go with a
  // workspace.
  expect(listTables(database).filter((table) => !said.includes(table))).toEqual([])
  database.close()
})

async function there() {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const eve = await world.user('eve')
  await world.workspace('acme', { owner: ada, members: [bob, eve] })
  await world.workspace('other', { owner: ada })
  await world.repo('acme/site', { private: true })
  await world.repo('acme/bare')
  await world.repo('other/secret', { private: true })
  await world.commit('acme/site', 'main', {
    'a.txt': 'a\n'.repeat(500),
    '.hearth/workflows/night.yml':
      'name: Night\non:\n  schedule:\n    - cron: "0 3 * * *"\njobs:\n  one:\n    runs-on: linux\n    steps:\n      - run: "true"\n',
  })
  await world.commit('other/secret', 'main', { 's.txt': 's\n' })
  await world.call(createLabel, ada, { repo: 'acme/site', name: 'crust', color: 'aa3300' })
  await world.call(createIssue, ada, {
    repo: 'acme/site',
    title: 'The door squeaks',
    body: 'Loudly.',
    labels: ['crust'],
  })
  await world.call(createIssue, bob, { repo: 'acme/site', title: 'So does the gate' })
  await world.call(createIssue, ada, { repo: 'other/secret', title: 'Nobody may know' })
  await world.call(addComment, eve, { repo: 'acme/site', number: 1, body: 'I hear it too.' })
  await world.call(starRepo, eve, { repo: 'acme/site' })
  await world.commit('acme/site', 'oil', { 'oil.txt': 'drops\n' }, { as: bob })
  const { pull } = await world.call(createPull, bob, {
    repo: 'acme/site',
    branch: 'oil',
    issue: 1,
    title: 'Oil the door',
  })
  await world.call(appendSession, bob, {
    repo: 'acme/site',
    number: pull.number,
    entries: [{ kind: 'message', text: 'Oil it.', data: { role: 'user' } }],
  })
  const release = await world.call(createRelease, ada, { repo: 'acme/site', tag_name: 'v1.0.0' })
  await world.call(uploadReleaseAsset, ada, {
    repo: 'acme/site',
    id: release.id,
    name: 'tool.txt',
    data: Buffer.from('a tool').toString('base64'),
  })
  const log = await world.call(uploadAttachment, ada, {
    repo: 'acme/site',
    name: 'squeak.log',
    data: Buffer.from('a log').toString('base64'),
  })
  await world.call(addComment, ada, { repo: 'acme/site', number: 2, body: log.markdown })
  await world.jobs()
  return { world, pull: pull.number }
}

const refs = (world: World, path: string) =>
  refsOf(world.hearth, repoByPath(world.hearth.db, path)?.id ?? '').refs

async function take(world: World, at: string, change: Partial<ImportOptions> = {}) {
  const place = directoryPlace(at)
  return importWorkspace(
    world.hearth,
    place,
    await requireArchive(place),
    {
      as: null,
      owner: 'ada',
      people: new Map(),
      identities: [],
      maxRows: null,
      ...change,
    },
    quiet,
    never,
  )
}

const count = (world: World, table: string): number =>
  world.hearth.db.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? -1

test('code, issues, pull requests and sessions arrive; people are who they are here; secrets and other workspaces stay', async () => {
  const { world: from, pull } = await there()
  const at = join(folder(), 'archive')
  const { manifest, rows } = await exportWorkspace(
    from.hearth,
    'acme',
    directoryPlace(at),
    quiet,
    never,
  )
  expect([manifest.totals.repositories, rows.issues, rows.pulls, rows.comments]).toEqual([
    2, 2, 1, 2,
  ])
  expect(readdirSync(join(from.data, 'tmp')).filter((name) => name.startsWith('export-'))).toEqual(
    [],
  )
  await expect(
    exportWorkspace(from.hearth, 'acme', directoryPlace(at), quiet, never),
  ).rejects.toThrow('is not empty')

  // Here ada has another id, bob another name, and eve no account; somebody else is called eve.
  const here = await makeWorld()
  const ada = await here.user('ada')
  const robert = await here.user('robert')
  await here.write((tx) =>
    tx.db.run(`UPDATE emails SET email = 'eve2@example.com' WHERE email = 'eve@example.com'`),
  )
  const other = await here.user('eve')
  await here.write((tx) =>
    tx.db.run(`UPDATE emails SET email = 'another@example.com' WHERE user_id = ?`, other.id),
  )
  await here.workspace('mine', { owner: ada })
  const events = count(here, 'events')
  const imported = await take(here, at, { people: new Map([['bob', 'robert']]) })
  expect(imported.slug).toBe('acme')
  expect(imported.found.map((pair) => pair.join(' ')).sort()).toEqual(['ada ada', 'bob robert'])
  expect(imported.nobody.map((pair) => pair.join(' '))).toEqual(['eve eve-2'])

  expect(refs(here, 'acme/site')).toEqual(refs(from, 'acme/site'))
  for (const store of listStores(here.hearth.db))
    expect(await here.hearth.git.verify(store, listTipsOfStore(here.hearth.db, store))).toEqual([])
  // Texts are indexed after the rows are here, by the server that runs or the next one.
  await here.jobs()
  const issues = await here.call(listIssues, ada, { repo: 'acme/site', q: 'squeaks' })
  expect(
    issues.items.map(({ title, number, labels, comments_count, author }) => [
      title,
      number,
      labels.length,
      comments_count,
      author?.username,
    ]),
  ).toEqual([['The door squeaks', 1, 1, 1, 'ada']])
  expect((await here.call(listIssues, robert, { repo: 'acme/site' })).items).toHaveLength(2)
  const shown = await here.call(getPull, robert, { repo: 'acme/site', number: pull })
  expect([shown.pull.title, shown.pull.author?.username]).toEqual(['Oil the door', 'robert'])
  expect(here.hearth.db.all('SELECT text FROM session_entries')).toEqual([{ text: 'Oil it.' }])
  expect(here.hearth.db.one(`SELECT issues_count FROM labels WHERE name = 'crust'`)).toEqual({
    issues_count: 1,
  })
  const { sha256 } = here.hearth.db.one<{ sha256: string }>(
    `SELECT sha256 FROM release_assets WHERE name = 'tool.txt'`,
  ) ?? { sha256: '' }
  expect(readFileSync(blobPath(here.hearth, sha256), 'utf8')).toBe('a tool')
  // An attached file arrives with the text that shows it.
  const [log] = (await here.call(listAttachments, ada, { repo: 'acme/site' })).items
  expect(readFileSync(blobPath(here.hearth, log?.sha256 ?? ''), 'utf8')).toBe('a log')
  // Numbers go on where they were.
  expect((await here.call(createIssue, ada, { repo: 'acme/site', title: 'New' })).number).toBe(
    pull + 1,
  )
  // The one who only shares a name has nothing of it; what eve wrote stands under a name that
  // nobody signs in with.
  expect(
    here.hearth.db.all(
      'SELECT actors.username FROM members JOIN actors ON actors.id = members.user_id JOIN actors w ON w.id = members.workspace_id WHERE w.username = ? ORDER BY 1',
      'acme',
    ),
  ).toEqual([{ username: 'ada' }, { username: 'robert' }])
  expect(
    here.hearth.db.all(
      'SELECT a.username FROM comments JOIN actors a ON a.id = comments.author_id',
    ),
  ).toEqual([{ username: 'eve-2' }, { username: 'ada' }])
  expect(count(here, 'stars')).toBe(0)
  await expect(here.call(listIssues, other, { repo: 'acme/site' })).rejects.toThrow('repository')
  // Of the other workspace there is nothing, in no table and no file.
  expect(here.hearth.db.all(`SELECT 1 FROM records WHERE title = 'Nobody may know'`)).toEqual([])
  expect(repoByPath(here.hearth.db, 'other/secret')).toBeNull()
  expect(count(here, 'events')).toBeGreaterThan(events)
  const faults = (await examine(here.hearth, { copy: true }))
    .filter(({ finding }) => finding.level === 'fault')
    .map(({ finding }) => finding.problem)
  expect(faults).toEqual([])
  await expect(take(here, at)).rejects.toThrow('here already')
  expect(readdirSync(join(here.data, 'tmp')).filter((name) => name.startsWith('import-'))).toEqual(
    [],
  )
}, 120_000)

/** Excluded tables of which the archive has rows: people without secrets, and counts. */
const PEOPLE = ['actors', 'users', 'emails', 'migrations']
const KEPT_BY_TRIGGERS = [
  'record_counts',
  'repo_storage',
  'stored_totals',
  'contribution_types',
  'contribution_days',
]

test('the archive holds nothing with which somebody could sign in', async () => {
  const { world } = await there()
  await world.write((tx) =>
    tx.db.run(`UPDATE users SET password_hash = 'pbkdf2$secret', bio = 'private words'`),
  )
  const at = join(folder(), 'archive')
  const { manifest } = await exportWorkspace(world.hearth, 'acme', directoryPlace(at), quiet, never)
  const { restoreBackup } = await import('#backup')
  const target = join(folder(), 'look')
  await restoreBackup(directoryPlace(at), manifest, { target, identities: [] }, quiet, never)
  const database = openDatabase({ path: join(target, 'workspace.db'), readonly: true })
  expect(database.all('SELECT DISTINCT password_hash, bio FROM users')).toEqual([
    { password_hash: null, bio: null },
  ])
  const full = listTables(database).filter(
    (table) =>
      table in EXCLUDED_TABLES &&
      !PEOPLE.includes(table) &&
      !KEPT_BY_TRIGGERS.includes(table) &&
      database.one(`SELECT 1 FROM ${table} LIMIT 1`) !== null,
  )
  expect(full).toEqual([])
  database.close()
}, 120_000)

test('an import that is refused or cut off leaves nothing, and begins anew', async () => {
  const { world: from } = await there()
  const at = join(folder(), 'archive')
  await exportWorkspace(from.hearth, 'acme', directoryPlace(at), quiet, never)
  const here = await makeWorld()
  await here.user('ada')
  await here.workspace('acme')
  const before = ['actors', 'repos', 'records', 'events', 'refs'].map((table) => count(here, table))
  const stores = () =>
    existsSync(join(here.data, 'repos')) ? readdirSync(join(here.data, 'repos')).sort() : []
  const had = stores()
  await expect(take(here, at)).rejects.toThrow('is taken')
  await expect(take(here, at, { as: 'bakery', owner: 'nobody' })).rejects.toThrow(
    'no account nobody',
  )
  await expect(
    take(here, at, { as: 'bakery', people: new Map([['bob', 'nobody']]) }),
  ).rejects.toThrow('no account nobody')
  expect(
    ['actors', 'repos', 'records', 'events', 'refs'].map((table) => count(here, table)),
  ).toEqual(before)
  expect(stores()).toEqual(had)
  // What a process that was killed between its stores and its rows leaves.
  const { store } = from.hearth.db.one<{ store: string }>(
    `SELECT store FROM repos WHERE name = 'site'`,
  ) ?? { store: '' }
  mkdirSync(join(here.data, 'repos', store))
  writeFileSync(join(here.data, 'repos', store, 'half'), '')
  expect((await take(here, at, { as: 'bakery' })).slug).toBe('bakery')
  expect(existsSync(join(here.data, 'repos', store, 'half'))).toBe(false)
  expect(refs(here, 'bakery/site')).toEqual(refs(from, 'acme/site'))
}, 120_000)

test('an archive of a stranger cannot choose names of files here', async () => {
  const { world: from } = await there()
  // Past the rules of the forge, into its own database.
  from.hearth.database.exec('PRAGMA foreign_keys = OFF')
  const { store } = from.hearth.db.one<{ store: string }>(
    `SELECT store FROM repos WHERE name = 'bare'`,
  ) ?? { store: '' }
  for (const evil of ['../../victim', '/tmp/victim', 'a/b', '..']) {
    from.hearth.database.run(`UPDATE repos SET store = ? WHERE name = 'bare'`, evil)
    const at = join(folder(), 'archive')
    // Our own export refuses as well.
    await expect(
      exportWorkspace(from.hearth, 'acme', directoryPlace(at), quiet, never),
    ).rejects.toThrow()
  }
  from.hearth.database.run(`UPDATE repos SET store = ? WHERE name = 'bare'`, store)
  const at = join(folder(), 'archive')
  const { manifest } = await exportWorkspace(from.hearth, 'acme', directoryPlace(at), quiet, never)
  const { restoreBackup, writeBackup } = await import('#backup')
  const work = join(folder(), 'work')
  await restoreBackup(directoryPlace(at), manifest, { target: work, identities: [] }, quiet, never)
  const database = openDatabase({ path: join(work, 'workspace.db') })
  database.exec('PRAGMA foreign_keys = OFF')
  database.run(`UPDATE repos SET store = '../../victim' WHERE name = 'bare'`)
  database.close()
  const forged = directoryPlace(join(folder(), 'forged'))
  await writeBackup(
    forged,
    [{ path: 'workspace.db', file: join(work, 'workspace.db'), compress: true, immutable: false }],
    {
      id: manifest.id,
      name: manifest.name,
      made_at: manifest.made_at,
      version: '0',
      schema: manifest.schema,
      repositories: 1,
      notes: [],
      folders: [],
      recipients: [],
      name_key: new Uint8Array(32),
    },
    quiet,
    never,
  )
  const here = await makeWorld()
  await here.user('ada')
  const victim = join(here.data, '..', 'victim')
  await expect(
    importWorkspace(
      here.hearth,
      forged,
      await requireArchive(forged),
      { as: null, owner: 'ada', people: new Map(), identities: [], maxRows: null },
      quiet,
      never,
    ),
  ).rejects.toThrow('which is no id')
  expect([existsSync(victim), repoByPath(here.hearth.db, 'acme/site')]).toEqual([false, null])
}, 120_000)

test('a workspace moves between two forges that serve, and its old addresses lead on', async () => {
  const { world: from } = await there()
  const ada = await from.user('ada')
  await redirectWorkspace(from.hearth, 'acme', 'https://new.example/bakery/')
  // What would be lost between the archive and its import is refused.
  expect(
    await refusal(from.call(createIssue, ada, { repo: 'acme/site', title: 'Too late' })),
  ).toMatchObject({ reason: 'moved', details: { moved_to: 'https://new.example/bakery' } })
  const at = join(folder(), 'archive')
  await exportWorkspace(from.hearth, 'acme', directoryPlace(at), quiet, never)

  // The forge there serves, and has people and a workspace of these names.
  const here = await makeWorld()
  const mia = await here.user('mia')
  await here.user('bob')
  await here.write((tx) =>
    tx.db.run(`UPDATE emails SET email = username || '@elsewhere.example'
    FROM actors WHERE actors.id = emails.user_id AND username = 'bob'`),
  )
  await here.workspace('acme', { owner: mia })
  await here.repo('acme/site', { as: mia })
  const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog, graceMs: 2000 })
  server.open(here.hearth)
  const beside = openHearth({
    settings: here.hearth.settings,
    log: silentLog,
    clock: here.clock,
    beside: true,
  })
  try {
    const writes: Promise<unknown>[] = []
    const timer = setInterval(() => {
      writes.push(here.call(createIssue, mia, { repo: 'acme/site', title: `No. ${writes.length}` }))
    }, 5)
    const place = directoryPlace(at)
    const imported = await importWorkspace(
      beside,
      place,
      await requireArchive(place),
      {
        as: 'bakery',
        owner: 'mia',
        people: new Map(),
        identities: [],
        maxRows: MAX_ROWS_BESIDE_SERVER,
      },
      quiet,
      never,
    )
    clearInterval(timer)
    // Nobody's change was refused meanwhile.
    expect(
      (await Promise.allSettled(writes)).filter(({ status }) => status === 'rejected'),
    ).toEqual([])
    expect(writes.length).toBeGreaterThan(0)
    expect(imported.slug).toBe('bakery')
    expect(imported.nobody.map((pair) => pair.join(' ')).sort()).toEqual([
      'ada ada',
      'bob bob-2',
      'eve eve',
    ])
    const response = await fetch(`${server.url}/api/v1/repos/bakery/bare`)
    expect([response.status, ((await response.json()) as { full_name: string }).full_name]).toEqual(
      [200, 'bakery/bare'],
    )
    // The server finds the job, and then the texts and workflows. None of them has started.
    await here.jobs()
    const { items } = await here.call(listWorkflows, mia, { repo: 'bakery/site' })
    expect(items.map(({ name }) => name)).toEqual(['Night'])
    expect([count(here, 'workflow_schedules'), count(here, 'workflow_runs')]).toEqual([1, 0])
    const found = await here.call(listIssues, mia, { repo: 'bakery/site', q: 'squeaks' })
    expect(found.items.map(({ title }) => title)).toEqual(['The door squeaks'])
    expect(here.hearth.db.one('SELECT 1 FROM search_marks LIMIT 1')).toBeNull()
    expect((await here.call(listIssues, mia, { repo: 'acme/site', q: 'squeaks' })).items).toEqual(
      [],
    )
  } finally {
    await beside.close()
    await server.stop()
  }
}, 120_000)

test('a workspace that is too large for a server beside is refused, and nothing of it comes', async () => {
  const { world: from } = await there()
  const at = join(folder(), 'archive')
  await exportWorkspace(from.hearth, 'acme', directoryPlace(at), quiet, never)
  const here = await makeWorld()
  await here.user('ada')
  const before = count(here, 'actors')
  await expect(take(here, at, { maxRows: 20 })).rejects.toThrow('stop it for this import')
  expect([count(here, 'actors'), count(here, 'repos')]).toEqual([before, 0])
}, 120_000)

test('an export asks as often for many rows as for few, and keeps their order', () => {
  const [few, many] = [copyRecords(3), copyRecords(1203)]
  expect(few.copied).toEqual(few.made)
  expect(many.copied).toEqual(many.made)
  expect(many.copied).toHaveLength(1203)
  expect(many.queries).toBe(few.queries)
})

/** Copies a workspace with one repository and so many records, the highest number first. */
function copyRecords(count: number): { made: number[]; copied: number[]; queries: number } {
  const now = '2026-01-01T00:00:00.000Z'
  const [workspace, repo] = [`wsp_${'0'.repeat(26)}`, `rep_${'0'.repeat(26)}`]
  const [from, to] = [openDatabase({ path: ':memory:' }), openDatabase({ path: ':memory:' })]
  for (const database of [from, to]) {
    migrate(database, now)
    database.run(
      `INSERT INTO actors (id, kind, username) VALUES (?, 'workspace', 'acme')`,
      workspace,
    )
  }
  from.run(
    `INSERT INTO workspaces (id, created_at, updated_at) VALUES (?2, ?1, ?1)`,
    now,
    workspace,
  )
  from.run(
    `INSERT INTO repos (id, workspace_id, name, store, private, refs_generation, created_by, created_at, updated_at)
     VALUES (?2, ?3, 'site', ?2, 0, '1', ?3, ?1, ?1)`,
    now,
    repo,
    workspace,
  )
  from.run(
    `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?1)
     INSERT INTO records (repo_id, number, kind, title, author_id, created_at, updated_at)
     SELECT ?3, ?1 + 1 - x, 'issue', 'Number ' || x, ?4, ?2, ?2 FROM n`,
    count,
    now,
    repo,
    workspace,
  )
  const numbers = (database: typeof from): number[] =>
    database
      .all<{ number: number }>('SELECT number FROM records ORDER BY seq')
      .map((row) => row.number)
  const made = numbers(from)
  let queries = 0
  from.watch = () => void queries++
  transaction(to, () => copyRows(from, to, workspace, { mapped: new Map(), nobody: new Set() }))
  from.watch = null
  const copied = numbers(to)
  from.close()
  to.close()
  return { made, copied, queries }
}
