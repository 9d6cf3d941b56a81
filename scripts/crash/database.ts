/** Holds a database against what was acknowledged and against itself. It reads the file beside the forge, never through it. */
import { Database } from 'bun:sqlite'
import type { Acknowledged, Ledger } from './ledger.ts'

export type RefOf = { readonly repo_id: string; readonly name: string; readonly oid: string }
export type Family = { readonly store: string; readonly name: string; readonly refs: readonly RefOf[] }
export type MergedPull = { readonly store: string; readonly repo_id: string; readonly number: number; readonly base_ref: string; readonly commit: string }

/** What the object stores must hold, as the database says. */
export type Expected = { readonly families: readonly Family[]; readonly merged: readonly MergedPull[] }

type Ask = <T>(sql: string, ...params: (string | number)[]) => T[]

/** Everything that is wrong, in words, and what the stores must hold; read in one transaction. */
export function checkDatabase(path: string, ledgers: readonly Ledger[]): { problems: string[]; expected: Expected } {
  const db = new Database(path, { readonly: true, strict: true })
  try {
    db.run('PRAGMA busy_timeout = 10000')
    db.run('BEGIN')
    const ask: Ask = <T>(sql: string, ...params: (string | number)[]) => db.query(sql).all(...params) as T[]
    const repos = repositories(ask)
    const problems = [
      ...ask<{ integrity_check: string }>('PRAGMA integrity_check').map((row) => row.integrity_check).filter((word) => word !== 'ok').map((word) => `integrity: ${word}`),
      ...ask<{ table: string; rowid: number; parent: string }>('PRAGMA foreign_key_check').map((row) => `foreign key: ${row.table} ${row.rowid} names no row of ${row.parent}`),
      ...lost(ask, repos, ledgers),
      ...givenTwice(ask, ledgers),
      ...events(ask),
      ...pushes(ask, repos, ledgers),
      ...counters(ask),
      ...ask<{ kind: string; error: string }>(`SELECT kind, error FROM jobs WHERE error IS NOT NULL`).map(({ kind, error }) => `the job ${kind} failed: ${error}`),
    ]
    return { problems, expected: expectedOf(ask) }
  } finally {
    db.close()
  }
}

type Repos = ReadonlyMap<string, string>

/** Ids of all repositories and forks by their full names. */
const repositories = (ask: Ask): Repos =>
  new Map(
    ask<{ id: string; name: string }>(
      `SELECT repos.id, actors.username || '/' || repos.name || coalesce('/pull/' || repos.pull_number, '') AS name
       FROM repos JOIN actors ON actors.id = repos.workspace_id`,
    ).map(({ id, name }) => [name, id]),
  )

/** Acknowledged writes that are not there, or not as they were acknowledged. */
function lost(ask: Ask, repos: Repos, ledgers: readonly Ledger[]): string[] {
  const has = (entry: Acknowledged): boolean => {
    const repo = repos.get(entry.repo)
    if (repo === undefined) return false
    switch (entry.kind) {
      case 'repo':
        return repo === entry.id
      case 'issue':
        return ask(
          `SELECT 1 FROM issues JOIN records USING (repo_id, number) WHERE id = ? AND repo_id = ? AND number = ? AND title = ? AND kind = 'issue'`,
          entry.id, repo, entry.number, entry.title,
        ).length === 1
      case 'pull':
        return ask(
          `SELECT 1 FROM pulls JOIN records USING (repo_id, number) WHERE pulls.id = ? AND repo_id = ? AND number = ? AND records.title = ? AND kind = 'pull'`,
          entry.id, repo, entry.number, entry.title,
        ).length === 1
      case 'session':
        return ask(
          'SELECT 1 FROM session_entries JOIN pulls ON pulls.id = pull_id WHERE repo_id = ? AND number = ? AND seq = ? AND text = ?',
          repo, entry.number, entry.last_seq, entry.text,
        ).length === 1
      case 'ready':
        return ask('SELECT 1 FROM pulls WHERE repo_id = ? AND number = ? AND ready_at IS NOT NULL', repo, entry.number).length === 1
      case 'merge':
        return ask(`SELECT 1 FROM pulls WHERE repo_id = ? AND number = ? AND status = 'merged' AND merge_commit_sha = ?`, repo, entry.number, entry.commit).length === 1
      case 'comment':
        return ask('SELECT 1 FROM comments WHERE id = ? AND repo_id = ? AND number = ? AND body = ?', entry.id, repo, entry.number, entry.body).length === 1
      case 'push':
        return true // held against the refs in `pushes`
    }
  }
  return ledgers.flatMap(({ entries }) => entries.filter((entry) => !has(entry)).map((entry) => `acknowledged and lost: ${JSON.stringify(entry)}`))
}

