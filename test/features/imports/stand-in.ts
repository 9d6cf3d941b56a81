/**
 * Servers that answer as Gitea, GitHub and GitLab describe it, from one small project: lists in
 * pages, limits, faults, and a pull request whose fork is gone. Git requests go to a real server.
 */
import type { Server } from 'bun'

export type Dialect = 'gitea_api' | 'github_api' | 'gitlab_api'
export const DIALECTS = ['gitea_api', 'github_api', 'gitlab_api'] as const

type Person = { readonly id: number; readonly login: string; readonly email: string }
export const PEOPLE = {
  ada: { id: 1, login: 'ada', email: 'ada@example.com' },
  zoe: { id: 7, login: 'zoe', email: 'zoe@elsewhere.example' },
} as const satisfies Record<string, Person>

const DAY_MS = 24 * 60 * 60 * 1000
const START_MS = Date.parse('2025-05-01T08:00:00Z')
export const timeOf = (n: number): string => new Date(START_MS + n * DAY_MS).toISOString()

export type Project = {
  readonly issues: number
  readonly comments: number
  /** Commits of the history that the pull requests are about. */
  readonly commits: { readonly base: string; readonly head: string; readonly merge: string }
  readonly branch: string
  /** Whether issue 4 names files. */
  readonly files?: boolean
  /** Whether the comments are spread over all issues; else they are of issue 1. Not of GitLab. */
  readonly isSpread?: boolean
}

/** The issue of a comment, and how many comments an issue has. */
const issueOf = ({ isSpread, issues }: Project, comment: number): number =>
  isSpread ? 1 + ((comment - 1) % issues) : 1
const commentsOf = ({ isSpread, issues, comments }: Project, issue: number): number => {
  if (!isSpread) return issue === 1 ? comments : 0
  return issue > issues ? 0 : Math.ceil((comments - issue + 1) / issues)
}

type Json = Record<string, unknown>
/** Items of a list, by what the dialect calls it. */
type Lists = (path: string) => Json[] | Json | null

const issueNumbers = ({ issues }: Project): number[] =>
  Array.from({ length: issues }, (_, n) => n + 1)

/** The first pull request is merged, the second open, the third closed with its fork gone. */
const PULLS = ['merged', 'open', 'gone'] as const

type TimelineParts = {
  readonly user: (person: Person) => Json
  readonly label: Json
  readonly milestone: Json
  readonly open: number
  readonly merged: number
  readonly merge: string
}

/** Entries as GitHub's documentation has them ("Issue event types"), of issue 1 and two pull requests. */
function githubTimeline({ user, label, milestone, open, merged, merge }: TimelineParts) {
  let id = 5000
  const entry = (event: string, person: Person | null, day: number, more: Json = {}): Json => ({
    id: id++,
    event,
    actor: person && user(person),
    created_at: timeOf(day),
    ...more,
  })
  const home = { full_name: 'Ada/Lamp' }
  return {
    '/issues/1/timeline': [
      entry('labeled', PEOPLE.zoe, 3, { label }),
      entry('commented', PEOPLE.zoe, 3, { body: 'comes with the comments' }),
      entry('milestoned', PEOPLE.ada, 4, { milestone: { title: milestone.title } }),
      entry('assigned', PEOPLE.ada, 5, { assignee: user(PEOPLE.zoe) }),
      entry('renamed', PEOPLE.ada, 6, { rename: { from: 'Old', to: 'Record 1' } }),
      {
        event: 'cross-referenced',
        actor: user(PEOPLE.zoe),
        created_at: timeOf(7),
        source: { type: 'issue', issue: { id: 77, number: 3, repository: home } },
      },
      {
        event: 'cross-referenced',
        actor: user(PEOPLE.zoe),
        created_at: timeOf(7),
        source: { issue: { id: 78, number: 2, repository: { full_name: 'ada/other' } } },
      },
      entry('closed', null, 8, { state_reason: 'not_planned' }),
      entry('reopened', PEOPLE.ada, 9),
      entry('locked', PEOPLE.ada, 10, { lock_reason: 'spam' }),
      entry('subscribed', PEOPLE.ada, 10),
    ],
    [`/issues/${open}/timeline`]: [
      entry('convert_to_draft', PEOPLE.ada, 11),
      entry('ready_for_review', PEOPLE.ada, 12),
    ],
    [`/issues/${merged}/timeline`]: [
      entry('merged', PEOPLE.ada, 13, { commit_id: merge }),
      entry('closed', PEOPLE.ada, 13),
    ],
  }
}

