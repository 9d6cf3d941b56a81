/**
 * Holds a database against what was acknowledged and against itself. It reads the file beside the
 * forge, never through it.
 */
import { Database } from 'bun:sqlite'
import { counters } from './counters.ts'
import type { Acknowledged, Ledger } from './ledger.ts'
import { checkRaces, type RaceHistory } from './racer.ts'
import { events, pushes } from './told.ts'

export type RefOf = { readonly repo_id: string; readonly name: string; readonly oid: string }
/** A repository with the refs of it and of its forks, which share its store. */
export type Family = {
  readonly store: string
  readonly name: string
  readonly refs: readonly RefOf[]
}
export type MergedPull = {
  readonly store: string
  readonly repo_id: string
  readonly number: number
  readonly base_ref: string
  readonly commit: string
}

/** What the object stores must hold, as the database says. */
export type Expected = {
  readonly families: readonly Family[]
  readonly merged: readonly MergedPull[]
}

export type Ask = <T>(sql: string, ...params: (string | number)[]) => T[]

/** Ids of all repositories and forks by their full names. */
export type Repos = ReadonlyMap<string, string>

/** Everything that is wrong, in words, and what the stores must hold; read in one transaction. */
export function checkDatabase(
  path: string,
  ledgers: readonly Ledger[],
  races: RaceHistory,
): { problems: string[]; expected: Expected } {
  const db = new Database(path, { readonly: true, strict: true })
  try {
    db.run('PRAGMA busy_timeout = 10000')
    db.run('BEGIN')
    const ask: Ask = <T>(sql: string, ...params: (string | number)[]) =>
      db.query(sql).all(...params) as T[]
    const repos = repositories(ask)
    const problems = [
      ...sound(ask),
      ...lost(ask, repos, ledgers),
      ...givenTwice(ask, ledgers),
      ...events(ask),
      ...pushes(ask, repos, ledgers),
      ...checkRaces(ask, repos, races),
      ...counters(ask),
      ...failedJobs(ask),
    ]
    return { problems, expected: expectedOf(ask) }
  } finally {
    db.close()
  }
}

/** SQLite's own checks (sqlite.org/pragma.html, `integrity_check` and `foreign_key_check`). */
export function sound(ask: Ask): string[] {
  const integrity = ask<{ integrity_check: string }>('PRAGMA integrity_check').map(
    (row) => row.integrity_check,
  )
  const foreign = ask<{ table: string; rowid: number; parent: string }>('PRAGMA foreign_key_check')
  return [
    ...integrity.filter((word) => word !== 'ok').map((word) => `integrity: ${word}`),
    ...foreign.map(
      ({ table, rowid, parent }) => `foreign key: ${table} ${rowid} names no row of ${parent}`,
    ),
  ]
}

/**
 * Makes the packing of stores due now, though their pushes were a moment ago: it then runs while
 * the next life begins, and is cut off as often as everything else. The forge must not be running.
 */
export function hastenMaintenance(path: string): number {
  const db = new Database(path, { strict: true })
  try {
    return db.run(
      "UPDATE jobs SET run_at = 0 WHERE kind IN ('maintain_store', 'collect_weekly', 'collect_stores') AND state = 'waiting'",
    ).changes
  } finally {
    db.close()
  }
}

export const failedJobs = (ask: Ask): string[] =>
  ask<{ kind: string; error: string }>('SELECT kind, error FROM jobs WHERE error IS NOT NULL').map(
    ({ kind, error }) => `the job ${kind} failed: ${error}`,
  )

export const repositories = (ask: Ask): Repos =>
  new Map(
    ask<{ id: string; name: string }>(
      `SELECT repos.id, actors.username || '/' || repos.name || coalesce('/pull/' || repos.pull_number, '') AS name
       FROM repos JOIN actors ON actors.id = repos.workspace_id`,
    ).map(({ id, name }) => [name, id]),
  )

/** Acknowledged writes that are not there, or not as they were acknowledged. */
function lost(ask: Ask, repos: Repos, ledgers: readonly Ledger[]): string[] {
  const gone = (entry: Acknowledged): boolean => {
    const repo = repos.get(entry.repo)
    return repo === undefined || !isThere(ask, repo, entry)
  }
  return ledgers.flatMap(({ entries }) =>
    entries.filter(gone).map((entry) => `acknowledged and lost: ${JSON.stringify(entry)}`),
  )
}

