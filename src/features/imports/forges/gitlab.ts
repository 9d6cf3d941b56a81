/**
 * GitLab's REST interface, version 4 (https://docs.gitlab.com/api/rest). Issues and merge requests
 * have numbers of their own: merge requests get those after the highest issue.
 */
import type { ReactionContent } from '#features/issues/index.ts'
import type { Fields } from './fields.ts'
import { findFiles, NAME } from './find-files.ts'
import { gitlabEvents } from './gitlab-history.ts'
import { labelOf, readPage, timesOf } from './shared-records.ts'
import {
  ForgeError,
  nextCursorOf,
  pageParameters,
  readWholeList,
  type ForgeAnswer,
  type ForgeClient,
} from './forge-client.ts'
import type {
  Forge,
  ForeignComment,
  ForeignFile,
  ForeignHistory,
  ForeignIssue,
  ForeignLabel,
  ForeignLineComment,
  ForeignMilestone,
  ForeignPerson,
  ForeignPull,
  ForeignReaction,
  ForeignRecord,
  ForeignRelease,
  ForeignRepo,
  ForeignReview,
  Page,
  RecordRef,
} from './forge.ts'

const PER_PAGE = 100

const accountOf = (user: Fields | null): ForeignPerson | null => {
  const login = user?.optional('username') ?? null
  return user === null || login === null
    ? null
    : {
        id: user.id('id'),
        login,
        name: user.optional('name'),
        email: user.optional('public_email') ?? user.optional('email'),
        url: user.optional('web_url'),
      }
}

const milestoneOf = (milestone: Fields): ForeignMilestone => ({
  id: milestone.id('id'),
  title: milestone.text('title'),
  description: milestone.optional('description'),
  due_on: milestone.optional('due_date'),
  created_ms: milestone.time('created_at') ?? 0,
  closed_ms: milestone.text('state') === 'closed' ? (milestone.time('updated_at') ?? 0) : null,
})

function recordOf(record: Fields, offset: number): ForeignRecord {
  const times = timesOf(record)
  const isOpen = record.text('state') === 'opened' || record.text('state') === 'locked'
  return {
    number: (record.integer('iid') ?? -offset) + offset,
    title: record.text('title'),
    body: record.text('description'),
    author: accountOf(record.object('author')),
    labels: record.texts('labels').map((name) => ({ name, color: '', description: null })),
    milestone: record.object('milestone')?.id('id') ?? null,
    assignees: record.list('assignees').flatMap((one) => accountOf(one) ?? []),
    locked: record.is('discussion_locked'),
    lock_reason: null,
    ...times,
    closed_ms: isOpen ? null : (record.time('closed_at') ?? times.updated_ms),
    closed_by: accountOf(record.object('closed_by')),
  }
}

function pullOf(request: Fields, offset: number): ForeignPull {
  const merged_ms = request.text('state') === 'merged' ? request.time('merged_at') : null
  const refs = request.object('diff_refs')
  return {
    ...recordOf(request, offset),
    draft: request.is('draft') || request.is('work_in_progress'),
    base_ref: request.text('target_branch'),
    base_sha: refs?.optional('base_sha') ?? null,
    merge_base: refs?.optional('base_sha') ?? null,
    head_ref: request.text('source_branch'),
    head_sha: request.optional('sha'),
    in_fork: request.integer('source_project_id') !== request.integer('target_project_id'),
    merged:
      merged_ms === null
        ? null
        : {
            by: accountOf(request.object('merge_user') ?? request.object('merged_by')),
            at_ms: merged_ms,
            commit:
              request.optional('merge_commit_sha') ??
              request.optional('squash_commit_sha') ??
              request.optional('sha'),
          },
  }
}

/** The names of GitLab's emoji that reactions here have. */
const CONTENTS: Readonly<Record<string, ReactionContent>> = {
  thumbsup: '+1',
  thumbsdown: '-1',
  laughing: 'laugh',
  smile: 'laugh',
  tada: 'hooray',
  confused: 'confused',
  heart: 'heart',
  rocket: 'rocket',
  eyes: 'eyes',
}

const reactionOf = (award: Fields): ForeignReaction[] => {
  const content = CONTENTS[award.text('name')]
  return content === undefined ? [] : [{ content, person: accountOf(award.object('user')) }]
}

/** A note of a discussion that has a place in the changes. */
function lineCommentOf(note: Fields, first: string): ForeignLineComment | null {
  const position = note.object('position')
  if (!position) return null
  const fresh = position.integer('new_line')
  const old = position.integer('old_line')
  const isNew = fresh !== null
  return {
    id: note.id('id'),
    author: accountOf(note.object('author')),
    body: note.text('body'),
    ...timesOf(note),
    reactions: [],
    path: (isNew ? position.optional('new_path') : position.optional('old_path')) ?? '',
    line: fresh ?? old,
    start_line: null,
    side: isNew ? 'new' : 'old',
    commit: position.optional('head_sha'),
    outdated: false,
    hunk: '',
    in_reply_to: first === note.id('id') ? null : first,
    resolved_by: note.is('resolved') ? accountOf(note.object('resolved_by')) : null,
  }
}