/** Entries as Gitea 1.26 gives them. */
function giteaTimeline({ user, label, milestone, open, merged }: TimelineParts) {
  let id = 5000
  const entry = (type: string, person: Person | null, day: number, more: Json = {}): Json => ({
    id: id++,
    type,
    user: person && user(person),
    body: '',
    created_at: timeOf(day),
    ...more,
  })
  return {
    '/issues/1/timeline': [
      entry('label', PEOPLE.zoe, 3, { label, body: '1' }),
      entry('comment', PEOPLE.zoe, 3, { body: 'comes with the comments' }),
      entry('milestone', PEOPLE.ada, 4, { milestone: { title: milestone.title } }),
      entry('assignees', PEOPLE.ada, 5, { assignee: user(PEOPLE.zoe), removed_assignee: false }),
      entry('change_title', PEOPLE.ada, 6, { old_title: 'Old', new_title: 'Record 1' }),
      entry('issue_ref', PEOPLE.zoe, 7, {
        ref_issue: { number: 3, repository: { full_name: 'ada/lamp' } },
      }),
      entry('issue_ref', PEOPLE.zoe, 7, {
        ref_issue: { number: 2, repository: { full_name: 'ada/other' } },
      }),
      entry('close', null, 8),
      entry('reopen', PEOPLE.ada, 9),
      entry('lock', PEOPLE.ada, 10, { body: 'Spam' }),
      entry('pin', PEOPLE.ada, 10),
    ],
    [`/issues/${open}/timeline`]: [
      entry('change_target_branch', PEOPLE.ada, 11, { old_ref: 'next', new_ref: 'main' }),
    ],
    [`/issues/${merged}/timeline`]: [
      // The commit is in the pull request alone.
      entry('merge_pull', PEOPLE.ada, 13, { ref_commit_sha: '' }),
    ],
  }
}

const UUID = '01234567-89ab-cdef-0123-456789abcdef'
const HASH = '0123456789abcdef0123456789abcdef'

/** Where a file is that a text names; the second is gone. */
export const fileLinks = (dialect: Dialect, origin: string): [string, string] => {
  if (dialect === 'gitlab_api') {
    const web = `${origin}/ada/lamp`
    return [`/uploads/${HASH}/shot.png`, `${web}/uploads/${HASH.replace('0', 'f')}/gone.png`]
  }
  const path = dialect === 'gitea_api' ? '/attachments' : '/user-attachments/assets'
  return [`${origin}${path}/${UUID}`, `${origin}${path}/${UUID.replace('0', 'f')}`]
}
export const PICTURE = Buffer.from('\x89PNG\r\n\x1a\nand so on', 'latin1')

/** A text with two files, one of them once more in code. */
const textWithFiles = (dialect: Dialect, origin: string): string => {
  const [here, gone] = fileLinks(dialect, origin)
  return `![shot](${here}) and <img src="${gone}">\n\n\`${here}\``
}

/** The bytes of the file that is there, as each forge gives them. */
function fileOf(dialect: Dialect, { pathname }: URL): Response | null {
  const isApi = pathname.startsWith('/api/v4/projects/ada%2Flamp/uploads/')
  const isFile = isApi || /^\/(user-)?attachments\/|\/uploads\//.test(pathname)
  if (!isFile) return null
  const isThere =
    dialect === 'gitlab_api' ? isApi && pathname.includes(HASH) : pathname.endsWith(UUID)
  const headers = { 'content-disposition': 'inline; filename="shot.png"' }
  return isThere ? new Response(PICTURE, { headers }) : new Response('gone', { status: 404 })
}

