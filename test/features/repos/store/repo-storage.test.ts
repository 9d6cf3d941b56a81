import { expect, test } from 'bun:test'
import { openDatabase, type DatabaseHandle } from '#core/db.ts'
import { migrate, migrations } from '#core/migrate.ts'
import {
  listStorageOfWorkspace,
  storageOfRepo,
  storedBytesCounter,
  type StorageKind,
} from '#features/repos/store/repo-storage.ts'
import { transferRepo } from '#features/repos/lifecycle/transfer-repo.ts'
import { makeLfsWorld, REPO } from '../../lfs/fixture.ts'

const NOW = '2026-01-01T00:00:00.000Z'
const KINDS: readonly StorageKind[] = [
  'lfs',
  'release_assets',
  'attachments',
  'artifacts',
  'caches',
  'logs',
]
const sha = (text: string): string => text.repeat(64)

/** Rows whose parents, but for repositories and releases, are missing. */
function rowsOf(db: DatabaseHandle) {
  let serial = 0
  const next = (): string => `row-${serial++}`
  return {
    lfs: (repo: string, bytes: number) =>
      db.run(
        'INSERT INTO lfs_objects VALUES (?, ?, ?, ?, ?, NULL)',
        repo,
        String(serial++).padStart(64, '0'),
        bytes,
        'usr',
        NOW,
      ),
    release: (repo: string, id: string) =>
      db.run(
        `INSERT INTO releases (id, repo_id, tag_name, target_name, target, name, body, notes_generated,
           prerelease, author_id, created_at,
           updated_at) VALUES (?1, ?2, ?1, 'main', hex(zeroblob(20)), ?1, '', 0, 0, 'usr', ?3, ?3)`,
        id,
        repo,
        NOW,
      ),
    asset: (release: string, bytes: number) =>
      db.run(
        `INSERT INTO release_assets (id, release_id, name, content_type, size_in_bytes, sha256,
           uploader_id, created_at) VALUES (?1, ?2, ?1, 'x', ?3, ?4, 'usr', ?5)`,
        next(),
        release,
        bytes,
        sha('a'),
        NOW,
      ),
    attachment: (repo: string, bytes: number) =>
      db.run(
        'INSERT INTO attachments VALUES (?1, ?2, ?1, ?3, ?4, ?5, ?6, ?7, NULL)',
        next(),
        repo,
        'x',
        bytes,
        sha('a'),
        'usr',
        NOW,
      ),
    artifact: (repo: string, bytes: number, sha256: string | null = sha('a')) =>
      db.run(
        `INSERT INTO artifacts (id, repo_id, run_id, attempt, job_key, name, size_in_bytes, sha256,
           created_at, expires_at) VALUES (?1, ?2, 'run', 1, 'job', ?1, ?3, ?4, ?5, ?5)`,
        next(),
        repo,
        bytes,
        sha256,
        NOW,
      ),
    cache: (repo: string, bytes: number) =>
      db.run(
        `INSERT INTO caches (id, repo_id, ref, key, version, size_in_bytes, sha256, created_at,
           last_used_at) VALUES (?1, ?2, 'main', ?1, '1', ?3, ?4, ?5, ?5)`,
        next(),
        repo,
        bytes,
        sha('a'),
        NOW,
      ),
    job: (repo: string, id: string) =>
      db.run(
        `INSERT INTO workflow_jobs (id, run_id, repo_id, workspace_id, attempt, key, position, job_id,
           name, needs, plan, labels, stage, status)
         VALUES (?1, 'run', ?2, 'one', 1, ?1, 0, ?1, ?1, '[]', '{}', '[]', 'pending', 'queued')`,
        id,
        repo,
      ),
    log: (job: string, bytes: number) =>
      db.run('UPDATE workflow_jobs SET log_stored_bytes = ? WHERE id = ?', bytes, job),
  }
}

