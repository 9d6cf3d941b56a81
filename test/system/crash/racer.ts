/**
 * Clients that push to the same few refs at once, and a history of all that they saw: refs must
 * behave as if moved one at a time.
 */
import { git, GitFailed, runGit, withToken } from '../../../scripts/support/git.ts'
import { Client, type Life } from './client.ts'
import type { Ask, Repos } from './database.ts'
import type { Random } from './random.ts'

const REFS = ['refs/heads/race-0', 'refs/heads/race-1', 'refs/heads/race-2']

/** Times are milliseconds of this process. `ended` stays null where no answer came. */
type Read = {
  readonly repo: string
  readonly ref: string
  readonly value: string | null
  readonly began: number
  readonly ended: number
}
type Sent = {
  readonly repo: string
  readonly ref: string
  readonly before: string | null
  readonly after: string
  readonly began: number
  ended: number | null
  said: 'moved' | 'refused' | null
}

/** All that the racers of a run did and saw. */
export class RaceHistory {
  readonly reads: Read[] = []
  readonly sent: Sent[] = []
}

/**
 * Reads a ref, puts a commit on what it saw, and pushes that; whoever is second is refused and
 * begins anew.
 */
export class Racer extends Client {
  constructor(
    name: string,
    directory: string,
    random: Random,
    private readonly repo: () => string,
    private readonly history: RaceHistory,
  ) {
    super(name, directory, random)
  }

  protected async step(life: Life): Promise<void> {
    const repo = this.repo()
    const ref = REFS[Math.floor(this.random.between(0, REFS.length))] ?? 'refs/heads/race-0'
    const url = withToken(`${life.url}/${repo}.git`, life.token)
    let began = performance.now()
    const value = (await git(this.clone, 'ls-remote', url, ref)).split('\t')[0]?.trim() || null
    this.history.reads.push({ repo, ref, value, began, ended: performance.now() })
    if (value !== null) await git(this.clone, 'fetch', '-q', url, ref)
    const tree = (await git(this.clone, 'hash-object', '-t', 'tree', '-w', '/dev/null')).trim()
    const parents = value === null ? [] : ['-p', value]
    const after = (
      await git(this.clone, 'commit-tree', tree, ...parents, '-m', `${this.name} ${this.serial++}`)
    ).trim()
    began = performance.now()
    const sent: Sent = { repo, ref, before: value, after, began, ended: null, said: null }
    this.history.sent.push(sent)
    life.sending?.()
    const { status, error } = await runGit(this.clone, ['push', '-q', url, `${after}:${ref}`])
    const refused =
      status !== 0 &&
      /\[rejected\]|\[remote rejected\]|fetch first|stale info|non-fast-forward/.test(error)
    if (status !== 0 && !refused) throw new GitFailed('push', status, error)
    sent.ended = performance.now()
    sent.said = status === 0 ? 'moved' : 'refused'
  }
}

type Move = {
  readonly repo_id: string
  readonly ref: string
  readonly before: string | null
  readonly after: string
}

/**
 * Holds the history against the moves that the forge has written down: one line of moves for each
 * ref; every acknowledged push is in it and no refused one; and nobody reads what was there before
 * a push that had been acknowledged earlier, or what is not there yet.
 */
export function checkRaces(ask: Ask, repos: Repos, { reads, sent }: RaceHistory): string[] {
  const moves = ask<Move>(
    `SELECT repo_id, data ->> 'ref' AS ref, data ->> 'before' AS before, data ->> 'after' AS after FROM events WHERE type = 'git.push' AND data ->> 'ref' LIKE 'refs/heads/race-%'`,
  )
  const lines = new Map<string, Map<string | null, number>>()
  const problems: string[] = []
  for (const [key, ofRef] of Map.groupBy(moves, ({ repo_id, ref }) => `${repo_id} ${ref}`)) {
    const next = new Map(ofRef.map(({ before, after }) => [before, after]))
    const places = new Map<string | null, number>([[null, 0]])
    let at = next.get(null)
    while (at !== undefined && !places.has(at)) {
      places.set(at, places.size)
      at = next.get(at)
    }
    if (next.size !== ofRef.length || places.size !== ofRef.length + 1)
      problems.push(`${key}: its moves are not one line`)
    lines.set(key, places)
  }
  const start = new Map<string | null, number>([[null, 0]])
  const lineOf = ({ repo, ref }: { repo: string; ref: string }) =>
    lines.get(`${repos.get(repo)} ${ref}`) ?? start
  const moved = new Map(moves.map(({ after, before }) => [after, before]))
  for (const one of sent) {
    if (one.said === 'moved' && (!moved.has(one.after) || moved.get(one.after) !== one.before))
      problems.push(`acknowledged and lost: ${JSON.stringify(one)}`)
    if (one.said === 'refused' && moved.has(one.after))
      problems.push(`refused and yet there: ${JSON.stringify(one)}`)
  }
  for (const read of reads) {
    const line = lineOf(read)
    const place = line.get(read.value)
    if (place === undefined) {
      problems.push(`read what was never there: ${JSON.stringify(read)}`)
      continue
    }
    for (const one of sent) {
      if (one.repo !== read.repo || one.ref !== read.ref) continue
      const at = line.get(one.after)
      if (at === undefined) continue
      if (one.said === 'moved' && one.ended !== null && one.ended < read.began && at > place)
        problems.push(`read ${read.value} after ${one.after} had been acknowledged`)
      if (one.began > read.ended && at <= place)
        problems.push(`read ${read.value} before ${one.after} was sent`)
    }
  }
  return problems
}
