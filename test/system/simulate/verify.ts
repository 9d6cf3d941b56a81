/**
 * Holds what is on the disk against what callers were promised and what must always be true. The
 * forge is not running.
 */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { counters } from '../crash/counters.ts'
import {
  expectedOf,
  failedJobs,
  repositories,
  sound,
  type Ask,
  type Expected,
} from '../crash/database.ts'
import { borrow, checkObjects } from '../crash/objects.ts'
import { events, pushes } from '../crash/told.ts'
import { git, runGit } from '../../../scripts/support/git.ts'
import { BROKEN, type Board, type Place } from './board.ts'
import type { Diary } from './diary.ts'
import type { Receiver } from './receiver.ts'

export const openData = (data: string): { db: Database; ask: Ask } => {
  const db = new Database(join(data, 'hearth.db'), { readonly: true, strict: true })
  db.run('PRAGMA busy_timeout = 10000')
  return {
    db,
    ask: <T>(sql: string, ...params: (string | number)[]) => db.query(sql).all(...params) as T[],
  }
}

export type Verified = {
  readonly problems: readonly string[]
  readonly moves: number
  readonly merged: number
  readonly landed: number
  readonly events: number
}

export async function verify(
  data: string,
  work: string,
  diary: Diary,
  board: Board,
  receiver: Receiver,
): Promise<Verified> {
  const { db, ask } = openData(data)
  try {
    const repos = repositories(ask)
    const expected = expectedOf(ask)
    const problems = [
      ...diary.surprises,
      ...receiver.problems,
      ...sound(ask),
      ...diary.lost(ask),
      ...events(ask),
      ...pushes(ask, repos, []),
      ...counters(ask),
      ...failedJobs(ask),
      ...(await checkObjects(join(data, 'repos'), work, expected, null)),
      ...delivered(ask, receiver),
      ...numbers(ask),
    ]
    for (const { repo, ref } of board.forbidden) {
      if (
        ask(
          'SELECT 1 FROM events WHERE repo_id = ? AND data ->> ? = ?',
          repos.get(repo) ?? '',
          'ref',
          ref,
        ).length > 0
      )
        problems.push(`${repo} had ${ref}, which a rule keeps out`)
    }
    let moves = 0
    for (const place of board.places) {
      const looked = await mainline(
        ask,
        join(data, 'repos'),
        work,
        expected,
        place,
        repos.get(place.repo) ?? '',
        board,
      )
      moves += looked.moves
      problems.push(...looked.problems.map((problem) => `${place.repo}: ${problem}`))
    }
    const count = (sql: string): number => ask<{ n: number }>(sql)[0]?.n ?? 0
    return {
      problems,
      moves,
      merged: count(`SELECT count(*) AS n FROM pulls WHERE status = 'merged'`),
      landed: count(`SELECT count(*) AS n FROM queue_entries WHERE state = 'landed'`),
      events: count('SELECT count(*) AS n FROM events'),
    }
  } finally {
    db.close()
  }
}

/** No number is given twice, and none will be. */
const numbers = (ask: Ask): string[] => [
  ...ask<{ name: string }>(
    'SELECT name FROM repos WHERE next_number <= (SELECT max(number) FROM records WHERE repo_id = repos.id)',
  ).map(({ name }) => `${name} gives a number once more`),
  ...ask<{ repo_id: string; number: number }>(
    `SELECT repo_id, number FROM (SELECT repo_id, number FROM issues UNION ALL SELECT repo_id, number FROM pulls) GROUP BY repo_id, number HAVING count(*) > 1`,
  ).map(({ repo_id, number }) => `#${number} of ${repo_id} is an issue and a pull request`),
]

/**
 * Every event came to every webhook that listens, as one delivery; nothing came that did not
 * happen.
 */
function delivered(ask: Ask, receiver: Receiver): string[] {
  const problems: string[] = []
  const hooks = ask<{
    url: string
    id: string
    repo_id: string | null
    events: string
    created_at: string
  }>('SELECT url, id, repo_id, events, created_at FROM webhooks')
  for (const hook of hooks) {
    const name = new URL(hook.url).pathname.slice(1)
    const got = receiver.got.get(name) ?? new Map<string, Set<string>>()
    const wanted = ask<{ id: string; type: string }>(
      `SELECT events.id, type FROM events LEFT JOIN repos ON repos.id = events.repo_id
       WHERE time > ?1 AND repos.parent_id IS NULL AND (?2 = '[]' OR type IN (SELECT value FROM json_each(?2))) AND (?3 = '' OR events.repo_id = ?3)`,
      hook.created_at,
      hook.events,
      hook.repo_id ?? '',
    )
    for (const { id, type } of wanted)
      if (!got.has(id)) problems.push(`${name} never heard of ${id} (${type})`)
    const all = new Set(wanted.map(({ id }) => id))
    for (const [event, deliveries] of got) {
      if (deliveries.size > 1)
        problems.push(`${name} got ${event} as ${deliveries.size} deliveries`)
      if (!all.has(event) && ask('SELECT 1 FROM events WHERE id = ?', event).length === 0)
        problems.push(`${name} heard of ${event}, which did not happen`)
    }
    const open = ask<{ n: number; state: string }>(
      `SELECT state, count(*) AS n FROM webhook_deliveries WHERE hook_id = ? AND state <> 'delivered' GROUP BY state`,
      hook.id,
    )
    problems.push(...open.map(({ n, state }) => `${n} deliveries to ${name} are ${state}`))
  }
  return problems
}

