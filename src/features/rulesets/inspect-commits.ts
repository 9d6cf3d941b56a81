/**
 * Evaluates the rules that need the contents of commits. One walk over the commits serves all
 * rules. A rule is dropped after its first violation.
 */
import type { Hearth } from '#core/hearth.ts'
import type { Commit, FileDiff, Git, Oid } from '#git'
import { anyMatches, pathGlob, type Glob } from '#lib/glob.ts'
import { sha256 } from '#lib/hash.ts'
import { nextTurn } from '#lib/waiting.ts'
import type { Verification } from '#features/repos/index.ts'
import type { Rule } from './rule-parameters.ts'
import { MAX_WORK_PER_TURN, patternMatcher, type PatternMatcher } from './patterns.ts'

/** The commits to inspect, and the two ends of the change as a whole. */
export type CommitRange = {
  readonly store: string
  readonly tip: Oid
  readonly hide: readonly Oid[]
  /** The merge base of a pull request; null for a push, whose commits are inspected one by one. */
  readonly net: { readonly from: Oid | null } | null
}

/** The key of a finding. Rules with equal parameters share their findings. */
export const keyOf = ({ type, parameters }: Rule): string =>
  `${type} ${sha256(JSON.stringify(parameters)).slice(0, 32)}`

const COMMIT_RULES = [
  'signed_commits',
  'commit_message',
  'commit_author_email',
  'linear_history',
  'file_size',
  'file_extension',
  'path_restriction',
]
const PULL_RULES = [
  'signed_commits',
  'commit_message',
  'commit_author_email',
  'file_size',
  'file_extension',
  'path_restriction',
  'change_size',
]

/** Whether a push must be inspected for this type of rule. */
export const isPushInspected = ({ type }: Rule): boolean => COMMIT_RULES.includes(type)
/** Whether a pull request must be inspected for this rule. */
export const isPullInspected = (rule: Rule): boolean =>
  PULL_RULES.includes(rule.type) ||
  (rule.type === 'human_approval' && rule.parameters.paths.length > 0)

/** Commits that are inspected; more are refused where a rule must read each. */
const MAX_COMMITS = 50_000
const COMMITS_PER_READ = 1_000

const shortSha = ({ oid }: Commit): string => oid.slice(0, 7)
const quoted = (text: string, most = 120): string =>
  JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text)
const sizeText = (bytes: number): string =>
  bytes >= 1_048_576
    ? `${(bytes / 1_048_576).toFixed(1)} MiB`
    : bytes >= 1024
      ? `${(bytes / 1024).toFixed(1)} KiB`
      : `${bytes} bytes`

/** Verifies the signature of a commit. */
export type SignatureCheck = (commit: Commit) => Verification

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
 * The finding of each rule by its key: one line about a violation, or null. For `human_approval` it
 * is the first path that requires an approval.
 */
export async function inspectCommitRange(
  hearth: Pick<Hearth, 'git' | 'services'>,
  look: CommitRange,
  rules: readonly Rule[],
  signatures: SignatureCheck,
): Promise<Map<string, string | null>> {
  const findings = new Map<string, string | null>(rules.map((rule) => [keyOf(rule), null]))
  const open = new Map(rules.map((rule) => [keyOf(rule), rule]))
  const tell = (key: string, finding: string | null): void => {
    if (finding === null) return
    findings.set(key, finding)
    open.delete(key)
  }
  if (look.net) await inspectChange(hearth.git, look, look.net.from, open, tell)
  await inspectCommits(hearth, look, signatures, open, tell)
  return findings
}

type ReportFinding = (key: string, finding: string | null) => void

async function inspectChange(
  git: Git,
  { store, tip }: CommitRange,
  from: Oid | null,
  open: Map<string, Rule>,
  tell: ReportFinding,
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
  return `${commit ? `commit ${shortSha(commit)}` : 'it'} changes ${quoted(path)}, which ${mode === 'deny' ? 'may not be changed here' : 'is outside of what may be changed here'}`
}