function githubLike(project: Project, dialect: 'gitea_api' | 'github_api', origin: string): Lists {
  const isGitHub = dialect === 'github_api'
  const user = (person: Person): Json => ({
    ...person,
    full_name: '',
    html_url: `${origin}/${person.login}`,
  })
  const label = { name: 'defect', color: 'ee0701', description: 'It does not work' }
  const milestone = {
    id: 40,
    title: 'Next',
    description: 'What comes',
    state: 'open',
    due_on: '2027-01-02T00:00:00Z',
    created_at: timeOf(0),
  }
  const record = (number: number): Json => ({
    number,
    title: `Record ${number}`,
    body:
      project.files && number === 4
        ? textWithFiles(dialect, origin)
        : `See ${origin}/ada/lamp/issues/1 and \`${origin}/ada/lamp/issues/1\``,
    user: number === 2 ? null : user(number % 2 ? PEOPLE.ada : PEOPLE.zoe),
    labels: number === 1 ? [label] : [],
    milestone: number === 1 ? milestone : null,
    assignees: number === 1 ? [user(PEOPLE.zoe)] : [],
    state: number % 3 === 0 ? 'closed' : 'open',
    state_reason: number % 3 === 0 ? 'not_planned' : null,
    created_at: timeOf(number),
    updated_at: timeOf(number + 1),
    closed_at: number % 3 === 0 ? timeOf(number + 1) : null,
    [isGitHub ? 'locked' : 'is_locked']: number === 1,
    ...(isGitHub && { active_lock_reason: number === 1 ? 'too heated' : null }),
    comments: commentsOf(project, number),
    ...(isGitHub && { reactions: { total_count: number === 1 ? 3 : 0 } }),
  })
  const { base, head, merge } = project.commits
  const pull = (at: number): Json => {
    const number = project.issues + 1 + at
    const kind = PULLS[at]
    const closed = kind !== 'open'
    const isGone = kind === 'gone'
    const merged = kind === 'merged'
    return {
      ...record(number),
      state: closed ? 'closed' : 'open',
      closed_at: closed ? timeOf(number + 1) : null,
      draft: false,
      merged,
      merged_at: merged ? timeOf(number + 1) : null,
      merged_by: merged ? user(PEOPLE.ada) : null,
      merge_commit_sha: merged ? merge : null,
      base: { ref: 'main', sha: base, repo_id: 1, repo: { id: 1 } },
      merge_base: base,
      head: {
        ref: kind === 'open' ? project.branch : `topic-${number}`,
        label: kind === 'open' ? project.branch : `zoe:topic-${number}`,
        sha: isGone ? 'f'.repeat(40) : head,
        repo_id: isGone ? 9 : 1,
        repo: isGone ? null : { id: 1 },
      },
    }
  }
  const comment = (id: number): Json => ({
    id,
    body: `Remark ${id}`,
    user: user(PEOPLE.zoe),
    issue_url: `${origin}/ada/lamp/issues/${issueOf(project, id)}`,
    created_at: timeOf(20),
    updated_at: timeOf(20),
    reactions: { total_count: id === 1 ? 1 : 0 },
  })
  const line = {
    id: 900,
    body: 'Why this?',
    user: user(PEOPLE.zoe),
    path: 'file.txt',
    position: 1,
    line: 1,
    original_line: 1,
    side: 'RIGHT',
    commit_id: head,
    original_commit_id: head,
    diff_hunk: '@@ -0,0 +1 @@\n+one',
    pull_request_review_id: 70,
    created_at: timeOf(21),
    updated_at: timeOf(21),
  }
  const open = project.issues + 2
  const timeline = isGitHub ? githubTimeline : giteaTimeline
  const lists: Record<string, Json[] | Json> = {
    ...timeline({ user, label, milestone, open, merge, merged: project.issues + 1 }),
    '/issues/1/reactions': [
      { content: '+1', user: user(PEOPLE.ada) },
      { content: 'rocket', user: user(PEOPLE.zoe) },
      { content: 'unheard-of', user: user(PEOPLE.zoe) },
    ],
    '': {
      name: 'lamp',
      description: 'A lamp',
      private: false,
      clone_url: `${origin}/ada/lamp.git`,
      has_wiki: true,
    },
    '/labels': [label],
    '/milestones': [milestone],
    '/collaborators': [user(PEOPLE.ada)],
    '/issues': [
      ...issueNumbers(project).map(record),
      ...(isGitHub ? PULLS.map((_, at) => ({ ...pull(at), pull_request: {} })) : []),
    ],
    '/pulls': PULLS.map((_, at) => pull(at)),
    '/issues/comments': Array.from({ length: project.comments }, (_, n) => comment(n + 1)),
    '/issues/comments/1/reactions': [{ content: 'heart', user: user(PEOPLE.ada) }],
    [`/pulls/${open}/reviews`]: [
      {
        id: 70,
        state: isGitHub ? 'CHANGES_REQUESTED' : 'REQUEST_CHANGES',
        body: 'Not yet',
        user: user(PEOPLE.zoe),
        commit_id: head,
        submitted_at: timeOf(21),
        comments_count: 1,
      },
    ],
    [`/pulls/${open}/reviews/70/comments`]: [line],
    [`/pulls/${open}/comments`]: [line],
    '/releases': [
      {
        id: 5,
        tag_name: 'v9',
        target_commitish: 'main',
        name: 'Nine',
        body: 'Notes',
        draft: false,
        prerelease: false,
        author: user(PEOPLE.ada),
        created_at: timeOf(22),
        published_at: timeOf(22),
        assets: [
          {
            id: 6,
            name: 'lamp.zip',
            size: 5,
            url: `${origin}/file`,
            browser_download_url: `${origin}/file`,
          },
        ],
      },
    ],
  }
  return (path) => {
    const one = /^\/pulls\/(\d+)$/.exec(path)
    if (one) return pull(Number(one[1]) - project.issues - 1)
    const ofIssue = /^\/issues\/(\d+)\/comments$/.exec(path)
    if (ofIssue) {
      const issue = Number(ofIssue[1])
      return Array.from({ length: commentsOf(project, issue) }, (_, n) =>
        comment(project.isSpread ? issue + n * project.issues : n + 1),
      )
    }
    if (/^\/(issues|pulls)\/.*\/(comments|reviews|reactions|timeline)$/.test(path))
      return lists[path] ?? []
    return lists[path] ?? null
  }
}

