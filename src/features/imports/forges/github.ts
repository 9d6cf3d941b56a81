/**
 * GitHub's REST interface (https://docs.github.com/en/rest). One request at a time, because GitHub
 * asks for that under "secondary rate limits".
 */
import type { Fields } from './fields.ts'
import { findFiles, NAME, UUID, type FileForm } from './find-files.ts'
import { githubEvents } from './github-history.ts'
import { labelOf, milestoneOf, orMissing, reactionOf, readPage, timesOf } from './shared-records.ts'
import { nextCursorOf, pageParameters, readWholeList, type ForgeClient } from './forge-client.ts'
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
const ALL_ISSUES = '/issues?state=all&sort=created&direction=asc&'
const WEB = 'https://github.com'
/** Pictures of texts that were written before 2023. */
const USER_IMAGES = 'https://user-images.githubusercontent.com'

const accountOf = (user: Fields | null): ForeignPerson | null => {
  const login = user?.optional('login') ?? null
  return user === null || login === null
    ? null
    : {
        id: user.id('id'),
        login,
        name: user.optional('name'),
        email: user.optional('email'),
        url: user.optional('html_url'),
      }
}

function recordOf(record: Fields): ForeignRecord {
  const times = timesOf(record)
  return {
    number: record.integer('number') ?? 0,
    title: record.text('title'),
    body: record.text('body'),
    author: accountOf(record.object('user')),
    labels: record.list('labels').map(labelOf),
    milestone: record.object('milestone')?.id('id') ?? null,
    assignees: record.list('assignees').flatMap((one) => accountOf(one) ?? []),
    locked: record.is('locked'),
    lock_reason: record.optional('active_lock_reason'),
    ...times,
    closed_ms:
      record.text('state') === 'closed' ? (record.time('closed_at') ?? times.updated_ms) : null,
    closed_by: accountOf(record.object('closed_by')),
  }
}

function pullOf(pull: Fields): ForeignPull {
  const base = pull.object('base')
  const head = pull.object('head')
  const merged_ms = pull.time('merged_at')
  const home = base?.object('repo')?.id('id') ?? ''
  return {
    ...recordOf(pull),
    draft: pull.is('draft'),
    base_ref: base?.text('ref') ?? '',
    base_sha: base?.optional('sha') ?? null,
    merge_base: null,
    head_ref: head?.text('ref') ?? '',
    head_sha: head?.optional('sha') ?? null,
    // A fork that is gone has no repository any more.
    in_fork: (head?.object('repo')?.id('id') ?? null) !== home,
    merged:
      merged_ms === null
        ? null
        : {
            by: accountOf(pull.object('merged_by')),
            at_ms: merged_ms,
            commit: pull.optional('merge_commit_sha'),
          },
  }
}

const VERDICTS: Readonly<Record<string, ForeignReview['verdict']>> = {
  APPROVED: 'approve',
  CHANGES_REQUESTED: 'request_changes',
  COMMENTED: 'comment',
  // What a dismissed review said is no longer told.
  DISMISSED: 'comment',
}

const lineCommentOf = (
  comment: Fields,
  reactions: readonly ForeignReaction[],
): ForeignLineComment => {
  const line = comment.integer('line')
  const reply = comment.id('in_reply_to_id')
  return {
    id: `line ${comment.id('id')}`,
    author: accountOf(comment.object('user')),
    body: comment.text('body'),
    ...timesOf(comment),
    reactions,
    path: comment.text('path'),
    line: comment.integer('original_line') ?? line,
    start_line: comment.integer('original_start_line') ?? comment.integer('start_line'),
    side: comment.text('side') === 'LEFT' ? 'old' : 'new',
    commit: comment.optional('original_commit_id') ?? comment.optional('commit_id'),
    outdated: line === null,
    hunk: comment.text('diff_hunk'),
    in_reply_to: reply === '' ? null : `line ${reply}`,
    resolved_by: null,
  }
}

const releaseOf = (release: Fields): ForeignRelease => {
  const created_ms = release.time('created_at') ?? 0
  const draft = release.is('draft')
  return {
    id: release.id('id'),
    tag_name: release.text('tag_name'),
    target: release.text('target_commitish'),
    name: release.text('name'),
    body: release.text('body'),
    draft,
    prerelease: release.is('prerelease'),
    author: accountOf(release.object('author')),
    created_ms,
    published_ms: draft ? null : (release.time('published_at') ?? created_ms),
    assets: release.list('assets').map((asset) => ({
      id: asset.id('id'),
      name: asset.text('name'),
      // This address gives the bytes to a token, also of a private repository.
      url: asset.text('url'),
      size: asset.integer('size'),
      content_type: asset.optional('content_type'),
    })),
  }
}