test('the files of a repository are counted from a migrated database on, through every change', () => {
  const db = openDatabase({ path: ':memory:' })
  migrate(
    db,
    NOW,
    migrations.filter(({ name }) => name < '0088'),
  )
  // Rows without parents are no business of this test.
  db.exec('PRAGMA foreign_keys = OFF')
  for (const [id, workspace_id] of [
    ['rep_1', 'one'],
    ['rep_2', 'one'],
    ['rep_3', 'two'],
  ] as const)
    db.run(
      `INSERT INTO repos (id, workspace_id, name, store, private, refs_generation, created_by,
         created_at, updated_at) VALUES (?1, ?2, ?1, ?1, 0, 'x', 'usr', ?3, ?3)`,
      id,
      workspace_id,
      NOW,
    )
  const rows = rowsOf(db)
  const seen = () =>
    KINDS.map((kind) => {
      const { files, bytes } = storageOfRepo(db, 'rep_1', kind)
      const sums = storedBytesCounter(kind)(db, ['one', 'two', 'three'])
      expect(sums.get('one') ?? 0).toBe(bytes + storageOfRepo(db, 'rep_2', kind).bytes)
      expect(sums.get('two') ?? 0).toBe(storageOfRepo(db, 'rep_3', kind).bytes)
      return `${kind} ${files} ${bytes}`
    })
  const add = () => {
    for (const repo of ['rep_1', 'rep_1', 'rep_2', 'rep_3']) {
      rows.lfs(repo, 1)
      rows.attachment(repo, 3)
      rows.artifact(repo, 4)
      rows.artifact(repo, 4, null)
      rows.cache(repo, 5)
    }
    rows.asset('rel', 2)
    rows.asset('rel', 2)
    rows.log('job', 6)
  }
  rows.release('rep_1', 'rel')
  rows.job('rep_1', 'job')
  add()
  db.exec(migrations.find(({ name }) => name.startsWith('0088'))?.sql ?? '')
  const once = ['lfs 2 2', 'release_assets 2 4', 'attachments 2 6', 'artifacts 2 8', 'caches 2 10']
  const twice = [
    'lfs 4 4',
    'release_assets 4 8',
    'attachments 4 12',
    'artifacts 4 16',
    'caches 4 20',
  ]
  expect(seen()).toEqual([...once, 'logs 1 6'])
  add()
  rows.job('rep_1', 'another')
  rows.log('another', 10)
  rows.log('job', 7)
  expect(seen()).toEqual([...twice, 'logs 2 17'])
  rows.log('job', 0)
  expect(seen()).toEqual([...twice, 'logs 1 10'])

  db.run(`UPDATE artifacts SET sha256 = NULL WHERE repo_id = 'rep_1' AND id =
    (SELECT min(id) FROM artifacts WHERE repo_id = 'rep_1' AND sha256 IS NOT NULL)`)
  for (const table of ['lfs_objects', 'attachments', 'artifacts', 'caches'])
    db.run(`DELETE FROM ${table} WHERE repo_id = 'rep_1'`)
  db.run(`DELETE FROM releases WHERE id = 'rel'`)
  db.run('DELETE FROM workflow_jobs')
  expect(seen()).toEqual(KINDS.map((kind) => `${kind} 0 0`))
  expect(listStorageOfWorkspace(db, 'one', 'lfs')).toEqual([
    { repo_id: 'rep_2', files: 2, bytes: 2 },
  ])
  db.close()
})

test('what a repository stores goes with it to another workspace, and away with its row', async () => {
  const { world, ada, workspace, repo, store } = await makeLfsWorld()
  const other = await world.workspace('other', { owner: ada })
  await store('cat')
  const bytes = () => {
    const counts = storedBytesCounter('lfs')(world.hearth.db, [workspace.id, other.id])
    return [counts.get(workspace.id), counts.get(other.id)]
  }
  expect(bytes()).toEqual([3, undefined])
  await world.call(transferRepo, ada, { repo: REPO, to: 'other' })
  expect(bytes()).toEqual([undefined, 3])
  await world.write((tx) => void tx.db.run('DELETE FROM repos WHERE id = ?', repo.id))
  expect(world.hearth.db.all('SELECT * FROM repo_storage')).toEqual([])
})