/** Notes of the system as GitLab's source words them (app/services/system_notes). */
const gitlabSystemNotes = (user: (person: Person) => Json): Json[] =>
  [
    ['assigned to @zoe', PEOPLE.ada, 5],
    ['changed title from **{-Old-}** to **{+Record 1+}**', PEOPLE.ada, 6],
    ['mentioned in issue #3', PEOPLE.zoe, 7],
    ['mentioned in commit 0123456789abcdef', PEOPLE.zoe, 7],
    ['mentioned in issue ada/other#2', PEOPLE.zoe, 7],
    ['locked the discussion in this issue', PEOPLE.ada, 10],
  ].map(([body, person, day], at) => ({
    id: 6000 + at,
    body,
    author: user(person as Person),
    system: true,
    created_at: timeOf(day as number),
    updated_at: timeOf(day as number),
  }))

/** Resource events (https://docs.gitlab.com/api/resource_label_events and those beside it). */
function gitlabEvents(user: (person: Person) => Json) {
  const event = (id: number, person: Person | null, day: number, more: Json): Json => ({
    id,
    user: person && user(person),
    created_at: timeOf(day),
    resource_type: 'Issue',
    ...more,
  })
  return {
    '/issues/1/resource_label_events': [
      event(1, PEOPLE.zoe, 3, { action: 'add', label: { name: 'defect' } }),
      event(2, PEOPLE.zoe, 3, { action: 'add', label: null }),
    ],
    '/issues/1/resource_milestone_events': [
      event(1, PEOPLE.ada, 4, { action: 'add', milestone: { title: 'Next' } }),
    ],
    '/issues/1/resource_state_events': [
      event(1, null, 8, { state: 'closed' }),
      event(2, PEOPLE.ada, 9, { state: 'reopened' }),
    ],
    '/merge_requests/1/resource_state_events': [event(3, PEOPLE.ada, 13, { state: 'merged' })],
    '/issues/1/award_emoji': [
      { name: 'thumbsup', user: user(PEOPLE.ada) },
      { name: 'rocket', user: user(PEOPLE.zoe) },
      { name: 'unheard_of', user: user(PEOPLE.zoe) },
    ],
  }
}