type Counts = { readonly comments: number; readonly reactions: number }

export class GitHubForge implements Forge {
  readonly #path: string
  /** Comments of all records stop short in large repositories, so they are read one by one. */
  readonly comments = null
  /**
   * What the list of issues counts, pull requests included. Requests are few (5,000 an hour), so what
   * is known to be empty is not asked for. After a restart the list is read again: it has a hundred
   * records a page.
   */
  readonly #counts = new Map<number, Counts>()
  /** The cursor of the list from which on nothing is counted; null at the beginning. */
  #uncounted: string | null = null
  #isAllCounted = false
  #highestCounted = 0

  constructor(
    private readonly client: ForgeClient,
    private readonly owner: string,
    private readonly name: string,
  ) {
    this.#path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  }

  async repo(): Promise<ForeignRepo> {
    const repo = await this.client.one(this.#path)
    const newest = await this.client
      .list(`${this.#path}/issues?state=all&sort=created&direction=desc&per_page=1`)
      .catch(orMissing)
    const newestPull = await this.client
      .list(`${this.#path}/pulls?state=all&sort=created&direction=desc&per_page=1`)
      .catch(orMissing)
    return {
      name: repo.text('name'),
      description: repo.optional('description'),
      private: repo.is('private'),
      clone_url: repo.text('clone_url'),
      wiki_url: repo.is('has_wiki') ? repo.text('clone_url') : null,
      highest: Math.max(
        0,
        ...[...newest, ...newestPull].map((record) => record.integer('number') ?? 0),
      ),
      pull_offset: 0,
      pull_refs: { prefix: 'refs/pull/', suffix: '/head' },
    }
  }

  collaborators(cursor: string | null): Promise<Page<ForeignPerson>> {
    return this.#page('/collaborators?', cursor, (user) => accountOf(user) ?? [])
  }

  labels(cursor: string | null): Promise<Page<ForeignLabel>> {
    return this.#page('/labels?', cursor, labelOf)
  }

  milestones(cursor: string | null): Promise<Page<ForeignMilestone>> {
    return this.#page('/milestones?state=all&sort=due_on&direction=asc&', cursor, milestoneOf)
  }

  /** Pull requests are in the list of issues too. */
  async issues(cursor: string | null): Promise<Page<ForeignIssue>> {
    const page = await this.#page(ALL_ISSUES, cursor, (issue): ForeignIssue[] | ForeignIssue => {
      this.#count(issue)
      return issue.object('pull_request')
        ? []
        : { ...recordOf(issue), not_planned: issue.text('state_reason') === 'not_planned' }
    })
    if (cursor === this.#uncounted && !this.#isAllCounted) {
      this.#uncounted = page.next
      this.#isAllCounted = page.next === null
    }
    return page
  }

  /** Null when the list does not tell. */
  async #countsOf(number: number): Promise<Counts | null> {
    while (!this.#isAllCounted && this.#highestCounted < number) {
      const before = this.#highestCounted
      await this.issues(this.#uncounted)
      // A list that leads nowhere is not followed.
      if (this.#highestCounted === before) this.#isAllCounted = true
    }
    return this.#counts.get(number) ?? null
  }

  #count(issue: Fields): void {
    const number = issue.integer('number')
    this.#highestCounted = Math.max(this.#highestCounted, number ?? 0)
    const comments = issue.integer('comments')
    const reactions = issue.object('reactions')?.integer('total_count') ?? null
    if (number !== null && comments !== null && reactions !== null)
      this.#counts.set(number, { comments, reactions })
  }

  /** Only a pull request of its own, not the list, names who merged it. */
  async pulls(cursor: string | null): Promise<Page<ForeignPull>> {
    const page = await this.#page('/pulls?state=all&sort=created&direction=asc&', cursor, pullOf)
    const items: ForeignPull[] = []
    for (const pull of page.items)
      items.push(
        pull.merged === null
          ? pull
          : pullOf(await this.client.one(`${this.#path}/pulls/${pull.number}`)),
      )
    return { ...page, items }
  }