/** Numbers that two answers gave, and texts that a repeated request wrote twice. */
function givenTwice(ask: Ask, ledgers: readonly Ledger[]): string[] {
  const problems: string[] = []
  const given = new Map<string, string>()
  for (const { entries } of ledgers) {
    for (const entry of entries) {
      if (entry.kind !== 'issue' && entry.kind !== 'pull') continue
      const name = `${entry.repo}#${entry.number}`
      const other = given.get(name)
      if (other !== undefined) problems.push(`${name} was given to ${other} and to ${entry.id}`)
      given.set(name, entry.id)
    }
  }
  const twice = (what: string, sql: string) =>
    problems.push(...ask<{ text: string; times: number }>(sql).map(({ text, times }) => `${times} times there: the ${what} ${JSON.stringify(text)}`))
  twice('title', 'SELECT title AS text, count(*) AS times FROM records GROUP BY repo_id, title HAVING times > 1')
  twice('comment', 'SELECT body AS text, count(*) AS times FROM comments GROUP BY repo_id, body HAVING times > 1')
  twice('session entry', 'SELECT text, count(*) AS times FROM session_entries WHERE author_id IS NOT NULL GROUP BY pull_id, text HAVING times > 1')
  twice('number', 'SELECT name || next_number AS text, 2 AS times FROM repos WHERE next_number <= (SELECT max(number) FROM records WHERE repo_id = repos.id)')
  return problems
}

/** A change that must have been told: where it is, and its event. The keys of both must be the same, each once. */
const TOLD: readonly { event: string; change: string; key: string }[] = [
  { event: 'issue.opened', key: `repo_id || '#' || number`, change: `SELECT repo_id || '#' || number AS key FROM issues` },
  { event: 'issue.closed', key: `repo_id || '#' || number`, change: `SELECT repo_id || '#' || number AS key FROM issues WHERE closed_at IS NOT NULL` },
  { event: 'pull.opened', key: `repo_id || '#' || number`, change: `SELECT repo_id || '#' || number AS key FROM pulls` },
  { event: 'pull.ready', key: `repo_id || '#' || number`, change: `SELECT repo_id || '#' || number AS key FROM pulls WHERE ready_at IS NOT NULL` },
  {
    event: 'pull.merged', key: `repo_id || '#' || number || ' as ' || (data ->> 'commit')`,
    change: `SELECT repo_id || '#' || number || ' as ' || merge_commit_sha AS key FROM pulls WHERE status = 'merged'`,
  },
  { event: 'comment.created', key: `data ->> 'comment'`, change: 'SELECT id AS key FROM comments' },
  { event: 'repo.created', key: 'repo_id', change: 'SELECT id AS key FROM repos WHERE parent_id IS NULL' },
  { event: 'repo.forked', key: `repo_id || '#' || (data ->> 'pull')`, change: `SELECT parent_id || '#' || pull_number AS key FROM repos WHERE parent_id IS NOT NULL` },
]

function events(ask: Ask): string[] {
  const problems: string[] = []
  for (const { event, key, change } of TOLD) {
    const changes = new Set(ask<{ key: string }>(change).map((row) => row.key))
    const told = ask<{ key: string }>(`SELECT ${key} AS key FROM events WHERE type = ?`, event).map((row) => row.key)
    const seen = new Set<string>()
    for (const one of told) {
      if (!changes.has(one)) problems.push(`${event} without its change: ${one}`)
      if (seen.has(one)) problems.push(`${event} twice: ${one}`)
      seen.add(one)
    }
    for (const one of changes) if (!seen.has(one)) problems.push(`a change without its ${event}: ${one}`)
  }
  return problems
}

