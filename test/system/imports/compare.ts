/** Compares what an import brought with what the other forge says. */
import type { Seeded } from './seed-gitea.ts'

export type ReadApi = <T>(method: string, path: string) => Promise<T>
type Json = Record<string, unknown>

/** All items of a list here. */
async function allOf(api: ReadApi, path: string): Promise<Json[]> {
  const items: Json[] = []
  for (let page = 1; ; page++) {
    const found = await api<Json[]>(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}per_page=100&page=${page}`,
    )
    items.push(...found)
    if (found.length < 100) return items
  }
}

const RANDOM = new Set([
  'id',
  'html_url',
  'review',
  'comments',
  'in_reply_to',
  'avatar_url',
  'url',
  'diff_url',
  'patch_url',
  'download_url',
  'repo',
  'session',
  'fork',
  'dismissed',
  'zipball_url',
  'tarball_url',
  'repository',
  'summary',
  'markdown',
])

/** Fields of pull requests that a job computes when somebody looks. */
const COMPUTED = new Set([
  'updated_at',
  'mergeable',
  'blockers',
  'merge_base_sha',
  'commits_count',
  'changed_files',
  'additions',
  'deletions',
])

const ATTACHMENT = /att_[0-9a-z]{26}/g

/** A record without its ids, which differ from import to import. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'string') return value.replaceAll(ATTACHMENT, 'att')
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (RANDOM.has(name) ? [] : [[name, plain(one)]])),
  )
}

/** Everything that an import brought, without ids and times of the import itself. */
export async function recordsOf(api: ReadApi, repo: string): Promise<unknown> {
  const at = `/repos/${repo}`
  const issues = await allOf(api, `${at}/issues?state=all`)
  const pulls = await allOf(api, `${at}/pulls?state=all`)
  const numbers = [...issues, ...pulls]
    .map(({ number }) => Number(number))
    .toSorted((a, b) => a - b)
  const comments = []
  for (const number of numbers) comments.push(await allOf(api, `${at}/issues/${number}/comments`))
  const histories = []
  for (const number of numbers)
    histories.push([
      await api<Json[]>('GET', `${at}/issues/${number}/events?per_page=100`),
      await api<Json>('GET', `${at}/issues/${number}/reactions`),
    ])
  const byNumber = (a: Json, b: Json): number => Number(a.number) - Number(b.number)
  return plain({
    issues: issues.toSorted(byNumber),
    pulls: pulls
      .toSorted(byNumber)
      .map((pull) =>
        Object.fromEntries(Object.entries(pull).filter(([name]) => !COMPUTED.has(name))),
      ),
    // A field that is called comments is left out, as it is a count or an address elsewhere.
    remarks: comments,
    histories,
    attachments: (await api<Json[]>('GET', `${at}/attachments`)).toSorted((a, b) =>
      String(a.name) < String(b.name) ? -1 : 1,
    ),
    labels: await allOf(api, `${at}/labels`).then((all) =>
      all.map(({ created_at: _, ...one }) => one),
    ),
    milestones: (await allOf(api, `${at}/milestones?state=all`)).toSorted((a, b) =>
      String(a.title) < String(b.title) ? -1 : 1,
    ),
    releases: (await allOf(api, `${at}/releases`)).map(
      ({ created_at: _, updated_at: __, ...one }) => one,
    ),
  })
}

const login = (value: unknown): string =>
  `${(value as { login?: string } | null)?.login ?? 'ghost'} (imported)`
const username = (value: unknown): string | undefined =>
  (value as { username?: string } | null)?.username
const seconds = (value: unknown): number | null =>
  typeof value === 'string' ? Math.floor(Date.parse(value) / 1000) : null

/** One line for everything that is not as Gitea has it. */
export async function compareWithGitea(
  seeded: Seeded,
  hearth: ReadApi,
  repo: string,
): Promise<string[]> {
  const { api: gitea } = seeded
  const differences: string[] = []
  const same = (what: string, there: unknown, here: unknown): void => {
    if (JSON.stringify(there) !== JSON.stringify(here))
      differences.push(`${what}: ${JSON.stringify(there)} there, ${JSON.stringify(here)} here`)
  }
  const pages = async (path: string): Promise<Json[]> => {
    const items: Json[] = []
    for (let page = 1; ; page++) {
      const found = await gitea<Json[]>('GET', `/repos/ada/lighthouse${path}limit=50&page=${page}`)
      items.push(...found)
      if (found.length < 50) return items
    }
  }
  const at = `/repos/${repo}`
  const issuesThere = await pages('/issues?state=all&type=issues&')
  const issuesHere = new Map(
    (await allOf(hearth, `${at}/issues?state=all`)).map((one) => [one.number, one]),
  )
  same('number of issues', issuesThere.length, issuesHere.size)
  for (const there of issuesThere) {
    const here = issuesHere.get(there.number) ?? {}
    const name = `issue ${String(there.number)}`
    same(`${name} title`, there.title, here.title)
    await compareText(name, there, here, seeded, same)
    same(`${name} state`, there.state, here.state)
    same(`${name} author`, login(there.user), username(here.author))
    same(`${name} labels`, (there.labels as Json[]).map((one) => one.name).toSorted(), here.labels)
    same(
      `${name} milestone`,
      (there.milestone as Json | null)?.title ?? null,
      (here.milestone as Json | null)?.title ?? null,
    )
    same(
      `${name} assignees`,
      ((there.assignees ?? []) as Json[]).map(login),
      (here.assignees as Json[]).map(username),
    )
    for (const time of ['created_at', 'updated_at', 'closed_at'])
      same(`${name} ${time}`, seconds(there[time]), seconds(here[time]))
    same(`${name} comments`, there.comments, here.comments_count)
  }
  await comparePulls(
    await pages('/pulls?state=all&'),
    await allOf(hearth, `${at}/pulls?state=all`),
    same,
  )
  const commentsThere = await pages('/issues/comments?')
  await compareComments(commentsThere, hearth, at, same)
  const numbers = [...issuesThere, ...(await pages('/pulls?state=all&'))].map((one) => one.number)
  for (const number of numbers) await compareHistory(Number(number), seeded, hearth, at, same)
  await compareFiles([...issuesThere, ...commentsThere], hearth, at, same)
  const releasesThere = await pages('/releases?')
  const releasesHere = new Map(
    (await allOf(hearth, `${at}/releases`)).map((one) => [one.tag_name, one]),
  )
  same('number of releases', releasesThere.length, releasesHere.size)
  for (const there of releasesThere) {
    const here = releasesHere.get(there.tag_name) ?? {}
    same(
      `release ${String(there.tag_name)}`,
      [there.body, there.draft, there.prerelease],
      [here.body, here.draft, here.prerelease],
    )
    same(
      `files of ${String(there.tag_name)}`,
      (there.assets as Json[]).map((one) => [one.name, one.size]),
      ((here.assets ?? []) as Json[]).map((one) => [one.name, one.size_in_bytes]),
    )
  }
  return differences
}

type Same = (what: string, there: unknown, here: unknown) => void

function comparePulls(theirs: readonly Json[], ours: readonly Json[], same: Same): void {
  const byNumber = new Map(ours.map((one) => [one.number, one]))
  same('number of pull requests', theirs.length, ours.length)
  for (const there of theirs) {
    const here = byNumber.get(there.number) ?? {}
    const name = `pull request ${String(there.number)}`
    const status = there.merged
      ? 'merged'
      : there.state === 'closed'
        ? 'closed'
        : there.draft
          ? 'draft'
          : 'open'
    same(`${name} title`, there.title, here.title)
    same(`${name} status`, status, here.status)
    same(`${name} author`, login(there.user), username(here.author))
    same(`${name} head`, (there.head as Json).sha, (here.head as Json | null)?.sha)
    same(`${name} base`, (there.base as Json).ref, (here.base as Json | null)?.ref)
    same(`${name} merge commit`, there.merge_commit_sha, here.merge_commit_sha)
    same(`${name} created`, seconds(there.created_at), seconds(here.created_at))
    same(`${name} merged`, seconds(there.merged_at), seconds(here.merged_at))
  }
}

async function compareComments(
  theirs: readonly Json[],
  hearth: ReadApi,
  at: string,
  same: Same,
): Promise<void> {
  const numberOf = (comment: Json): number =>
    Number(
      String(comment.issue_url || comment.pull_request_url)
        .split('/')
        .at(-1),
    )
  for (const [number, comments] of Map.groupBy(theirs, numberOf)) {
    const here = (await allOf(hearth, `${at}/issues/${number}/comments`)).filter(
      ({ path, review }) => path === null && review === null,
    )
    same(
      `comments of ${number}`,
      comments.map((one) => [login(one.user), firstLine(one.body), seconds(one.created_at)]),
      here.map((one) => [username(one.author), firstLine(one.body), seconds(one.created_at)]),
    )
  }
}

/** Files that no text names stand below it. */
const firstLine = (text: unknown): string => String(text).split('\n')[0] ?? ''

const UUID = /\/attachments\/([0-9a-f-]{36})/

/** The text, apart from the addresses of files, which are others here. */
async function compareText(
  name: string,
  there: Json,
  here: Json,
  { api }: Seeded,
  same: Same,
): Promise<void> {
  const assets = await api<Json[]>('GET', `/repos/ada/lighthouse/issues/${there.number}/assets`)
  if (assets.length === 0) same(`${name} body`, there.body, here.body)
  else same(`${name} names its files`, UUID.test(String(here.body)), false)
}

const TYPES: Readonly<Record<string, string>> = {
  label: 'labels',
  milestone: 'milestone',
  change_title: 'title',
  assignees: 'assigned',
  close: 'closed',
  reopen: 'reopened',
  lock: 'locked',
  unlock: 'locked',
  merge_pull: 'merged',
  change_target_branch: 'base',
}

/** What an event here says, in a word. */
function wordOf({ type, data }: Json): string {
  const { changed } = data as { changed?: string[] }
  const last = String(type).split('.')[1] ?? ''
  const [field] = changed ?? [last]
  return field === 'assignees' ? 'assigned' : field === 'status' ? 'reopened' : String(field)
}

async function compareHistory(
  number: number,
  { api }: Seeded,
  hearth: ReadApi,
  at: string,
  same: Same,
): Promise<void> {
  const path = `/repos/ada/lighthouse/issues/${number}`
  const reactions = (await api<Json[] | null>('GET', `${path}/reactions`)) ?? []
  const counts = await hearth<Record<string, number>>('GET', `${at}/issues/${number}/reactions`)
  same(
    `reactions to ${number}`,
    reactions.map(({ content }) => content).toSorted(),
    Object.entries(counts)
      .flatMap(([content, count]) => Array.from({ length: count }, () => content))
      .toSorted(),
  )
  const timeline = await api<Json[]>('GET', `${path}/timeline`)
  const events = await hearth<Json[]>('GET', `${at}/issues/${number}/events?per_page=100`)
  same(
    `history of ${number}`,
    timeline.flatMap((entry) => {
      const word = TYPES[String(entry.type)]
      return word === undefined ? [] : [[word, login(entry.user), seconds(entry.created_at)]]
    }),
    events.toReversed().map((one) => [wordOf(one), username(one.actor), seconds(one.time)]),
  )
}

async function compareFiles(
  texts: readonly Json[],
  hearth: ReadApi,
  at: string,
  same: Same,
): Promise<void> {
  const theirs = texts.flatMap(({ assets }) => (assets ?? []) as Json[])
  const ours = await hearth<Json[]>('GET', `${at}/attachments`)
  const of = (files: readonly Json[], size: string) =>
    files.map((one) => `${String(one.name)} ${String(one[size])}`).toSorted()
  same('attachments', of(theirs, 'size'), of(ours, 'size_in_bytes'))
}
