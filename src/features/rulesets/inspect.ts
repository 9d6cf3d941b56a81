/**
 * What only git can tell for a rule: what commits say and hold. One walk over the commits answers
 * for all rules, and a rule is let go as soon as it has found something.
 */
import type { Commit, FileDiff, Git, Oid } from '#git'
import { anyMatches, pathGlob, type Glob } from '#lib/glob.ts'
import { sha256 } from '#lib/hash.ts'
import { nextTurn } from '#lib/waiting.ts'
import type { Verification } from '#features/repos/index.ts'
import type { Rule } from './parameters.ts'
import { ENOUGH_AT_ONCE, found, workOf } from './patterns.ts'

/** The commits that are looked at, and for what is asked of a change as a whole, its two ends. */
export type Look = {
  readonly store: string
  readonly tip: Oid
  readonly hide: readonly Oid[]
  /**
   * A pull request, from its merge base; null for a push, whose commits are looked at one by one.
   */
  readonly net: { readonly from: Oid | null } | null
}

/** Stands for what a rule with these parameters found, wherever that rule is. */
export const keyOf = ({ type, parameters }: Rule): string =>
  `${type} ${sha256(JSON.stringify(parameters)).slice(0, 32)}`

const OF_COMMITS = [
  'signed_commits',
  'commit_message',
  'commit_author_email',
  'linear_history',
  'file_size',
  'file_extension',
  'path_restriction',
]
const OF_PULLS = [
  'signed_commits',
  'commit_message',
  'commit_author_email',
  'file_size',
  'file_extension',
  'path_restriction',
  'change_size',
]

/** Whether a push has to be looked through for it. */
export const asksOfPush = ({ type }: Rule): boolean => OF_COMMITS.includes(type)
/** Whether a pull request has to be looked through for it. */
export const asksOfPull = (rule: Rule): boolean =>
  OF_PULLS.includes(rule.type) ||
  (rule.type === 'human_approval' && rule.parameters.paths.length > 0)

/** More commits than this are refused where a rule has to read each. */
const MOST_COMMITS = 50_000
const AT_ONCE = 1_000

const short = ({ oid }: Commit): string => oid.slice(0, 7)
const shown = (text: string, most = 120): string =>
  JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text)
const sizeText = (bytes: number): string =>
  bytes >= 1_048_576
    ? `${(bytes / 1_048_576).toFixed(1)} MiB`
    : bytes >= 1024
      ? `${(bytes / 1024).toFixed(1)} KiB`
      : `${bytes} bytes`

/** What the signature of a commit proves. */
export type Signatures = (commit: Commit) => Verification

function signatureProblem({ verified, reason, kind }: Verification, what: string): string | null {
  if (verified) return null
  if (kind === 'none') return `${what} is not signed`
  if (kind === 'gpg')
    return `${what} is signed with OpenPGP, which is not looked through here; sign with an SSH key (git config gpg.format ssh)`
  if (reason === 'unknown_key')
    return `${what} is signed with a key that no account has; add it under Settings, Keys`
  return reason === 'bad_email'
    ? `${what} names a committer's address that is not one of its signer's`
    : `${what} has a signature that does not fit`
}

/**
 * What each rule finds, by key: one line about what is wrong, or null. For `human_approval` it is
 * the first path that asks for one.
 */
export async function inspect(
  git: Git,
  look: Look,
  rules: readonly Rule[],
  signatures: Signatures,
): Promise<Map<string, string | null>> {
  const findings = new Map<string, string | null>(rules.map((rule) => [keyOf(rule), null]))
  const open = new Map(rules.map((rule) => [keyOf(rule), rule]))
  const tell = (key: string, finding: string | null): void => {
    if (finding === null) return
    findings.set(key, finding)
    open.delete(key)
  }
  if (look.net) await inspectWhole(git, look, look.net.from, open, tell)
  await inspectCommits(git, look, signatures, open, tell)
  return findings
}

type Tell = (key: string, finding: string | null) => void

async function inspectWhole(
  git: Git,
  { store, tip }: Look,
  from: Oid | null,
  open: Map<string, Rule>,
  tell: Tell,
): Promise<void> {
  const wanted = [...open].filter(
    ([, { type }]) =>
      type === 'change_size' || type === 'human_approval' || type === 'path_restriction',
  )
  if (wanted.length === 0) return
  const { files } = await git.diff(store, from, tip, { hunks: false })
  for (const [key, rule] of wanted) {
    if (rule.type === 'change_size') tell(key, sizeProblem(rule.parameters, files))
    else if (rule.type === 'human_approval')
      tell(key, firstTouched(rule.parameters.paths.map(pathGlob), files))
    else if (rule.type === 'path_restriction') tell(key, pathProblem(rule.parameters, files, null))
    open.delete(key)
  }
}

const pathsOf = ({ path, old_path }: FileDiff): string[] =>
  old_path === null ? [path] : [path, old_path]

const firstTouched = (globs: readonly Glob[], files: readonly FileDiff[]): string | null =>
  files.flatMap(pathsOf).find((path) => anyMatches(globs, path)) ?? null