/** Each ref must be where its last event says, its events must follow one another, and no acknowledged push may be gone. */
function pushes(ask: Ask, repos: Repos, ledgers: readonly Ledger[]): string[] {
  const problems: string[] = []
  const refs = new Map(ask<RefOf>('SELECT repo_id, name, oid FROM refs').map((ref) => [`${ref.repo_id} ${ref.name}`, ref.oid]))
  const moves = new Map<string, Map<string | null, string | null>>()
  const told = `SELECT repo_id, data ->> 'ref' AS ref, data ->> 'before' AS before, data ->> 'after' AS after FROM events WHERE type = 'git.push'`
  for (const { repo_id, ref, before, after } of ask<{ repo_id: string; ref: string; before: string | null; after: string | null }>(told)) {
    const name = `${repo_id} ${ref}`
    const steps = moves.get(name) ?? new Map<string | null, string | null>()
    if (steps.has(before)) problems.push(`${name} left ${before} twice`)
    moves.set(name, steps.set(before, after))
  }
  for (const [name, steps] of moves) {
    const reached = new Set(steps.values())
    let at = [...steps.keys()].find((from) => !reached.has(from)) ?? null
    let walked = 0
    for (let next = steps.get(at); next !== undefined && walked < steps.size; next = steps.get(at)) {
      at = next
      walked++
    }
    if (walked !== steps.size) problems.push(`the events of ${name} do not follow one another`)
    else if (at !== (refs.get(name) ?? null)) problems.push(`${name} is at ${refs.get(name)}, its last event says ${at}`)
  }
  for (const { entries, sent } of ledgers) {
    for (const entry of entries) {
      if (entry.kind !== 'push') continue
      const at = refs.get(`${repos.get(entry.repo)} ${entry.ref}`) ?? ''
      const order = sent.get(`${entry.repo} ${entry.ref}`) ?? []
      if (order.indexOf(at) < order.indexOf(entry.oid)) problems.push(`acknowledged and lost: ${JSON.stringify(entry)}; the ref is at ${at || 'nothing'}`)
    }
  }
  return problems
}

/** Numbers that are kept beside what they count. */
const COUNTED: readonly [string, string][] = [
  ['comments of a record', 'SELECT number FROM records WHERE comments_count <> (SELECT count(*) FROM comments WHERE comments.repo_id = records.repo_id AND comments.number = records.number)'],
  ['open issues of a repository', `SELECT name FROM repos WHERE parent_id IS NULL AND open_issues_count <> (SELECT count(*) FROM records WHERE repo_id = repos.id AND kind = 'issue' AND open = 1)`],
  ['open pulls of a repository', `SELECT name FROM repos WHERE parent_id IS NULL AND open_pulls_count <> (SELECT count(*) FROM records WHERE repo_id = repos.id AND kind = 'pull' AND open = 1)`],
  ['records by kind', 'SELECT kind FROM record_counts AS kept WHERE count <> (SELECT count(*) FROM records WHERE repo_id = kept.repo_id AND kind = kept.kind AND open = kept.open)'],
  ['entries of a session', 'SELECT number FROM pulls WHERE session_entries <> (SELECT count(*) FROM session_entries WHERE pull_id = pulls.id)'],
  ['the last entry of a session', 'SELECT number FROM pulls WHERE session_entries <> coalesce((SELECT max(seq) FROM session_entries WHERE pull_id = pulls.id), 0)'],
  ['open records of closed pulls', `SELECT number FROM pulls JOIN records USING (repo_id, number) WHERE records.open <> pulls.active`],
  ['repositories of a workspace', 'SELECT id FROM workspaces WHERE repositories_count <> (SELECT count(*) FROM repos WHERE workspace_id = workspaces.id AND parent_id IS NULL AND deleted_at IS NULL)'],
  ['indexed texts of issues', `SELECT seq FROM records WHERE kind = 'issue' AND seq NOT IN (SELECT rowid FROM record_fts)`],
]

const counters = (ask: Ask): string[] =>
  COUNTED.flatMap(([what, sql]) => {
    const wrong = ask<Record<string, unknown>>(sql)
    return wrong.length === 0 ? [] : [`${what}: ${wrong.length} wrong, such as ${JSON.stringify(wrong[0])}`]
  })

function expectedOf(ask: Ask): Expected {
  const families = ask<{ store: string; name: string }>('SELECT store, name FROM repos WHERE parent_id IS NULL')
  const refs = ask<RefOf & { store: string }>('SELECT repo_id, refs.name, oid, store FROM refs JOIN repos ON repos.id = repo_id')
  return {
    families: families.map(({ store, name }) => ({ store, name, refs: refs.filter((ref) => ref.store === store) })),
    merged: ask<MergedPull>(
      `SELECT store, repo_id, number, base_ref, merge_commit_sha AS "commit" FROM pulls JOIN repos ON repos.id = repo_id WHERE status = 'merged'`,
    ),
  }
}