const releaseOf = (release: Fields, base: string): ForeignRelease => {
  const created_ms = release.time('created_at') ?? 0
  const links = release.object('assets')?.list('links') ?? []
  return {
    id: release.text('tag_name'),
    tag_name: release.text('tag_name'),
    target: release.object('commit')?.text('id') ?? '',
    name: release.text('name'),
    body: release.text('description'),
    draft: false,
    prerelease: release.is('upcoming_release'),
    author: accountOf(release.object('author')),
    created_ms,
    published_ms: release.time('released_at') ?? created_ms,
    // Links may lead anywhere. Only files of this forge are fetched.
    assets: links.flatMap((link) => {
      const url = link.optional('direct_asset_url') ?? link.text('url')
      return URL.parse(url)?.origin === base
        ? [{ id: link.id('id'), name: link.text('name'), url, size: null, content_type: null }]
        : []
    }),
  }
}

export class GitLabForge implements Forge {
  readonly #path: string
  readonly comments = null

  constructor(
    private readonly client: ForgeClient,
    private readonly owner: string,
    private readonly name: string,
    /** Known once the repository was read. */
    private offset: number | null = null,
  ) {
    this.#path = `/projects/${encodeURIComponent(`${owner}/${name}`)}`
  }

  async repo(): Promise<ForeignRepo> {
    const project = await this.client.one(this.#path)
    const highest = async (list: string): Promise<number> => {
      const [newest] = await this.client
        .list(`${this.#path}/${list}?scope=all&order_by=created_at&sort=desc&per_page=1`)
        .catch(orMissing)
      return newest?.integer('iid') ?? 0
    }
    const offset = await highest('issues')
    this.offset = offset
    return {
      name: project.text('path'),
      description: project.optional('description'),
      private: project.text('visibility') !== 'public',
      clone_url: project.text('http_url_to_repo'),
      wiki_url:
        project.is('wiki_enabled') || project.text('wiki_access_level') === 'enabled'
          ? project.text('http_url_to_repo')
          : null,
      highest: offset + (await highest('merge_requests')),
      pull_offset: offset,
      pull_refs: { prefix: 'refs/merge-requests/', suffix: '/head' },
    }
  }

  collaborators(cursor: string | null): Promise<Page<ForeignPerson>> {
    return this.#page('/members/all?', cursor, (user) => accountOf(user) ?? [])
  }

  labels(cursor: string | null): Promise<Page<ForeignLabel>> {
    return this.#page('/labels?', cursor, labelOf)
  }

  milestones(cursor: string | null): Promise<Page<ForeignMilestone>> {
    return this.#page('/milestones?', cursor, milestoneOf)
  }

  issues(cursor: string | null): Promise<Page<ForeignIssue>> {
    const list = `/issues?scope=all&order_by=created_at&sort=asc&${keysetOf(cursor)}`
    return this.#page(list, cursor, (issue) => ({ ...recordOf(issue, 0), not_planned: false }))
  }

  /** Only a merge request of its own names the commits that it is compared with. */
  async pulls(cursor: string | null): Promise<Page<ForeignPull>> {
    const { since, page: number } = readPosition(cursor)
    const list = `/merge_requests?scope=all&state=all&order_by=created_at&sort=asc&${since === null ? '' : `created_after=${since}&`}`
    const offset = this.#offset
    const page = await this.#page(list, number, (request) => {
      const iid = request.integer('iid')
      return iid === null ? [] : { iid, created_ms: request.time('created_at') }
    })
    const items: ForeignPull[] = []
    for (const { iid } of page.items)
      items.push(pullOf(await this.client.one(`${this.#path}/merge_requests/${iid}`), offset))
    const next = nextPosition(since, page.next, page.items.at(-1)?.created_ms ?? null)
    // The total of a list that begins later is not that of all.
    return { items, next, total: since === null ? page.total : null }
  }

  get #offset(): number {
    if (this.offset === null) throw new TypeError('the numbers of this project are not known')
    return this.offset
  }

  #recordPath({ number, kind }: RecordRef): string {
    return kind === 'issue' ? `/issues/${number}` : `/merge_requests/${number - this.#offset}`
  }

  /** Notes that a person wrote, without those at lines, which come with the reviews. */
  async commentsOf(record: RecordRef): Promise<readonly ForeignComment[]> {
    const path = this.#recordPath(record)
    const comments: ForeignComment[] = []
    for (const note of await this.#all(`${path}/notes?sort=asc&order_by=created_at&`)) {
      if (note.is('system') || note.object('position')) continue
      const awards = await this.#all(`${path}/notes/${note.id('id')}/award_emoji?`).catch(orMissing)
      comments.push({
        id: note.id('id'),
        number: record.number,
        author: accountOf(note.object('author')),
        body: note.text('body'),
        ...timesOf(note),
        reactions: awards.flatMap(reactionOf),
      })
    }
    return comments
  }

  /** Approvals, and the discussions at lines. */
  async reviewsOf(number: number): Promise<readonly ForeignReview[]> {
    const path = this.#recordPath({ number, kind: 'pull' })
    const discussions = await this.#all(`${path}/discussions?`)
    const comments = discussions.flatMap((discussion) => {
      const notes = discussion.list('notes').filter((note) => !note.is('system'))
      const first = notes[0]?.id('id') ?? ''
      return notes.flatMap((note) => lineCommentOf(note, first) ?? [])
    })
    const approvals = await this.client
      .one(`${this.#path}${path}/approvals`)
      .then((found) => found.list('approved_by'))
      .catch(orMissing)
    return [
      ...approvals.flatMap((approval): ForeignReview[] => {
        const author = accountOf(approval.object('user'))
        return author === null ? [] : [approvalOf(number, author, approval.time('approved_at'))]
      }),
      ...(comments.length === 0 ? [] : [reviewOfLines(number, comments)]),
    ]
  }

  async historyOf(record: RecordRef): Promise<ForeignHistory> {
    const path = this.#recordPath(record)
    const list = (name: string): Promise<Fields[]> => this.#all(`${path}/${name}?`).catch(orMissing)
    const reactions = (await list('award_emoji')).flatMap(reactionOf)
    const history = {
      labels: await list('resource_label_events'),
      milestones: await list('resource_milestone_events'),
      states: await list('resource_state_events'),
      notes: await list('notes'),
    }
    return { reactions, events: gitlabEvents(history, this.#offset, accountOf) }
  }

  releases(cursor: string | null): Promise<Page<ForeignRelease>> {
    return this.#page('/releases?', cursor, (release) => releaseOf(release, this.client.origin))
  }

  /** The interface gives files since GitLab 17.4; earlier ones only the website. */
  filesIn(text: string): ForeignFile[] {
    const project = `/${this.owner}/${this.name}`
    const web = `${this.client.base.replace(/\/api\/v4$/, '')}${project}`
    return findFiles(text, [
      {
        mark: '/uploads/',
        rest: new RegExp(`[0-9a-f]{32}/${NAME}`),
        bases: [`${web}/-`, web, `${project}/-`, project, ''],
        urlsOf: (_, rest) => [
          `${this.client.base}${this.#path}/uploads/${rest}`,
          `${web}/uploads/${rest}`,
        ],
      },
    ])
  }

  async #all(list: string): Promise<Fields[]> {
    const path = `${this.#path}${list}per_page=${PER_PAGE}`
    return readWholeList(this.client, path, ({ header }) => header('x-next-page') || null)
  }

  #page<T>(
    list: string,
    cursor: string | null,
    parse: (item: Fields) => T | readonly T[],
  ): Promise<Page<T>> {
    const path = `${this.#path}${list}per_page=${PER_PAGE}&${pageParameters(cursor)}`
    const restOf = ({ header }: ForgeAnswer): Omit<Page<T>, 'items'> => {
      // Lists of more than 10,000 items have no total.
      const total = Number(header('x-total') || Number.NaN)
      return {
        next: header('x-next-page') || nextCursorOf(header('link')),
        total: Number.isSafeInteger(total) ? total : null,
      }
    }
    return readPage(this.client, path, parse, restOf, orMissing)
  }
}

