/** Taking in the words of issues, pull requests and repositories, as the forge has them now. */
import type { DatabaseHandle } from '#core/db.ts'
import { inIndex, readMeta, writeMeta } from './store-index.ts'

export type RecordKey = { readonly repo_id: string; readonly number: number }

/**
 * Of one record at most so much is taken in, the beginning of it: a log that was pasted is not what
 * people look for.
 */
const LONGEST_BODY = 256 * 1024
const LONGEST_COMMENTS = 1024 * 1024
const MOST_COMMENTS = 2_000

type Source = {
  seq: number
  repo_id: string
  number: number
  kind: string
  title: string
  body: string | null
}

const SOURCE = `SELECT r.seq, r.repo_id, r.number, r.kind, r.title, substr(coalesce(i.body, p.body, ''), 1, ${LONGEST_BODY}) AS body FROM forge.records r
  LEFT JOIN forge.issues i ON r.kind = 'issue' AND i.repo_id = r.repo_id AND i.number = r.number
  LEFT JOIN forge.pulls p ON r.kind = 'pull' AND p.repo_id = r.repo_id AND p.number = r.number`

/** The word that stands for a repository. */
export const repoWord = (repo_id: string): string => repo_id.slice(repo_id.lastIndexOf('_') + 1)

function commentsOf(db: DatabaseHandle, { repo_id, number }: RecordKey): string {
  const rows = db.all<{ body: string }>(
    'SELECT body FROM forge.comments WHERE repo_id = ? AND number = ? ORDER BY id LIMIT ?',
    repo_id,
    number,
    MOST_COMMENTS,
  )
  let text = ''
  for (const { body } of rows) {
    if (text.length > LONGEST_COMMENTS) break
    // A word that no one types, so that no phrase goes from one comment into the next.
    text += `${body.slice(0, LONGEST_BODY)}\n\u{e000}\n`
  }
  return text
}

function putText(db: DatabaseHandle, source: Source): void {
  db.run('INSERT OR REPLACE INTO texts (seq, repo_id) VALUES (?, ?)', source.seq, source.repo_id)
  db.run(
    'INSERT OR REPLACE INTO text_fts (rowid, repo, kind, title, body, comments) VALUES (?, ?, ?, ?, ?, ?)',
    source.seq,
    repoWord(source.repo_id),
    source.kind,
    source.title,
    source.body ?? '',
    commentsOf(db, source),
  )
}

/** Takes in these records anew; those that are gone were taken away by their repository. */
export function putTexts(db: DatabaseHandle, keys: readonly RecordKey[]): void {
  inIndex(db, () => {
    for (const { repo_id, number } of keys) {
      const source = db.one<Source>(
        `${SOURCE} WHERE r.repo_id = ? AND r.number = ?`,
        repo_id,
        number,
      )
      if (source) putText(db, source)
    }
  })
}

type RepoSource = { id: string; name: string; description: string | null; topics: string }

function putName(db: DatabaseHandle, repo_id: string, source: RepoSource | null): void {
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

const REPO_SOURCE =
  'SELECT id, name, description, topics FROM forge.repos WHERE parent_id IS NULL AND purged_at IS NULL'

/** Takes in repositories as they are called now; those that are gone leave. */
export function putNames(db: DatabaseHandle, repo_ids: readonly string[]): void {
  inIndex(db, () => {
    for (const id of repo_ids) putName(db, id, db.one<RepoSource>(`${REPO_SOURCE} AND id = ?`, id))
  })
}

const REMOVED_AT_ONCE = 500

/**
 * Takes away the words of a repository that is gone, some of them. Gives whether there may be more.
 */
export function removeTexts(db: DatabaseHandle, repo_id: string): boolean {
  return inIndex(db, () => {
    const seqs = db.all<{ seq: number }>(
      'SELECT seq FROM texts WHERE repo_id = ? LIMIT ?',
      repo_id,
      REMOVED_AT_ONCE,
    )
    for (const { seq } of seqs) {
      db.run('DELETE FROM text_fts WHERE rowid = ?', seq)
      db.run('DELETE FROM texts WHERE seq = ?', seq)
    }
    return seqs.length === REMOVED_AT_ONCE
  })
}

const RECORDS_AT_ONCE = 200
const REPOS_AT_ONCE = 200

/**
 * Goes through all that the forge has, some at a time, and takes it in; where it got to is kept in
 * the same commit, so that a stop loses nothing. Gives the repositories of this step, whose code is
 * to be taken in too, and null when all is done.
 */
export function rebuildStep(db: DatabaseHandle): { readonly repos: readonly string[] } | null {
  return inIndex(db, () => {
    if (readMeta(db, 'complete') === '1') return null
    const seq = Number(readMeta(db, 'records') ?? 0)
    const records = db.all<Source>(
      `${SOURCE} WHERE r.seq > ? ORDER BY r.seq LIMIT ?`,
      seq,
      RECORDS_AT_ONCE,
    )
    for (const source of records) putText(db, source)
    const last = records.at(-1)
    if (last) {
      writeMeta(db, 'records', String(last.seq))
      return { repos: [] }
    }
    const after = readMeta(db, 'repos') ?? ''
    const repos = db.all<RepoSource>(
      `${REPO_SOURCE} AND id > ? ORDER BY id LIMIT ?`,
      after,
      REPOS_AT_ONCE,
    )
    for (const source of repos) putName(db, source.id, source)
    const lastRepo = repos.at(-1)
    if (lastRepo) writeMeta(db, 'repos', lastRepo.id)
    else writeMeta(db, 'complete', '1')
    return { repos: repos.map(({ id }) => id) }
  })
}

export const isComplete = (db: DatabaseHandle): boolean => readMeta(db, 'complete') === '1'
