/** Notes of a release from what was merged since the one before. */
import type { Commit, Oid } from '#git'
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { labelsOfAll } from '#features/issues/index.ts'
import { findPull, pullUrl, type PullRow } from '#features/pulls/index.ts'
import { pullsOfCommits, titleOf } from '#features/repos/index.ts'
import type { ReleaseNotes } from './schema.ts'
import { listPublished } from './store.ts'
import { commitOfTag } from './tag.ts'
import { countMergedBefore } from './store-contributors.ts'

type Repo = Pick<RepoGrant, 'id' | 'store' | 'full_name'>

/** Commits that are looked at; a release of more is told by its first ones. */
const MOST_COMMITS = 5_000
const MOST_SINGLE = 100
/** Releases that are looked through for one that this one builds on. */
const MOST_BEFORE = 50

/** Headings in their order, and the labels that lead to each. The first that fits counts. */
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
/** Pull requests that carry one of these are left out. */
const LEFT_OUT = ['ignore-for-release', 'skip-changelog', 'no changelog']
const OTHERS = 'Other changes'

/**
 * Titles are text, whatever they hold: nothing of them may become markup, a mention or a reference.
 */
export const plain = (text: string): string =>
  text
    .replace(/[\\`*_{}[\]<>()#|~!&]/g, '\\$&')
    .replace(/@(?=\w)/g, '@\u200b')
    .replace(/\s+/g, ' ')
    .trim()

type Before = { readonly tag: string; readonly commit: Oid }

/**
 * The newest published release, other than this, that `target` builds on. A release follows
 * releases; a prerelease whatever came before.
 */
async function releaseBefore(
  hearth: Hearth,
  repo: Repo,
  tag_name: string,
  target: Oid,
): Promise<Before | null> {
  const published = listPublished(hearth.db, repo.id, MOST_BEFORE).filter(
    (one) => one.tag_name !== tag_name,
  )
  for (const one of [
    ...published.filter(({ prerelease }) => prerelease === 0),
    ...published.filter(({ prerelease }) => prerelease === 1),
  ]) {
    const commit = await commitOfTag(hearth, repo, one.tag_name).catch(() => null)
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
  if (keys.some((key) => LEFT_OUT.includes(key))) return null
  return (
    GROUPS.find(({ labels: wanted }) => keys.some((key) => wanted.includes(key)))?.heading ?? OTHERS
  )
}

function pullLine(hearth: Hearth, repo: Repo, pull: PullRow): string {
  const person = personOf(hearth, pull.author_id)
  const who = person.username === 'ghost' ? '' : ` by @${person.username}`
  return `- ${plain(pull.title)}${who} in [#${pull.number}](${pullUrl(hearth, repo.full_name, pull.number)})`
}

const commitLine = (hearth: Hearth, repo: Repo, commit: Commit): string =>
  `- ${plain(titleOf(commit.message))} ([${commit.oid.slice(0, 7)}](${hearth.settings.site_url}/${repo.full_name}/commit/${commit.oid}))`

/**
 * The name and notes for a tag at `target`: pull requests that landed since `previous_tag` (else
 * since the newest release that it builds on) under headings by their labels, commits that came
 * without one, who took part, and where to see all of it.
 */
export async function draftNotes(
  hearth: Hearth,
  repo: Repo,
  {
    tag_name,
    target,
    before,
  }: { tag_name: string; target: Oid; before: Before | null | undefined },
): Promise<ReleaseNotes> {
  const since = before === undefined ? await releaseBefore(hearth, repo, tag_name, target) : before
  const commits = await hearth.git.log(repo.store, {
    tips: [target],
    ...(since ? { hide: [since.commit] } : {}),
    limit: MOST_COMMITS,
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

  const parts: string[] = []
  for (const heading of [...GROUPS.map((group) => group.heading), OTHERS]) {
    const lines = (groups.get(heading) ?? []).map((pull) => pullLine(hearth, repo, pull))
    if (lines.length > 0) parts.push(`## ${heading}\n\n${lines.join('\n')}`)
  }
  if (single.length > 0) {
    const lines = single.slice(0, MOST_SINGLE).map((commit) => commitLine(hearth, repo, commit))
    if (single.length > MOST_SINGLE) lines.push(`- and ${single.length - MOST_SINGLE} more`)
    parts.push(
      `## ${parts.length === 0 ? 'Changes' : 'Commits without a pull request'}\n\n${lines.join('\n')}`,
    )
  }
  const people = [
    ...new Map(
      shown.map((pull) => [personOf(hearth, pull.author_id).id, personOf(hearth, pull.author_id)]),
    ).values(),
  ].filter(({ username }) => username !== 'ghost')
  if (people.length > 0) {
    const first = (id: string) => countMergedBefore(hearth.db, repo.id, id, numbers) === 0
    const lines = people.map(
      ({ id, username }) =>
        `- @${username}${since !== null && first(id) ? ', for the first time' : ''}`,
    )
    parts.push(`## Contributors\n\n${lines.join('\n')}`)
  }
  const encode = (ref: string) => ref.split('/').map(encodeURIComponent).join('/')
  if (since)
    parts.push(
      `[All changes since ${plain(since.tag)}](${hearth.settings.site_url}/${repo.full_name}/compare/${encode(since.tag)}...${encode(tag_name)})`,
    )
  else if (parts.length === 0) parts.push('The first release.')
  return { name: tag_name, body: parts.join('\n\n') }
}
