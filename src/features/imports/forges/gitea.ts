/** Gitea and Forgejo: `/api/v1` (https://docs.gitea.com/api). Seen with Gitea 1.26. */
import type { Fields } from './fields.ts'
import { findFiles, UUID } from './find-files.ts'
import { giteaEvents } from './gitea-history.ts'
import { labelOf, milestoneOf, orMissing, reactionOf, readPage, timesOf } from './shared-records.ts'
import { WholeList, type ForgeClient } from './forge-client.ts'
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

/** A larger number is answered with 50 items as well. */
const PER_PAGE = 50
/** Some lists, such as reviews, have no more pages than this. */
const MAX_PAGES = 200
const PARALLEL = 4

/** A record that another forge wrote into Gitea names its author in `original_author`. */
function personOf(record: Fields, field = 'user'): ForeignPerson | null {
  const original = record.optional('original_author')
  if (field === 'user' && original !== null)
    return { id: `original ${original}`, login: original, name: null, email: null, url: null }
  return accountOf(record.object(field))
}

function accountOf(user: Fields | null): ForeignPerson | null {
  const login = user?.optional('login') ?? null
  if (user === null || login === null || (user.integer('id') ?? 0) <= 0) return null
  return {
    id: user.id('id'),
    login,
    name: user.optional('full_name'),
    email: user.optional('email'),
    url: user.optional('html_url'),
  }
}