function sizeProblem(
  { max_files, max_lines, exclude }: Extract<Rule, { type: 'change_size' }>['parameters'],
  all: readonly FileDiff[],
): string | null {
  const globs = exclude.map(pathGlob)
  const files = all.filter(({ path }) => !anyMatches(globs, path))
  const lines = files.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0)
  if (max_files !== null && files.length > max_files)
    return `it changes ${files.length} files; ${max_files} are allowed`
  return max_lines !== null && lines > max_lines
    ? `it changes ${lines} lines; ${max_lines} are allowed`
    : null
}

function pathProblem(
  { paths, mode }: Extract<Rule, { type: 'path_restriction' }>['parameters'],
  files: readonly FileDiff[],
  commit: Commit | null,
): string | null {
  const globs = paths.map(pathGlob)
  const path = files.flatMap(pathsOf).find((one) => anyMatches(globs, one) === (mode === 'deny'))
  if (path === undefined) return null
  return `${commit ? `commit ${short(commit)}` : 'it'} changes ${shown(path)}, which ${mode === 'deny' ? 'may not be changed here' : 'is outside of what may be changed here'}`
}

async function inspectCommits(
  git: Git,
  look: Look,
  signatures: Signatures,
  open: Map<string, Rule>,
  tell: Tell,
): Promise<void> {
  const { store, tip, hide } = look
  let work = 0
  for (let skip = 0; open.size > 0; skip += AT_ONCE) {
    const commits = await git.log(store, { tips: [tip], hide, skip, limit: AT_ONCE })
    for (const commit of commits) {
      const wanted = [...open]
      if (wanted.length === 0) return
      const ofFiles = wanted.filter(
        ([, { type }]) =>
          type === 'file_size' || type === 'file_extension' || type === 'path_restriction',
      )
      const files = ofFiles.length === 0 ? [] : await changedBy(git, store, commit)
      for (const [key, rule] of wanted) {
        tell(key, await commitProblem(git, store, rule, commit, files, signatures))
        if (rule.type === 'commit_message') work += workOf(rule.parameters.pattern, commit.message)
      }
      if (work > ENOUGH_AT_ONCE) {
        work = 0
        await nextTurn()
      }
    }
    if (commits.length < AT_ONCE) return
    if (skip + AT_ONCE >= MOST_COMMITS) {
      for (const key of open.keys())
        tell(
          key,
          `more than ${MOST_COMMITS} commits at once cannot be looked through; push a part of them first`,
        )
      return
    }
  }
}

/** What a commit itself changes; of a merge, what it has otherwise than each of its parents. */
async function changedBy(
  git: Git,
  store: string,
  { oid, parents }: Commit,
): Promise<readonly FileDiff[]> {
  const [first = null, ...others] = parents
  let { files } = await git.diff(store, first, oid, { hunks: false })
  for (const parent of others) {
    if (files.length === 0) break
    const also = new Set(
      (
        await git.diff(store, parent, oid, { hunks: false, paths: files.map(({ path }) => path) })
      ).files.map(({ path }) => path),
    )
    files = files.filter(({ path }) => also.has(path))
  }
  return files
}

async function commitProblem(
  git: Git,
  store: string,
  rule: Rule,
  commit: Commit,
  files: readonly FileDiff[],
  signatures: Signatures,
): Promise<string | null> {
  switch (rule.type) {
    case 'linear_history':
      return commit.parents.length > 1
        ? `commit ${short(commit)} is a merge; the history here has none`
        : null
    case 'signed_commits':
      return signatureProblem(signatures(commit), `commit ${short(commit)}`)
    case 'commit_message':
      return patternProblem(
        rule.parameters,
        commit.message.trimEnd(),
        `the message of commit ${short(commit)}`,
      )
    case 'commit_author_email':
      return patternProblem(
        rule.parameters,
        commit.author.email,
        `the author's address of commit ${short(commit)}`,
      )
    case 'path_restriction':
      return pathProblem(rule.parameters, files, commit)
    case 'file_extension': {
      const endings = rule.parameters.extensions.map((extension) => `.${extension}`)
      const bad = files.find(
        ({ status, path }) =>
          status !== 'removed' && endings.some((ending) => path.toLowerCase().endsWith(ending)),
      )
      return bad
        ? `commit ${short(commit)} holds ${shown(bad.path)}; files of this kind are not taken here`
        : null
    }
    case 'file_size':
      for (const { path, new_oid, mode } of files) {
        const size =
          new_oid === null || mode === '160000'
            ? null
            : ((await git.blob(store, new_oid, 0))?.size ?? null)
        if (size !== null && size > rule.parameters.max_bytes)
          return `commit ${short(commit)} holds ${shown(path)} with ${sizeText(size)}; ${sizeText(rule.parameters.max_bytes)} are allowed`
      }
      return null
    default:
      return null
  }
}

/** What is wrong with a text by a pattern: the rule's own words, or ours. */
export function patternProblem(
  { pattern, negate, message }: { pattern: string; negate: boolean; message: string | null },
  text: string,
  what: string,
): string | null {
  const is = found(pattern, text)
  if (is === null) return `${what} is too long to be held against the pattern ${shown(pattern)}`
  if (is !== negate) return null
  return message === null
    ? `${what}, ${shown(text.split('\n', 1)[0] ?? '', 72)}, ${negate ? 'matches' : 'does not match'} ${shown(pattern)}`
    : `${what}: ${message}`
}