function gitlabLike(project: Project, origin: string): Lists {
  const user = ({ id, login, email }: Person): Json => ({
    id,
    username: login,
    name: login,
    public_email: email,
    web_url: `${origin}/${login}`,
  })
  const record = (iid: number): Json => ({
    iid,
    title: `Record ${iid}`,
    description:
      project.files && iid === 4
        ? textWithFiles('gitlab_api', origin)
        : `See ${origin}/ada/lamp/-/issues/1 and !1`,
    author: iid === 2 ? null : user(iid % 2 ? PEOPLE.ada : PEOPLE.zoe),
    labels: iid === 1 ? ['defect'] : [],
    milestone: iid === 1 ? { id: 40 } : null,
    assignees: iid === 1 ? [user(PEOPLE.zoe)] : [],
    state: iid % 3 === 0 ? 'closed' : 'opened',
    discussion_locked: iid === 1,
    created_at: timeOf(iid),
    updated_at: timeOf(iid + 1),
    closed_at: iid % 3 === 0 ? timeOf(iid + 1) : null,
  })
  const { base, head, merge } = project.commits
  const request = (at: number): Json => {
    const kind = PULLS[at]
    const number = project.issues + 1 + at
    return {
      ...record(at + 1),
      title: `Record ${number}`,
      author: user(number % 2 ? PEOPLE.ada : PEOPLE.zoe),
      labels: [],
      milestone: null,
      assignees: [],
      discussion_locked: false,
      created_at: timeOf(number),
      updated_at: timeOf(number + 1),
      state: kind === 'open' ? 'opened' : kind === 'merged' ? 'merged' : 'closed',
      closed_at: kind === 'gone' ? timeOf(number + 1) : null,
      merged_at: kind === 'merged' ? timeOf(number + 1) : null,
      merge_user: kind === 'merged' ? user(PEOPLE.ada) : null,
      merge_commit_sha: kind === 'merged' ? merge : null,
      target_branch: 'main',
      source_branch: kind === 'open' ? project.branch : `topic-${number}`,
      source_project_id: kind === 'gone' ? null : 1,
      target_project_id: 1,
      sha: kind === 'gone' ? 'f'.repeat(40) : head,
      diff_refs: { base_sha: base, head_sha: head, start_sha: base },
    }
  }
  const note = (id: number): Json => ({
    id,
    body: `Remark ${id}`,
    author: user(PEOPLE.zoe),
    system: false,
    created_at: timeOf(20),
    updated_at: timeOf(20),
  })
  const notes = [
    ...Array.from({ length: project.comments }, (_, n) => note(n + 1)),
    { ...note(800), body: 'changed the milestone', system: true },
    ...gitlabSystemNotes(user),
  ]
  const lists: Record<string, Json[] | Json> = {
    '': {
      path: 'lamp',
      description: 'A lamp',
      visibility: 'public',
      http_url_to_repo: `${origin}/ada/lamp.git`,
      wiki_enabled: true,
    },
    '/labels': [{ name: 'defect', color: '#ee0701', description: 'It does not work' }],
    '/milestones': [
      {
        id: 40,
        title: 'Next',
        description: 'What comes',
        state: 'active',
        due_date: '2027-01-02',
        created_at: timeOf(0),
      },
    ],
    '/members/all': [user(PEOPLE.ada)],
    '/issues': issueNumbers(project).map(record),
    '/merge_requests': PULLS.map((_, at) => request(at)),
    '/issues/1/notes': notes,
    '/issues/1/notes/1/award_emoji': [{ name: 'heart', user: user(PEOPLE.ada) }],
    ...gitlabEvents(user),
    '/merge_requests/2/discussions': [
      {
        id: 'abc',
        notes: [
          {
            ...note(900),
            body: 'Why this?',
            created_at: timeOf(21),
            position: {
              new_path: 'file.txt',
              old_path: 'file.txt',
              new_line: 1,
              old_line: null,
              head_sha: head,
            },
          },
        ],
      },
    ],
    '/releases': [
      {
        tag_name: 'v9',
        name: 'Nine',
        description: 'Notes',
        commit: { id: project.commits.merge },
        author: user(PEOPLE.ada),
        created_at: timeOf(22),
        released_at: timeOf(22),
        assets: { links: [{ id: 6, name: 'lamp.zip', url: `${origin}/file` }] },
      },
    ],
  }
  return (path) => {
    const one = /^\/merge_requests\/(\d+)$/.exec(path)
    if (one) return request(Number(one[1]) - 1)
    if (/\/(notes|award_emoji|discussions|resource_\w+_events)$/.test(path))
      return lists[path] ?? []
    return lists[path] ?? null
  }
}

