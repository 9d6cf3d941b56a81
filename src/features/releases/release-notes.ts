/** Drafts release notes from the pull requests merged since the previous release. */
import { encodeReservedPath } from '#lib/percent-encoding.ts'
import type { Commit, Oid } from '#git'
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { labelsOfAll } from '#features/issues/index.ts'
import { findPull, pullUrl, type PullRow } from '#features/pulls/index.ts'
import { pullsOfCommits, titleOf } from '#features/repos/index.ts'
import type { ReleaseNotes } from './schema.ts'
import { listPublished } from './store.ts'
import { findCommitOfTag } from './release-tag.ts'
import { countMergedBefore } from './store-contributors.ts'

type NotesRepo = Pick<RepoGrant, 'id' | 'store' | 'full_name'>

/** Commits that are read; a larger release is described by its newest ones. */
const MAX_COMMITS = 5_000
const MAX_LISTED_COMMITS = 100
/** Earlier releases that are checked for an ancestor. */
const MAX_EARLIER_RELEASES = 50

/** Headings in order, with the labels that select each. The first match counts. */
const GROUPS: readonly { readonly heading: string; readonly labels: readonly string[] }[] = [
  {
    heading: 'Breaking changes',
    labels: ['breaking', 'breaking change', 'breaking-change', 'semver-major'],
  },
  { heading: 'Security', labels: ['security'] },
  { heading: 'Features', labels: ['feature', 'enhancement', 'features'] },
  { heading: 'Fixes', labels: ['bug', 'fix', 'bugfix', 'regression'] },
  { heading: 'Performance', labels: ['performance', 'perf'] },
  { heading: 'Documentation', labels: ['docs', 'documentation'] },
  { heading: 'Dependencies', labels: ['dependencies', 'dependency'] },
]
/** Pull requests with one of these labels are left out. */
const EXCLUDED_LABELS = ['ignore-for-release', 'skip-changelog', 'no changelog']
const OTHER_CHANGES = 'Other changes'

/** Escapes a title, so that it cannot become markup, a mention or a reference. */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\\`*_{}[\]<>()#|~!&]/g, '\\$&')
    .replace(/@(?=\w)/g, '@\u200b')
    .replace(/\s+/g, ' ')
    .trim()

type PreviousRelease = { readonly tag: string; readonly commit: Oid }

/**
 * Finds the newest published release that is an ancestor of `target`. Prereleases are considered
 * after full releases.
 */
async function findPreviousRelease(
  hearth: Hearth,
  repo: NotesRepo,
  tag_name: string,
  target: Oid,
): Promise<PreviousRelease | null> {
  const published = listPublished(hearth.db, repo.id, MAX_EARLIER_RELEASES).filter(
    (one) => one.tag_name !== tag_name,
  )
  for (const one of [
    ...published.filter(({ prerelease }) => prerelease === 0),
    ...published.filter(({ prerelease }) => prerelease === 1),
  ]) {
    const commit = await findCommitOfTag(hearth, repo, one.tag_name).catch(() => null)
    if (
      commit !== null &&
      commit !== target &&
      (await hearth.git.isReachable(repo.store, commit, [target]))
    )
      return { tag: one.tag_name, commit }
  }
  return null
}

const personOf = (
  hearth: Hearth,
  id: string,
): { readonly id: string; readonly username: string } => {
  const actor = actorOf(hearth, id)
  return actor.on_behalf_of ?? actor
}

function groupOf(labels: readonly string[]): string | null {
  const keys = labels.map((label) => label.toLowerCase())
  if (keys.some((key) => EXCLUDED_LABELS.includes(key))) return null
  return (
    GROUPS.find(({ labels: wanted }) => keys.some((key) => wanted.includes(key)))?.heading ??
    OTHER_CHANGES
  )
}

function pullLine(hearth: Hearth, repo: NotesRepo, pull: PullRow): string {
  const person = personOf(hearth, pull.author_id)
  const who = person.username === 'ghost' ? '' : ` by @${person.username}`
  return `- ${escapeMarkdown(pull.title)}${who} in [#${pull.number}](${pullUrl(hearth, repo.full_name, pull.number)})`
}

const commitLine = (hearth: Hearth, repo: NotesRepo, commit: Commit): string =>
  `- ${escapeMarkdown(titleOf(commit.message))} ([${commit.oid.slice(0, 7)}](${hearth.settings.site_url}/${repo.full_name}/commit/${commit.oid}))`