  async commentsOf({ number }: RecordRef): Promise<readonly ForeignComment[]> {
    if ((await this.#countsOf(number))?.comments === 0) return []
    const comments: ForeignComment[] = []
    for (const comment of await this.#all(`/issues/${number}/comments?`)) {
      comments.push({
        id: comment.id('id'),
        number,
        author: accountOf(comment.object('user')),
        body: comment.text('body'),
        ...timesOf(comment),
        reactions: await this.#reactionsOf(comment, 'issues'),
      })
    }
    return comments
  }

  /** Comments count their reactions, so only those that have some are asked for. */
  async #reactionsOf(comment: Fields, of: 'issues' | 'pulls'): Promise<ForeignReaction[]> {
    const count = comment.object('reactions')?.integer('total_count') ?? 0
    if (count === 0) return []
    const found = await this.#all(`/${of}/comments/${comment.id('id')}/reactions?`).catch(orMissing)
    return found.flatMap((one) => reactionOf(one, accountOf))
  }

  async reviewsOf(number: number): Promise<readonly ForeignReview[]> {
    const reviews = (await this.#all(`/pulls/${number}/reviews?`)).flatMap(
      (review): ForeignReview[] => {
        const verdict = VERDICTS[review.text('state')]
        return verdict === undefined
          ? []
          : [
              {
                id: review.id('id'),
                author: accountOf(review.object('user')),
                verdict,
                body: review.text('body'),
                commit: review.optional('commit_id'),
                created_ms: review.time('submitted_at') ?? 0,
                dismissed: review.text('state') === 'DISMISSED',
                comments: [],
              },
            ]
      },
    )
    const byReview = new Map<string, ForeignLineComment[]>()
    for (const comment of await this.#all(`/pulls/${number}/comments?`)) {
      const review = comment.id('pull_request_review_id')
      const list = byReview.get(review) ?? []
      list.push(lineCommentOf(comment, await this.#reactionsOf(comment, 'pulls')))
      byReview.set(review, list)
    }
    const known = new Set(reviews.map(({ id }) => id))
    const loose = [...byReview].flatMap(([id, comments]) => (known.has(id) ? [] : comments))
    return [
      ...reviews.map((review) => ({ ...review, comments: byReview.get(review.id) ?? [] })),
      ...(loose.length === 0 ? [] : [looseReview(number, loose)]),
    ]
  }

  async historyOf({ number }: RecordRef): Promise<ForeignHistory> {
    const reactions =
      (await this.#countsOf(number))?.reactions === 0
        ? []
        : await this.#all(`/issues/${number}/reactions?`).catch(orMissing)
    const entries = await this.#all(`/issues/${number}/timeline?`).catch(orMissing)
    return {
      reactions: reactions.flatMap((one) => reactionOf(one, accountOf)),
      events: githubEvents(entries, `${this.owner}/${this.name}`, number, accountOf),
    }
  }

  releases(cursor: string | null): Promise<Page<ForeignRelease>> {
    return this.#page('/releases?', cursor, releaseOf)
  }

  /** Files of private repositories need the session of a browser, so they stay links. */
  filesIn(text: string): ForeignFile[] {
    const { base } = this.client
    const web = base === 'https://api.github.com' ? WEB : base.replace(/\/api\/v3$/, '')
    const form = (mark: string, rest: string, before: string): FileForm => ({
      mark,
      rest: new RegExp(rest),
      bases: [before],
      urlsOf: (start, end) => [`${start}${mark}${end}`],
    })
    return findFiles(text, [
      form('/user-attachments/assets/', UUID, web),
      form('/user-attachments/files/', `\\d{1,15}/${NAME}`, web),
      form('/assets/', `\\d{1,15}/${UUID}`, `${web}/${this.owner}/${this.name}`),
      ...(web === WEB ? [form('/', `\\d{1,15}/${NAME}`, USER_IMAGES)] : []),
    ])
  }

  /** The whole list of one record. */
  async #all(list: string): Promise<Fields[]> {
    const path = `${this.#path}${list}per_page=${PER_PAGE}`
    return readWholeList(this.client, path, ({ header }) => nextCursorOf(header('link')))
  }

  #page<T>(
    list: string,
    cursor: string | null,
    parse: (item: Fields) => T | readonly T[],
  ): Promise<Page<T>> {
    const path = `${this.#path}${list}per_page=${PER_PAGE}&${pageParameters(cursor)}`
    return readPage(this.client, path, parse, ({ header }) => ({
      next: nextCursorOf(header('link')),
      total: null,
    }))
  }
}

/** Line comments that belong to no review that is told. */
const looseReview = (number: number, comments: readonly ForeignLineComment[]): ForeignReview => ({
  id: `loose ${number}`,
  author: null,
  verdict: null,
  body: '',
  commit: null,
  created_ms: 0,
  dismissed: false,
  comments,
})