const PREFIX: Record<Dialect, RegExp> = {
  gitea_api: /^\/api\/v1\/repos\/ada\/lamp/,
  github_api: /^\/api\/v3\/repos\/ada\/lamp/,
  gitlab_api: /^\/api\/v4\/projects\/ada%2Flamp/,
}
const MAX_PER_PAGE: Record<Dialect, number> = { gitea_api: 50, github_api: 100, gitlab_api: 100 }

export type StandIn = {
  readonly url: string
  /** The requests to the API so far, in order. */
  readonly asked: string[]
  /** The connections of these requests, by their port at the client. */
  readonly ports: ReadonlySet<number>
  close(): Promise<void>
}

export type StandInOptions = {
  readonly token?: string
  /** Whether issue 4 names a file that is there and one that is gone. */
  readonly files?: boolean
  /** Called with each address before it is answered. */
  readonly onRequest?: (path: string) => Promise<void>
  /** An answer in place of the right one; `count` is the number of this request, from 1. */
  readonly instead?: (path: string, count: number) => Response | null
  /** Pages of issues that a number alone leads to, at GitHub and GitLab. */
  readonly maxNumberedPages?: number
  /** GitLab before 18.3 has no cursors, and no bound for page numbers. */
  readonly hasKeyset?: boolean
  readonly maxPerPage?: number
  /** Headers of every answer of the API. */
  readonly headers?: () => Record<string, string>
}

/** What the forges answer to a page number without a cursor, in long lists of issues. */
const REFUSED_PAGE = {
  github_api: [
    422,
    {
      message:
        'Pagination with the page parameter is not supported for large datasets, please use cursor based pagination (after/before)',
    },
  ],
  gitlab_api: [
    405,
    {
      error:
        'Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type Issue. Remaining records can be retrieved using keyset pagination.',
    },
  ],
} as const

const CURSOR = { github_api: 'after', gitlab_api: 'cursor' } as const

const cursorOf = (page: number): string => btoa(`before page ${page} = ?`)

type Paging = Pick<StandInOptions, 'maxNumberedPages' | 'maxPerPage' | 'hasKeyset'>