function isThere(ask: Ask, repo: string, entry: Acknowledged): boolean {
  const one = (sql: string, ...params: (string | number)[]): boolean =>
    ask(sql, repo, ...params).length === 1
  switch (entry.kind) {
    case 'repo':
      return repo === entry.id
    case 'issue':
      return one(
        `SELECT 1 FROM issues JOIN records USING (repo_id, number) WHERE repo_id = ? AND number = ? AND id = ? AND title = ? AND kind = 'issue'`,
        entry.number,
        entry.id,
        entry.title,
      )
    case 'pull':
      return one(
        `SELECT 1 FROM pulls JOIN records USING (repo_id, number)
         WHERE repo_id = ? AND number = ? AND pulls.id = ? AND records.title = ? AND kind = 'pull'`,
        entry.number,
        entry.id,
        entry.title,
      )
    case 'session':
      return one(
        'SELECT 1 FROM session_entries JOIN pulls ON pulls.id = pull_id WHERE repo_id = ? AND number = ? AND seq = ? AND text = ?',
        entry.number,
        entry.last_seq,
        entry.text,
      )
    case 'ready':
      return one(
        'SELECT 1 FROM pulls WHERE repo_id = ? AND number = ? AND ready_at IS NOT NULL',
        entry.number,
      )
    case 'merge':
      return one(
        `SELECT 1 FROM pulls WHERE repo_id = ? AND number = ? AND status = 'merged' AND merge_commit_sha = ?`,
        entry.number,
        entry.commit,
      )
    case 'comment':
      return one(
        'SELECT 1 FROM comments WHERE repo_id = ? AND number = ? AND id = ? AND body = ?',
        entry.number,
        entry.id,
        entry.body,
      )
    case 'push':
      // Held against the refs, in `pushes`.
      return true
  }
}

/**
 * Texts of which every client writes each once: one that is there twice is a request that was
 * carried out twice.
 */
const ONCE: readonly [string, string][] = [
  [
    'title',
    'SELECT title AS text, count(*) AS times FROM records GROUP BY repo_id, title HAVING times > 1',
  ],
  [
    'comment',
    'SELECT body AS text, count(*) AS times FROM comments GROUP BY repo_id, body HAVING times > 1',
  ],
  [
    'session entry',
    'SELECT text, count(*) AS times FROM session_entries WHERE author_id IS NOT NULL GROUP BY pull_id, text HAVING times > 1',
  ],
]

/**
 * Numbers that two answers gave or that will be given again, and texts that a repeated request
 * wrote twice.
 */
function givenTwice(ask: Ask, ledgers: readonly Ledger[]): string[] {
  const problems: string[] = []
  const given = new Map<string, string>()
  for (const entry of ledgers.flatMap(({ entries }) => entries)) {
    if (entry.kind !== 'issue' && entry.kind !== 'pull') continue
    const name = `${entry.repo}#${entry.number}`
    const other = given.get(name)
    if (other !== undefined) problems.push(`${name} was given to ${other} and to ${entry.id}`)
    given.set(name, entry.id)
  }
  const again =
    'SELECT name, next_number FROM repos WHERE next_number <= (SELECT max(number) FROM records WHERE repo_id = repos.id)'
  problems.push(
    ...ask<{ name: string; next_number: number }>(again).map(
      (row) => `${row.name} gives #${row.next_number} once more`,
    ),
  )
  for (const [what, sql] of ONCE) {
    problems.push(
      ...ask<{ text: string; times: number }>(sql).map(
        ({ text, times }) => `${times} times there: the ${what} ${JSON.stringify(text)}`,
      ),
    )
  }
  return problems
}

export function expectedOf(ask: Ask): Expected {
  const families = ask<{ store: string; name: string }>(
    'SELECT store, name FROM repos WHERE parent_id IS NULL',
  )
  const refs = Map.groupBy(
    ask<RefOf & { store: string }>(
      'SELECT repo_id, refs.name, oid, store FROM refs JOIN repos ON repos.id = repo_id',
    ),
    ({ store }) => store,
  )
  return {
    families: families.map(({ store, name }) => ({ store, name, refs: refs.get(store) ?? [] })),
    merged: ask<MergedPull>(
      `SELECT store, repo_id, number, base_ref, merge_commit_sha AS "commit" FROM pulls JOIN repos ON repos.id = repo_id WHERE status = 'merged'`,
    ),
  }
}
