/**
 * SQL for the indexed words of issues, pull requests and repositories, read from the forge's
 * database.
 */
import type { DatabaseHandle } from '#core/db.ts'
import { indexTransaction, readMeta, writeMeta } from './store-index.ts'

export type RecordKey = { readonly repo_id: string; readonly number: number }

/** Only the beginning of a long text is indexed, because long texts are mostly pasted logs. */
const MAX_BODY_LENGTH = 256 * 1024
const MAX_COMMENTS_LENGTH = 1024 * 1024
const MAX_COMMENTS = 2_000

type RecordText = {
  seq: number
  repo_id: string
  number: number
  kind: string
  title: string
  body: string | null
}

const SELECT_RECORD_TEXT = `SELECT r.seq, r.repo_id, r.number, r.kind, r.title,
    substr(coalesce(i.body, p.body, ''), 1, ${MAX_BODY_LENGTH}) AS body FROM forge.records r
  LEFT JOIN forge.issues i ON r.kind = 'issue' AND i.repo_id = r.repo_id AND i.number = r.number
  LEFT JOIN forge.pulls p ON r.kind = 'pull' AND p.repo_id = r.repo_id AND p.number = r.number`

/** The index word for a repository. */
export const repoWord = (repo_id: string): string => repo_id.slice(repo_id.lastIndexOf('_') + 1)

function readComments(db: DatabaseHandle, { repo_id, number }: RecordKey): string {
  const rows = db.all<{ body: string }>(
    'SELECT body FROM forge.comments WHERE repo_id = ? AND number = ? ORDER BY id LIMIT ?',
    repo_id,
    number,
    MAX_COMMENTS,
  )
  let text = ''
  for (const { body } of rows) {
    if (text.length > MAX_COMMENTS_LENGTH) break
    // A private-use character as a word, so that no phrase matches across comments.
    text += `${body.slice(0, MAX_BODY_LENGTH)}\n\u{e000}\n`
  }
  return text
}

function putText(db: DatabaseHandle, source: RecordText): void {
  db.run('INSERT OR REPLACE INTO texts (seq, repo_id) VALUES (?, ?)', source.seq, source.repo_id)
  db.run(
    'INSERT OR REPLACE INTO text_fts (rowid, repo, kind, title, body, comments) VALUES (?, ?, ?, ?, ?, ?)',
    source.seq,
    repoWord(source.repo_id),
    source.kind,
    source.title,
    source.body ?? '',
    readComments(db, source),
  )
}

/** Indexes these records again. Records of purged repositories are removed with the repository. */
export function putTexts(db: DatabaseHandle, keys: readonly RecordKey[]): void {
  indexTransaction(db, () => {
    for (const { repo_id, number } of keys) {
      const source = db.one<RecordText>(
        `${SELECT_RECORD_TEXT} WHERE r.repo_id = ? AND r.number = ?`,
        repo_id,
        number,
      )
      if (source) putText(db, source)
    }
  })
}

type RepoText = { id: string; name: string; description: string | null; topics: string }

function putName(db: DatabaseHandle, repo_id: string, source: RepoText | null): void {
  const known =
    db.one<{ id: number }>('SELECT id FROM names WHERE repo_id = ?', repo_id)?.id ?? null
  if (!source) {
    if (known === null) return
    db.run('DELETE FROM name_fts WHERE rowid = ?', known)
    db.run('DELETE FROM names WHERE id = ?', known)
    return
  }
  const id =
    known ??
    db.one<{ id: number }>('INSERT INTO names (repo_id) VALUES (?) RETURNING id', repo_id)?.id ??
    0
  const topics = (JSON.parse(source.topics) as string[]).join(' ')
  db.run(
    'INSERT OR REPLACE INTO name_fts (rowid, name, description, topics) VALUES (?, ?, ?, ?)',
    id,
    source.name,
    source.description ?? '',
    topics,
  )
}

const SELECT_REPO_TEXT =
  'SELECT id, name, description, topics FROM forge.repos WHERE parent_id IS NULL AND purged_at IS NULL'

/** Indexes the current names of repositories, and removes purged ones. */
export function putNames(db: DatabaseHandle, repo_ids: readonly string[]): void {
  indexTransaction(db, () => {
    for (const id of repo_ids)
      putName(db, id, db.one<RepoText>(`${SELECT_REPO_TEXT} AND id = ?`, id))
  })
}

const REMOVED_PER_BATCH = 500

/** Deletes some of the words of a purged repository. Returns whether more remain. */
export function removeTexts(db: DatabaseHandle, repo_id: string): boolean {
  return indexTransaction(db, () => {
    const seqs = db.all<{ seq: number }>(
      'SELECT seq FROM texts WHERE repo_id = ? LIMIT ?',
      repo_id,
      REMOVED_PER_BATCH,
    )
    for (const { seq } of seqs) {
      db.run('DELETE FROM text_fts WHERE rowid = ?', seq)
      db.run('DELETE FROM texts WHERE seq = ?', seq)
    }
    return seqs.length === REMOVED_PER_BATCH
  })
}

const RECORDS_PER_STEP = 200
const REPOS_PER_STEP = 200

/**
 * One step of the initial build. The position is stored in the same commit, so an interruption
 * loses nothing. Returns the repositories of this step, whose code must be indexed as well; null
 * when the build is complete.
 */
export function rebuildStep(db: DatabaseHandle): { readonly repos: readonly string[] } | null {
  return indexTransaction(db, () => {
    if (readMeta(db, 'complete') === '1') return null
    const seq = Number(readMeta(db, 'records') ?? 0)
    const records = db.all<RecordText>(
      `${SELECT_RECORD_TEXT} WHERE r.seq > ? ORDER BY r.seq LIMIT ?`,
      seq,
      RECORDS_PER_STEP,
    )
    for (const source of records) putText(db, source)
    const last = records.at(-1)
    if (last) {
      writeMeta(db, 'records', String(last.seq))
      return { repos: [] }
    }
    const after = readMeta(db, 'repos') ?? ''
    const repos = db.all<RepoText>(
      `${SELECT_REPO_TEXT} AND id > ? ORDER BY id LIMIT ?`,
      after,
      REPOS_PER_STEP,
    )
    for (const source of repos) putName(db, source.id, source)
    const lastRepo = repos.at(-1)
    if (lastRepo) writeMeta(db, 'repos', lastRepo.id)
    else writeMeta(db, 'complete', '1')
    return { repos: repos.map(({ id }) => id) }
  })
}

export const isComplete = (db: DatabaseHandle): boolean => readMeta(db, 'complete') === '1'