function pageOf(
  items: Json[],
  url: URL,
  dialect: Dialect,
  { maxNumberedPages = 99, maxPerPage = MAX_PER_PAGE[dialect], hasKeyset = true }: Paging,
): Response {
  const asked = Number(url.searchParams.get('per_page') ?? url.searchParams.get('limit') ?? 30)
  const size = Math.min(asked, maxPerPage)
  const isBounded =
    dialect !== 'gitea_api' &&
    url.pathname.endsWith('/issues') &&
    (dialect === 'github_api' || hasKeyset)
  const name = isBounded ? CURSOR[dialect] : null
  const isKeyset = dialect === 'gitlab_api' && url.searchParams.get('pagination') === 'keyset'
  const cursor = name === null ? null : url.searchParams.get(name)
  // GitLab looks at no number beside a cursor.
  const page =
    cursor !== null && isKeyset
      ? Number(/\d+/.exec(atob(cursor))?.[0])
      : Number(url.searchParams.get('page') ?? 1)
  if (isBounded && page > maxNumberedPages && cursor !== cursorOf(page)) {
    const [status, body] = REFUSED_PAGE[dialect]
    return Response.json(body, { status })
  }
  const isNewest = /desc/.test(url.search)
  const sorted = isNewest ? items.toReversed() : items
  const hasNext = page * size < items.length
  const next = new URL(url)
  if (!isKeyset) next.searchParams.set('page', String(page + 1))
  const hasCursor = name !== null && (dialect === 'github_api' || isKeyset)
  if (hasCursor) next.searchParams.set(name, cursorOf(page + 1))
  const isNumbered = dialect === 'gitlab_api' && !hasCursor
  return Response.json(sorted.slice((page - 1) * size, page * size), {
    headers: {
      ...(dialect === 'gitea_api' ? { 'x-total-count': String(items.length) } : {}),
      ...(isNumbered ? { 'x-next-page': hasNext ? String(page + 1) : '' } : {}),
      ...(!isNumbered && hasNext ? { link: `<${next.href}>; rel="next"` } : {}),
    },
  })
}

/** `git` is the address of the server that has `lamp.git`. */
export function startStandIn(
  dialect: Dialect,
  plain: Project,
  git: string,
  {
    token,
    files = false,
    onRequest,
    instead = () => null,
    headers,
    ...paging
  }: StandInOptions = {},
): StandIn {
  const asked: string[] = []
  const ports = new Set<number>()
  const project = { ...plain, files }
  let lists: Lists | null = null
  const server: Server<undefined> = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request, self) {
      const url = new URL(request.url)
      await onRequest?.(`${url.pathname}${url.search}`)
      if (url.pathname === '/file') return new Response('bytes')
      const file = fileOf(dialect, url)
      if (file) return file
      // As Gitea answers while its wiki has no page; its API says 404 then.
      if (dialect === 'gitea_api' && url.pathname.startsWith('/ada/lamp.wiki.git/'))
        return new Response(null, { status: 500 })
      if (!url.pathname.startsWith('/api/')) {
        const at = `${git}${url.pathname.replace(/^\/ada/, '')}${url.search}`
        const passed = new Headers(request.headers)
        passed.delete('authorization')
        const body = await request.blob()
        return await fetch(at, { method: request.method, headers: passed, body })
      }
      asked.push(`${url.pathname}${url.search}`)
      ports.add(self.requestIP(request)?.port ?? 0)
      const given = request.headers.get('authorization')?.split(' ')[1]
      if (token !== undefined && given !== token) return new Response(null, { status: 401 })
      const path = url.pathname.replace(PREFIX[dialect], '')
      const other = instead(path, asked.length)
      if (other) return other
      const origin = `http://127.0.0.1:${server.port}`
      lists ??=
        dialect === 'gitlab_api'
          ? gitlabLike(project, origin)
          : githubLike(project, dialect, origin)
      const found = lists(path)
      if (found === null) return new Response(null, { status: 404 })
      const answer = Array.isArray(found)
        ? pageOf(found, url, dialect, paging)
        : Response.json(found)
      for (const [name, value] of Object.entries(headers?.() ?? {})) answer.headers.set(name, value)
      return answer
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/ada/lamp`,
    asked,
    ports,
    close: () => server.stop(true),
  }
}