/** The section of merged pull requests under each heading that has some. */
const groupSections = (
  hearth: Hearth,
  repo: NotesRepo,
  groups: ReadonlyMap<string | null, readonly PullRow[]>,
): string[] =>
  [...GROUPS.map((group) => group.heading), OTHER_CHANGES].flatMap((heading) => {
    const lines = (groups.get(heading) ?? []).map((pull) => pullLine(hearth, repo, pull))
    return lines.length === 0 ? [] : [`## ${heading}\n\n${lines.join('\n')}`]
  })

/** The section of commits that came without a pull request. */
function commitSection(
  hearth: Hearth,
  repo: NotesRepo,
  commits: readonly Commit[],
  heading: string,
): string {
  const lines = commits
    .slice(0, MAX_LISTED_COMMITS)
    .map((commit) => commitLine(hearth, repo, commit))
  if (commits.length > MAX_LISTED_COMMITS)
    lines.push(`- and ${commits.length - MAX_LISTED_COMMITS} more`)
  return `## ${heading}\n\n${lines.join('\n')}`
}

/** The section of contributors, or an empty list when all accounts are deleted. */
function contributorSections(
  hearth: Hearth,
  repo: NotesRepo,
  pulls: readonly PullRow[],
  numbers: readonly number[],
  isFirstRelease: boolean,
): string[] {
  const authors = pulls.map((pull) => personOf(hearth, pull.author_id))
  const people = [...new Map(authors.map((person) => [person.id, person])).values()].filter(
    ({ username }) => username !== 'ghost',
  )
  if (people.length === 0) return []
  const isNew = (id: string) =>
    !isFirstRelease && countMergedBefore(hearth.db, repo.id, id, numbers) === 0
  const lines = people.map(
    ({ id, username }) => `- @${username}${isNew(id) ? ', for the first time' : ''}`,
  )
  return [`## Contributors\n\n${lines.join('\n')}`]
}

/**
 * Drafts the name and notes for a tag at `target`: merged pull requests under headings by their
 * labels, commits without a pull request, contributors, and a comparison link. They cover the
 * commits since `before`, or else since the newest release that it builds on.
 */
export async function draftNotes(
  hearth: Hearth,
  repo: NotesRepo,
  {
    tag_name,
    target,
    before,
  }: { tag_name: string; target: Oid; before: PreviousRelease | null | undefined },
): Promise<ReleaseNotes> {
  const since =
    before === undefined ? await findPreviousRelease(hearth, repo, tag_name, target) : before
  const commits = await hearth.git.log(repo.store, {
    tips: [target],
    ...(since ? { hide: [since.commit] } : {}),
    limit: MAX_COMMITS,
  })
  const landed = pullsOfCommits(
    hearth.db,
    repo.id,
    commits.map(({ oid }) => oid),
  )
  const numbers = [...new Set([...landed.values()].map(({ number }) => number))].sort(
    (a, b) => a - b,
  )
  const pulls = numbers.flatMap((number) => findPull(hearth.db, repo.id, number) ?? [])
  const labels = labelsOfAll(hearth.db, repo.id, [
    ...new Set(pulls.flatMap(({ number, issue }) => (issue === null ? [number] : [number, issue]))),
  ])
  const groups = Map.groupBy(pulls, ({ number, issue }) =>
    groupOf([...(labels.get(number) ?? []), ...(issue === null ? [] : (labels.get(issue) ?? []))]),
  )
  const shown = pulls.filter((pull) => ![...(groups.get(null) ?? [])].includes(pull))
  const single = commits.filter(({ oid, parents }) => !landed.has(oid) && parents.length < 2)

  const parts = groupSections(hearth, repo, groups)
  if (single.length > 0) {
    const heading = parts.length === 0 ? 'Changes' : 'Commits without a pull request'
    parts.push(commitSection(hearth, repo, single, heading))
  }
  parts.push(...contributorSections(hearth, repo, shown, numbers, since === null))
  if (since)
    parts.push(
      `[All changes since ${escapeMarkdown(since.tag)}](${hearth.settings.site_url}/${repo.full_name}/compare/${encodeReservedPath(since.tag)}...${encodeReservedPath(tag_name)})`,
    )
  else if (parts.length === 0) parts.push('The first release.')
  return { name: tag_name, body: parts.join('\n\n') }
}