type Move = { readonly before: string | null; readonly after: string }
type Merged = {
  readonly number: number
  readonly head_sha: string
  readonly merge_commit_sha: string
  readonly merge_method: string | null
  readonly issue: number | null
}

/**
 * Walks main from its beginning: each step is a merge of what was asked for, or a push that
 * somebody sent.
 */
async function mainline(
  ask: Ask,
  stores: string,
  work: string,
  expected: Expected,
  place: Place,
  repo_id: string,
  board: Board,
): Promise<{ problems: string[]; moves: number }> {
  const problems: string[] = []
  const family = expected.families.find(({ refs }) => refs.some((ref) => ref.repo_id === repo_id))
  if (!family) return { problems: ['it has no refs'], moves: 0 }
  const moves = new Map(
    ask<Move>(
      `SELECT data ->> 'before' AS "before", data ->> 'after' AS "after" FROM events WHERE type = 'git.push' AND repo_id = ? AND data ->> 'ref' = 'refs/heads/main'`,
      repo_id,
    ).map((move) => [move.before, move]),
  )
  const merged = ask<Merged>(
    `SELECT number, head_sha, merge_commit_sha, merge_method, issue FROM pulls WHERE repo_id = ? AND status = 'merged'`,
    repo_id,
  )
  const landings = Map.groupBy(merged, ({ merge_commit_sha }) => merge_commit_sha)
  const pushed = board.pushed.get(place.repo) ?? new Set()
  const store = join(stores, family.store)
  const bare = borrow(store, work, family.refs)
  const seen = new Set<string>()
  let walked = 0
  for (
    let move = moves.get(null);
    move !== undefined && walked < moves.size;
    move = moves.get(move.after)
  ) {
    walked++
    const { before, after } = move
    const here = landings.get(after) ?? []
    seen.add(after)
    if (before !== null && here.length === 0 && !pushed.has(after))
      problems.push(`main moved to ${after}, which nobody merged or pushed`)
    for (const pull of here)
      if (before !== null) problems.push(...(await landed(ask, bare, place, repo_id, pull, before)))
    if (place.checks.length > 0) {
      const names = (await git(bare, 'ls-tree', '--name-only', after)).split('\n')
      if (names.includes(BROKEN)) problems.push(`main was ${after}, which has ${BROKEN}`)
      if (names.filter((name) => name.startsWith('half-')).length > 1)
        problems.push(`main was ${after}, which has two halves`)
    }
  }
  for (const pull of merged)
    if (!seen.has(pull.merge_commit_sha))
      problems.push(
        `#${pull.number} is merged as ${pull.merge_commit_sha}, to which main never moved`,
      )

  // What merging writes into a message is there once for each that was merged.
  const trailers = (
    await git(
      bare,
      'log',
      '--format=%(trailers:key=Pull-Request,valueonly,separator=%x2C)',
      `refs/look/${repo_id}/heads/main`,
    )
  ).split('\n')
  const times = Map.groupBy(
    trailers.filter((line) => line !== ''),
    (line) => line,
  )
  for (const { number, merge_method } of merged) {
    const found = times.get(`${place.repo}#${number}`)?.length ?? 0
    if (found === 0 || (found > 1 && merge_method !== 'rebase'))
      problems.push(`#${number} is ${found} times in main, by ${merge_method}`)
  }
  return { problems, moves: walked }
}

async function landed(
  ask: Ask,
  bare: string,
  place: Place,
  repo_id: string,
  pull: Merged,
  before: string,
): Promise<string[]> {
  const problems: string[] = []
  const after = pull.merge_commit_sha
  const wanted = await runGit(bare, ['merge-tree', '--write-tree', before, pull.head_sha])
  const tree = (await git(bare, 'rev-parse', `${after}^{tree}`)).trim()
  if (wanted.status !== 0 || wanted.out.trim() !== tree)
    problems.push(
      `#${pull.number} landed as ${after} with the tree ${tree}; git merges ${before} and ${pull.head_sha} into ${wanted.out.split('\n')[0]}`,
    )
  const isIn = await runGit(bare, ['merge-base', '--is-ancestor', before, after])
  if (isIn.status !== 0) problems.push(`#${pull.number} landed as ${after} without ${before}`)
  const tested = (sql: string, ...values: (string | number)[]): boolean =>
    ask(sql, ...values).length > 0
  if (
    place.kind === 'queued' &&
    !tested(
      `SELECT 1 FROM queue_entries WHERE repo_id = ? AND number = ? AND state = 'landed' AND candidate_sha = ?`,
      repo_id,
      pull.number,
      after,
    )
  ) {
    problems.push(`#${pull.number} landed as ${after}, which is no candidate of the queue`)
  }
  if (place.checks.length === 0 || pull.issue === null) return problems
  if (
    place.kind === 'queued' &&
    !tested(
      `SELECT 1 FROM check_runs WHERE repo_id = ? AND number = ? AND purpose = 'queue' AND merge_sha = ? AND status = 'passed'`,
      repo_id,
      pull.number,
      after,
    )
  ) {
    problems.push(`#${pull.number} landed as ${after}, which was never tested`)
  }
  if (place.kind === 'checked') {
    if (
      !tested(
        `SELECT 1 FROM check_runs WHERE repo_id = ? AND number = ? AND purpose = 'pull' AND head_sha = ? AND status = 'passed'`,
        repo_id,
        pull.number,
        pull.head_sha,
      )
    )
      problems.push(`#${pull.number} was merged without a passed check`)
    if ((await runGit(bare, ['merge-base', '--is-ancestor', before, pull.head_sha])).status !== 0)
      problems.push(`#${pull.number} was merged into ${before}, which it had not`)
  }
  return problems
}