/** Gitea shows files below a text that does not name them; here the text has to. */
function withAssets(record: Fields): string {
  const body = record.text('body')
  const unnamed = record.list('assets').filter((asset) => !body.includes(asset.text('uuid')))
  const links = unnamed.map((asset) => {
    const label = asset.text('name').replace(/[\\[\]`*_<>&!\n]/g, ' ')
    const isPicture = /\.(png|jpe?g|gif|webp|avif)$/i.test(label)
    return `${isPicture ? '!' : ''}[${label}](${asset.text('browser_download_url')})`
  })
  return [body, ...links].filter((text) => text !== '').join('\n\n')
}

function recordOf(record: Fields): ForeignRecord {
  const times = timesOf(record)
  return {
    number: record.integer('number') ?? 0,
    title: record.text('title'),
    body: withAssets(record),
    author: personOf(record),
    labels: record.list('labels').map(labelOf),
    milestone: record.object('milestone')?.id('id') ?? null,
    assignees: record.list('assignees').flatMap((one) => accountOf(one) ?? []),
    locked: record.is('is_locked'),
    lock_reason: null,
    ...times,
    closed_ms:
      record.text('state') === 'closed' ? (record.time('closed_at') ?? times.updated_ms) : null,
    closed_by: accountOf(record.object('closed_by')),
  }
}

function pullOf(pull: Fields): ForeignPull {
  const base = pull.object('base')
  const head = pull.object('head')
  const label = head?.text('label') ?? ''
  const merged_ms = pull.is('merged') ? (pull.time('merged_at') ?? pull.time('updated_at')) : null
  return {
    ...recordOf(pull),
    draft: pull.is('draft'),
    base_ref: base?.text('ref') ?? '',
    base_sha: base?.optional('sha') ?? null,
    merge_base: pull.optional('merge_base'),
    // When the branch is gone, `ref` names the ref of the pull request and `label` keeps the name.
    head_ref: label.slice(label.indexOf(':') + 1) || (head?.text('ref') ?? ''),
    head_sha: head?.optional('sha') ?? null,
    in_fork: head?.integer('repo_id') !== base?.integer('repo_id'),
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
  REQUEST_CHANGES: 'request_changes',
  COMMENT: 'comment',
}

function lineCommentOf(comment: Fields): ForeignLineComment {
  const fresh = comment.integer('position') ?? 0
  const old = comment.integer('original_position') ?? 0
  return {
    id: `line ${comment.id('id')}`,
    author: personOf(comment),
    body: comment.text('body'),
    ...timesOf(comment),
    reactions: [],
    path: comment.text('path'),
    line: fresh > 0 ? fresh : old > 0 ? old : null,
    start_line: null,
    side: fresh > 0 ? 'new' : 'old',
    commit: comment.optional('original_commit_id') ?? comment.optional('commit_id'),
    outdated: false,
    hunk: comment.text('diff_hunk'),
    in_reply_to: null,
    resolved_by: accountOf(comment.object('resolver')),
  }
}

/**
 * Gitea has no ids of threads: comments on one line of one side belong together. Each thread begins
 * with its oldest comment.
 */
function threaded(reviews: readonly ForeignReview[]): ForeignReview[] {
  const first = new Map<string, string>()
  const sorted = reviews
    .flatMap(({ comments }) => comments)
    .toSorted((a, b) => Number(a.id.slice(5)) - Number(b.id.slice(5)))
  for (const { id, path, line, side } of sorted) {
    const key = `${side} ${line} ${path}`
    if (!first.has(key)) first.set(key, id)
  }
  return reviews.map((review) => ({
    ...review,
    comments: review.comments.map((comment) => {
      const start = first.get(`${comment.side} ${comment.line} ${comment.path}`)
      return { ...comment, in_reply_to: start === undefined || start === comment.id ? null : start }
    }),
  }))
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
    author: personOf(release, 'author'),
    created_ms,
    published_ms: draft ? null : (release.time('published_at') ?? created_ms),
    assets: release.list('assets').map((asset) => ({
      id: asset.id('id'),
      name: asset.text('name'),
      url: asset.text('browser_download_url'),
      size: asset.integer('size'),
      content_type: null,
    })),
  }
}

export class GiteaForge implements Forge {
  readonly #path: string

  constructor(
    private readonly client: ForgeClient,
    private readonly owner: string,
    private readonly name: string,
  ) {
    this.#path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  }

  async repo(): Promise<ForeignRepo> {
    const repo = await this.client.one(this.#path)
    const clone_url = repo.text('clone_url')
    // Records of one second are in no order, so a whole page is looked at.
    const newest = await Promise.all(
      ['issues', 'pulls'].map((list) =>
        this.client
          .list(`${this.#path}/${list}?state=all&limit=${PER_PAGE}&page=1`)
          .catch(orMissing),
      ),
    )
    return {
      name: repo.text('name'),
      description: repo.optional('description'),
      private: repo.is('private'),
      clone_url,
      wiki_url: (await this.#hasWiki(repo)) ? clone_url.replace(/(\.git)?$/, '.wiki.git') : null,
      highest: Math.max(0, ...newest.flat().map((record) => record.integer('number') ?? 0)),
      pull_offset: 0,
      pull_refs: { prefix: 'refs/pull/', suffix: '/head' },
    }
  }

  /** Gitea answers git with status 500 where nobody has written a page yet, so the API is asked. */
  async #hasWiki(repo: Fields): Promise<boolean> {
    if (!repo.is('has_wiki')) return false
    const pages = await this.client.list(`${this.#path}/wiki/pages?limit=1`).catch(orMissing)
    return pages.length > 0
  }

  collaborators(cursor: string | null): Promise<Page<ForeignPerson>> {
    return this.#page('/collaborators?', cursor, (user) => accountOf(user) ?? [])
  }

  labels(cursor: string | null): Promise<Page<ForeignLabel>> {
    return this.#page('/labels?', cursor, labelOf)
  }

  milestones(cursor: string | null): Promise<Page<ForeignMilestone>> {
    return this.#page('/milestones?state=all&', cursor, milestoneOf)
  }

  issues(cursor: string | null): Promise<Page<ForeignIssue>> {
    return this.#page('/issues?state=all&type=issues&sort=oldest&', cursor, (issue) => ({
      ...recordOf(issue),
      not_planned: false,
    }))
  }

  /** Only a pull request of its own, not the list, names who merged it. */
  async pulls(cursor: string | null): Promise<Page<ForeignPull>> {
    const page = await this.#page('/pulls?state=all&sort=oldest&', cursor, pullOf)
    return {
      ...page,
      items: await mapInBatches(page.items, async (pull) =>
        pull.merged === null || pull.merged.by !== null
          ? pull
          : pullOf(await this.client.one(`${this.#path}/pulls/${pull.number}`)),
      ),
    }
  }

  async comments(cursor: string | null): Promise<Page<ForeignComment>> {
    const page = await this.#page('/issues/comments?', cursor, (comment) => {
      const url = comment.optional('issue_url') ?? comment.text('pull_request_url')
      const number = Number(url.slice(url.lastIndexOf('/') + 1))
      return {
        id: comment.id('id'),
        number,
        author: personOf(comment),
        body: withAssets(comment),
        ...timesOf(comment),
        reactions: [] as ForeignReaction[],
      }
    })
    return { ...page, items: await this.#withReactions(page.items) }
  }

  /** Gitea counts no reactions in its lists, so each comment is asked for. */
  async #withReactions(comments: readonly ForeignComment[]): Promise<ForeignComment[]> {
    return await mapInBatches(comments, async (comment) => {
      const path = `${this.#path}/issues/comments/${comment.id}/reactions`
      const reactions = await this.client.list(path).catch(orMissing)
      return { ...comment, reactions: reactions.flatMap((one) => reactionOf(one, accountOf)) }
    })
  }

  commentsOf(): Promise<readonly ForeignComment[]> {
    return Promise.resolve([])
  }

  async reviewsOf(number: number): Promise<readonly ForeignReview[]> {
    const path = `${this.#path}/pulls/${number}/reviews`
    const reviews: ForeignReview[] = []
    const whole = new WholeList()
    const read = async (address: string): Promise<Fields[]> =>
      whole.add(await this.client.get(address))
    for (let page = 1; page <= MAX_PAGES; page++) {
      const items = await read(`${path}?page=${page}&limit=${PER_PAGE}`)
      for (const item of items) {
        const verdict = VERDICTS[item.text('state')]
        if (verdict === undefined) continue
        const hasComments = (item.integer('comments_count') ?? 0) > 0
        reviews.push({
          id: item.id('id'),
          author: personOf(item),
          verdict,
          body: item.text('body'),
          commit: item.optional('commit_id'),
          created_ms: item.time('submitted_at') ?? 0,
          dismissed: item.is('dismissed'),
          comments: hasComments
            ? (await read(`${path}/${item.id('id')}/comments`)).map(lineCommentOf)
            : [],
        })
      }
      if (items.length < PER_PAGE) break
    }
    return threaded(reviews)
  }

  /** Without a page number, Gitea gives the whole timeline. Full pages would end too early. */
  async historyOf({ number }: RecordRef): Promise<ForeignHistory> {
    const path = `${this.#path}/issues/${number}`
    const reactions = await this.client.list(`${path}/reactions`).catch(orMissing)
    const entries = await this.client.list(`${path}/timeline`).catch(orMissing)
    return {
      reactions: reactions.flatMap((one) => reactionOf(one, accountOf)),
      events: giteaEvents(entries, `${this.owner}/${this.name}`, accountOf),
    }
  }

  releases(cursor: string | null): Promise<Page<ForeignRelease>> {
    return this.#page('/releases?', cursor, releaseOf)
  }

  filesIn(text: string): ForeignFile[] {
    const web = this.client.base.replace(/\/api\/v1$/, '')
    const repo = `${web}/${this.owner}/${this.name}`
    return findFiles(text, [
      {
        mark: '/attachments/',
        rest: new RegExp(UUID),
        bases: [repo, web, `/${this.owner}/${this.name}`, ''],
        urlsOf: (_, uuid) => [`${web}/attachments/${uuid}`],
      },
    ])
  }

  /** `cursor` is a page number. A page that is not full is the last. */
  #page<T>(
    list: string,
    cursor: string | null,
    parse: (item: Fields) => T | readonly T[],
  ): Promise<Page<T>> {
    const page = Number(cursor ?? 1)
    const path = `${this.#path}${list}page=${page}&limit=${PER_PAGE}`
    return readPage(this.client, path, parse, ({ header }, count) => {
      const total = Number(header('x-total-count') ?? Number.NaN)
      return {
        next: count < PER_PAGE ? null : String(page + 1),
        total: Number.isSafeInteger(total) ? total : null,
      }
    })
  }
}

/** Runs a function for `PARALLEL` items at a time. Results have the order of the items. */
async function mapInBatches<T>(items: readonly T[], run: (item: T) => Promise<T>): Promise<T[]> {
  const done: T[] = []
  for (let at = 0; at < items.length; at += PARALLEL)
    done.push(...(await Promise.all(items.slice(at, at + PARALLEL).map(run))))
  return done
}
