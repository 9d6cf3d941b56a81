/** Commits and changed files as records, also used by pull requests. */
import type { Commit, FileDiff, Signature } from '#git'
import type { Actor } from '#core/schema.ts'
import type { Hearth } from '#core/hearth.ts'
import { timestamp } from '#lib/time.ts'
import { actorOf, findUserByEmail, privateAddress } from '#features/accounts/index.ts'
import { isGenerated } from '../files/generated.ts'
import { fileLanguage } from '../files/language.ts'
import type { CommitPerson, CommitRecord, FileChange, Verification } from '../schema-code.ts'
import { pullsOfCommits } from '../store/pulls.ts'
import { verifySignature } from './verify-signature.ts'

/**
 * The last second of the year 9999, the largest time that a timestamp can show. Commits may claim
 * any time.
 */
const MAX_DATE_SECONDS = 253_402_300_799

/** Converts seconds since 1970 to a timestamp, clamped to the years 1 to 9999. */
export const commitTime = (seconds: number): string =>
  timestamp(Math.max(-62_135_596_800, Math.min(MAX_DATE_SECONDS, seconds)) * 1000)

/**
 * Returns the account with this confirmed email address, or with the private address that web
 * commits carry.
 */
function findAccount(hearth: Hearth, email: string): Actor | null {
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

/** Converts the signature of a commit to a record with the author's account. */
export type CommitPersonLookup = (signature: Signature) => CommitPerson

export function commitPersonLookup(hearth: Hearth): CommitPersonLookup {
  const known = new Map<string, Actor | null>()
  return ({ name, email, time }) => {
    let actor = known.get(email)
    if (actor === undefined) known.set(email, (actor = findAccount(hearth, email)))
    return { name, email, date: commitTime(time), actor }
  }
}

/**
 * Returns a function that verifies the signatures of many commits, with one account lookup per
 * address.
 */
export function signatureVerifier(hearth: Hearth): (commit: Commit) => Verification {
  const people = commitPersonLookup(hearth)
  return (commit) => verifySignature(hearth, commit.signature, people(commit.committer))
}

const MAX_TITLE_LENGTH = 1000
/** Maximum length of a message in a list of commits. The record of one commit has up to 64 KiB. */
const MAX_LISTED_MESSAGE_LENGTH = 8_000

/** Cuts a text that is longer than `length`, and marks the cut with an ellipsis. */
const cutText = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`

export const titleOf = (message: string): string =>
  cutText((message.split('\n', 1)[0] ?? '').trim(), MAX_TITLE_LENGTH)

const TRAILER = /^([A-Za-z0-9][A-Za-z0-9-]*)\s*:\s(.*)$/

/**
 * Parses the trailers of a message (git-interpret-trailers). They are the last paragraph, when it
 * is not the first and each line is `Key: value` or continues the line before.
 */
export function parseTrailers(message: string): Record<string, string[]> {
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

type RepoIdentity = { readonly id: string; readonly full_name: string }

/**
 * Builds the records of commits. `stats` is null, because counting needs a diff for each commit;
 * `commitRecord` takes the counts.
 */
export function commitRecords(
  hearth: Hearth,
  repo: RepoIdentity,
  commits: readonly Commit[],
  people: CommitPersonLookup = commitPersonLookup(hearth),
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
    message: cutText(commit.message, MAX_LISTED_MESSAGE_LENGTH),
    title: titleOf(commit.message),
    author: people(commit.author),
    committer: people(commit.committer),
    parents: [...commit.parents],
    verification: verifySignature(hearth, commit.signature, people(commit.committer)),
    trailers: parseTrailers(commit.message),
    pull: pulls.get(commit.oid)?.number ?? null,
    stats: null,
    html_url: `${hearth.settings.site_url}/${repo.full_name}/commit/${commit.oid}`,
  }))
}

/** Builds the record of one commit. */
export function commitRecord(
  hearth: Hearth,
  repo: RepoIdentity,
  commit: Commit,
  stats: CommitRecord['stats'] = null,
): CommitRecord {
  const [record] = commitRecords(hearth, repo, [commit])
  if (!record) throw new Error('one commit gives one record')
  return { ...record, message: commit.message, stats }
}

const LINE_PREFIXES = { context: ' ', add: '+', del: '-' } as const

/** Quotes names with special characters as git does (git-config, core.quotePath). */
const quotePath = (name: string): string =>
  /["\\\x00-\x1f\x7f]/.test(name) ? JSON.stringify(name) : name

/** Formats a file diff as unified diff text that `git apply` and `patch -p1` read. */
function formatPatch(diff: FileDiff): string | null {
  if (diff.hunks === null || diff.hunks.length === 0) return null
  const lines = [
    `--- ${diff.status === 'added' ? '/dev/null' : quotePath(`a/${diff.old_path ?? diff.path}`)}`,
    `+++ ${diff.status === 'removed' ? '/dev/null' : quotePath(`b/${diff.path}`)}`,
  ]
  const side = (start: number, count: number) => (count === 1 ? `${start}` : `${start},${count}`)
  for (const hunk of diff.hunks) {
    lines.push(
      `@@ -${side(hunk.old_start, hunk.old_lines)} +${side(hunk.new_start, hunk.new_lines)} @@${hunk.heading ? ` ${hunk.heading}` : ''}`,
    )
    for (const line of hunk.lines) {
      lines.push(`${LINE_PREFIXES[line.kind]}${line.text}`)
      if (line.no_newline) lines.push('\\ No newline at end of file')
    }
  }
  return `${lines.join('\n')}\n`
}

/** Builds the record of a changed file. `viewed` is the caller's own mark. */
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
    patch: formatPatch(diff),
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