async function inspectCommits(
  hearth: Pick<Hearth, 'git' | 'services'>,
  look: CommitRange,
  signatures: SignatureCheck,
  open: Map<string, Rule>,
  tell: ReportFinding,
): Promise<void> {
  const { git } = hearth
  const patterns = patternMatcher(hearth)
  const { store, tip, hide } = look
  let work = 0
  for (let skip = 0; open.size > 0; skip += COMMITS_PER_READ) {
    const commits = await git.log(store, { tips: [tip], hide, skip, limit: COMMITS_PER_READ })
    for (const commit of commits) {
      const wanted = [...open]
      if (wanted.length === 0) return
      const ofFiles = wanted.filter(
        ([, { type }]) =>
          type === 'file_size' || type === 'file_extension' || type === 'path_restriction',
      )
      const files = ofFiles.length === 0 ? [] : await filesChangedBy(git, store, commit)
      for (const [key, rule] of wanted) {
        tell(key, await commitProblem(git, patterns, store, rule, commit, files, signatures))
        if (rule.type === 'commit_message')
          work += patterns.workOf(rule.parameters.pattern, commit.message)
      }
      if (work > MAX_WORK_PER_TURN) {
        work = 0
        await nextTurn()
      }
    }
    if (commits.length < COMMITS_PER_READ) return
    if (skip + COMMITS_PER_READ >= MAX_COMMITS) {
      for (const key of open.keys())
        tell(
          key,
          `more than ${MAX_COMMITS} commits at once cannot be looked through; push a part of them first`,
        )
      return
    }
  }
}

/** The changes of a commit; for a merge commit, the files that differ from each parent. */
async function filesChangedBy(
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
  patterns: PatternMatcher,
  store: string,
  rule: Rule,
  commit: Commit,
  files: readonly FileDiff[],
  signatures: SignatureCheck,
): Promise<string | null> {
  switch (rule.type) {
    case 'linear_history':
      return commit.parents.length > 1
        ? `commit ${shortSha(commit)} is a merge; the history here has none`
        : null
    case 'signed_commits':
      return signatureProblem(signatures(commit), `commit ${shortSha(commit)}`)
    case 'commit_message':
      return patternProblem(
        patterns,
        rule.parameters,
        commit.message.trimEnd(),
        `the message of commit ${shortSha(commit)}`,
      )
    case 'commit_author_email':
      return patternProblem(
        patterns,
        rule.parameters,
        commit.author.email,
        `the author's address of commit ${shortSha(commit)}`,
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
        ? `commit ${shortSha(commit)} holds ${quoted(bad.path)}; files of this kind are not taken here`
        : null
    }
    case 'file_size':
      for (const { path, new_oid, mode } of files) {
        const size =
          new_oid === null || mode === '160000'
            ? null
            : ((await git.readBlob(store, new_oid, 0))?.size ?? null)
        if (size !== null && size > rule.parameters.max_bytes)
          return `commit ${shortSha(commit)} holds ${quoted(path)} with ${sizeText(size)}; ${sizeText(rule.parameters.max_bytes)} are allowed`
      }
      return null
    default:
      return null
  }
}

/** What is wrong with a text by a pattern rule: the message of the rule, or a default. */
export function patternProblem(
  patterns: PatternMatcher,
  { pattern, negate, message }: { pattern: string; negate: boolean; message: string | null },
  text: string,
  what: string,
): string | null {
  const is = patterns.matches(pattern, text)
  if (is === null) return `${what} is too long to be held against the pattern ${quoted(pattern)}`
  if (is !== negate) return null
  return message === null
    ? `${what}, ${quoted(text.split('\n', 1)[0] ?? '', 72)}, ${negate ? 'matches' : 'does not match'} ${quoted(pattern)}`
    : `${what}: ${message}`
}
