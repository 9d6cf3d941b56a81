/** Commits and changed files as records; pull requests show theirs in the same form. */
import type { Commit, FileDiff, Signature } from '#git'
import type { Actor } from '#core/schema.ts'
import type { Hearth } from '#core/hearth.ts'
import { timestamp } from '#lib/time.ts'
import { actorOf, findUserByEmail, privateAddress } from '#features/accounts/index.ts'
import { isGenerated } from './generated.ts'
import { fileLanguage } from './language.ts'
import type { CommitPerson, CommitRecord, FileChange, Verification } from './schema-code.ts'
import { pullsOfCommits } from './store-pulls.ts'
import { verificationOf } from './verification.ts'

/** The largest time that a date can show; commits may claim any. */
const LAST_SECOND = 253_402_300_799

/** Seconds since 1970 as a timestamp; a time beyond the year 9999 is shown as its end. */
export const commitTime = (seconds: number): string =>
  timestamp(Math.max(-62_135_596_800, Math.min(LAST_SECOND, seconds)) * 1000)

/**
 * The account that an address stands for: a confirmed one, or the private one that commits made
 * here carry.
 */
function accountOf(hearth: Hearth, email: string): Actor | null {
  const user = findUserByEmail(hearth.db, email)
  if (user) return actorOf(hearth, user.id)
  const [, suffix, username] = /^([0-9a-z]{26})\+([^@]+)@users\.noreply\./.exec(email) ?? []
  if (suffix === undefined || username === undefined) return null
  for (const prefix of ['usr', 'wsp']) {
    const id = `${prefix}_${suffix}`
    const actor = actorOf(hearth, id)
    if (actor.username !== 'ghost' && email === privateAddress(hearth, id, username)) return actor
  }
  return null
}

/** Looks up the accounts of authors, each address once. */
export type People = (signature: Signature) => CommitPerson

export function peopleOf(hearth: Hearth): People {
  const known = new Map<string, Actor | null>()
  return ({ name, email, time }) => {
    let actor = known.get(email)
    if (actor === undefined) known.set(email, (actor = accountOf(hearth, email)))
    return { name, email, date: commitTime(time), actor }
  }
}

/** What signatures prove, of many commits one after the other. */
export function signaturesOf(hearth: Hearth): (commit: Commit) => Verification {
  const people = peopleOf(hearth)
  return (commit) => verificationOf(hearth, commit.signature, people(commit.committer))
}

export const titleOf = (message: string): string => (message.split('\n', 1)[0] ?? '').trim()

const TRAILER = /^([A-Za-z0-9][A-Za-z0-9-]*)\s*:\s+(.*)$/

/**
 * The trailers of a message (git-interpret-trailers): the last paragraph, when it is not the first
 * and every line of it is `Key: value` or continues one.
 */
export function trailersOf(message: string): Record<string, string[]> {
  const paragraphs = message.trimEnd().split(/\n\s*\n/)
  const last = paragraphs.length > 1 ? (paragraphs.at(-1) ?? '') : ''
  const found: [string, string][] = []
  for (const line of last.split('\n')) {
    const [, key, value] = TRAILER.exec(line) ?? []
    const before = found.at(-1)
    if (key !== undefined && value !== undefined) found.push([key, value.trim()])
    else if (/^\s/.test(line) && before) before[1] += ` ${line.trim()}`
    else return {}
  }
  const trailers = new Map<string, string[]>()
  for (const [key, value] of found) trailers.set(key, [...(trailers.get(key) ?? []), value])
  return Object.fromEntries(trailers)
}

type Place = { readonly id: string; readonly full_name: string }

/**
 * Commits as records. `stats` is null: counting needs a diff of each, which `commitRecord` takes.
 */
export function commitRecords(
  hearth: Hearth,
  repo: Place,
  commits: readonly Commit[],
  people: People = peopleOf(hearth),
): CommitRecord[] {
  const pulls = pullsOfCommits(
    hearth.db,
    repo.id,
    commits.map(({ oid }) => oid),
  )
  return commits.map((commit) => ({
    sha: commit.oid,
    short_sha: commit.oid.slice(0, 7),
    tree_sha: commit.tree,
    message: commit.message,
    title: titleOf(commit.message),
    author: people(commit.author),
    committer: people(commit.committer),
    parents: [...commit.parents],
    verification: verificationOf(hearth, commit.signature, people(commit.committer)),
    trailers: trailersOf(commit.message),
    pull: pulls.get(commit.oid)?.number ?? null,
    stats: null,
    html_url: `${hearth.settings.site_url}/${repo.full_name}/commit/${commit.oid}`,
  }))
}

/** One commit as a record. */
export function commitRecord(
  hearth: Hearth,
  repo: Place,
  commit: Commit,
  stats: CommitRecord['stats'] = null,
): CommitRecord {
  const [record] = commitRecords(hearth, repo, [commit])
  if (!record) throw new Error('one commit gives one record')
  return { ...record, stats }
}

const SIGNS = { context: ' ', add: '+', del: '-' } as const

/** Names with special characters are quoted as git does (git-config, core.quotePath). */
const quoted = (name: string): string =>
  /["\\\x00-\x1f\x7f]/.test(name) ? JSON.stringify(name) : name

/** The text of a change in unified form, which `git apply` and `patch -p1` read. */
function patchOf(diff: FileDiff): string | null {
  if (diff.hunks === null || diff.hunks.length === 0) return null
  const lines = [
    `--- ${diff.status === 'added' ? '/dev/null' : quoted(`a/${diff.old_path ?? diff.path}`)}`,
    `+++ ${diff.status === 'removed' ? '/dev/null' : quoted(`b/${diff.path}`)}`,
  ]
  const side = (start: number, count: number) => (count === 1 ? `${start}` : `${start},${count}`)
  for (const hunk of diff.hunks) {
    lines.push(
      `@@ -${side(hunk.old_start, hunk.old_lines)} +${side(hunk.new_start, hunk.new_lines)} @@${hunk.heading ? ` ${hunk.heading}` : ''}`,
    )
    for (const line of hunk.lines) {
      lines.push(`${SIGNS[line.kind]}${line.text}`)
      if (line.no_newline) lines.push('\\ No newline at end of file')
    }
  }
  return `${lines.join('\n')}\n`
}

/** One changed file as a record. `viewed` is the caller's own mark. */
export function fileDiffRecord(diff: FileDiff, options: { viewed?: boolean } = {}): FileChange {
  return {
    path: diff.path,
    old_path: diff.old_path,
    status: diff.status,
    old_sha: diff.old_oid,
    new_sha: diff.new_oid,
    mode: diff.mode,
    old_mode: diff.old_mode,
    additions: diff.additions,
    deletions: diff.deletions,
    binary: diff.binary,
    generated: diff.generated ?? isGenerated(diff.path),
    language: fileLanguage(diff.path),
    lfs: null,
    viewed: options.viewed ?? false,
    patch: patchOf(diff),
    hunks: (diff.hunks ?? []).map((hunk) => ({
      ...hunk,
      lines: hunk.lines.map(({ kind, old, new: to, text, no_newline }) =>
        no_newline ? { kind, old, new: to, text, no_newline } : { kind, old, new: to, text },
      ),
    })),
    truncated: diff.reason === 'too_large' || diff.reason === 'page_limit',
    reason: diff.reason,
  }
}