/**
 * Asks for cursors, which the list of a project's issues has since GitLab 18.3. Earlier ones answer with
 * page numbers, and a list that began with these goes on with them.
 */
const keysetOf = (cursor: string | null): string =>
  cursor === null || cursor.includes('cursor=') ? 'pagination=keyset&' : ''

/**
 * The list of a project's merge requests has no cursors, and no pages behind 50,000 entries. So after
 * this many pages it is asked for anew, from the time when the last one was made. Those of that moment
 * come again, which changes nothing.
 */
const PAGES_OF_A_LIST = 100

type Position = { readonly since: string | null; readonly page: string | null }

/** A cursor is the number of a page, behind the time at which its list begins. */
function readPosition(cursor: string | null): Position {
  const [first = '', second] = cursor?.split(' ') ?? []
  return second === undefined
    ? { since: null, page: first || null }
    : { since: first, page: second }
}

function nextPosition(
  since: string | null,
  next: string | null,
  last_ms: number | null,
): string | null {
  if (next === null) return null
  const last = last_ms === null ? since : new Date(last_ms).toISOString()
  if (Number(next) > PAGES_OF_A_LIST && last !== since) return `${last} 1`
  return since === null ? next : `${since} ${next}`
}

const approvalOf = (
  number: number,
  author: ForeignPerson,
  at_ms: number | null,
): ForeignReview => ({
  id: `approval ${number} ${author.id}`,
  author,
  verdict: 'approve',
  body: '',
  commit: null,
  created_ms: at_ms ?? 0,
  dismissed: false,
  comments: [],
})

const reviewOfLines = (number: number, comments: readonly ForeignLineComment[]): ForeignReview => ({
  id: `lines ${number}`,
  author: null,
  verdict: null,
  body: '',
  commit: null,
  created_ms: 0,
  dismissed: false,
  comments,
})

/** A part that a project has switched off is missing or forbidden: it has nothing to take. */
function orMissing(error: unknown): Fields[] {
  if (
    error instanceof ForgeError &&
    (error.isMissing || (error.status === 403 && !error.isRateLimit))
  )
    return []
  throw error
}
