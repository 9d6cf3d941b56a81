/** The records that `hearth export` wrote, read as those of another forge. */
import { createReadStream, existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { REACTIONS, type ReactionContent } from '#features/issues/index.ts'
import { MERGE_METHODS } from '#features/pulls/schema.ts'
import type { MergeMethod } from '#git'
import { findJsonExcess } from '#lib/parse-json.ts'
import { Fields } from '../forges/fields.ts'
import { ForgeError } from '../forges/forge-client.ts'
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
} from '../forges/forge.ts'
import type { FileSource } from '../forges/open-forge.ts'
import { timesOf } from '../forges/shared-records.ts'
import { readLines, type RecordFile } from './read-lines.ts'

export const FORMAT = 'hearth-records/1'

const LINES_PER_PAGE = 20
/** Comments of a few records fill a page. */
const RECORDS_PER_PAGE = 5
const MAX_LABELS = 10_000
const MAX_ABOUT_BYTES = 4 << 20
const ABOUT_LIMITS = { maxDepth: 64, maxValues: 100_000 }
const SHA256 = /^[0-9a-f]{64}$/

/** Names are those of one Hearth, where each is one account. */
function personOf(actor: Fields | null): ForeignPerson | null {
  const username = actor?.optional('username') ?? null
  if (actor === null || username === null || username === 'ghost') return null
  return personNamed(username, actor.optional('name'))
}

const personNamed = (username: string, name: string | null): ForeignPerson => ({
  id: username,
  login: username.replace(/ \(imported\)$/, ''),
  name,
  email: null,
  url: null,
})

type Labels = ReadonlyMap<string, ForeignLabel>

function recordOf(record: Fields, labels: Labels): ForeignRecord {
  return {
    number: record.integer('number') ?? 0,
    title: record.text('title'),
    body: record.text('body'),
    author: personOf(record.object('author')),
    labels: record
      .texts('labels')
      .map((name) => labels.get(name) ?? { name, color: 'ededed', description: null }),
    milestone: record.object('milestone')?.id('id') ?? null,
    assignees: record.list('assignees').flatMap((one) => personOf(one) ?? []),
    locked: record.is('locked'),
    lock_reason: record.optional('lock_reason'),
    ...timesOf(record),
    closed_ms: record.time('closed_at'),
    closed_by: personOf(record.object('closed_by')),
  }
}

const methodOf = (text: string): { method?: MergeMethod } => {
  const method = MERGE_METHODS.find((one) => one === text)
  return method === undefined ? {} : { method }
}

function pullOf(pull: Fields, labels: Labels): ForeignPull {
  const head = pull.object('head')
  const merged_ms = pull.text('status') === 'merged' ? pull.time('merged_at') : null
  const by = pull.optional('merged_by')
  const record = recordOf(pull, labels)
  return {
    ...record,
    closed_ms: pull.text('status') === 'closed' ? (record.closed_ms ?? record.updated_ms) : null,
    draft: pull.text('status') === 'draft',
    base_ref: pull.object('base')?.text('ref') ?? '',
    base_sha: pull.object('base')?.optional('sha') ?? null,
    merge_base: pull.optional('merge_base_sha'),
    head_ref: head?.text('ref') ?? '',
    head_sha: head?.optional('sha') ?? null,
    in_fork: pull.object('fork') !== null,
    merged:
      merged_ms === null
        ? null
        : {
            by: by === null ? null : personNamed(by, null),
            at_ms: merged_ms,
            commit: pull.optional('merge_commit_sha'),
            ...methodOf(pull.text('merge_method')),
          },
  }
}

/** A comment with its place in the list, which is the order of those of one moment. */
type Placed = { readonly comment: Fields; readonly id: string }

const placedComments = (record: Fields): Placed[] =>
  record.list('comments').map((comment, at) => ({ comment, id: `${comment.id('id')} ${at + 1}` }))

const isAtLine = ({ comment }: Placed): boolean =>
  comment.optional('path') !== null || comment.optional('review') !== null

const CONTENTS: ReadonlySet<string> = new Set(REACTIONS)

/** Who reacted; earlier exports have counts alone, which do not say. */
const reactionsOf = (text: Fields): ForeignReaction[] =>
  text.list('reactions_by').flatMap((given) => {
    const content = given.text('content')
    return CONTENTS.has(content)
      ? [{ content: content as ReactionContent, person: personOf(given.object('actor')) }]
      : []
  })

const commentOf = ({ comment, id }: Placed, number: number): ForeignComment => ({
  id,
  number,
  author: personOf(comment.object('author')),
  body: comment.text('body'),
  ...timesOf(comment),
  reactions: reactionsOf(comment),
})

const lineCommentOf = (
  { comment, id }: Placed,
  ids: ReadonlyMap<string, string>,
): ForeignLineComment => ({
  id,
  author: personOf(comment.object('author')),
  body: comment.text('body'),
  ...timesOf(comment),
  reactions: reactionsOf(comment),
  path: comment.text('path'),
  line: comment.integer('line'),
  start_line: comment.integer('start_line'),
  side: comment.text('side') === 'old' ? 'old' : 'new',
  commit: comment.optional('commit'),
  outdated: comment.is('outdated'),
  hunk: '',
  in_reply_to: ids.get(comment.text('in_reply_to')) ?? null,
  resolved_by: comment.is('resolved') ? personOf(comment.object('resolved_by')) : null,
})

const VERDICTS: Readonly<Record<string, ForeignReview['verdict']>> = {
  approve: 'approve',
  request_changes: 'request_changes',
  comment: 'comment',
}

function reviewsOf(pull: Fields): ForeignReview[] {
  const placed = placedComments(pull)
  const ids = new Map(placed.map(({ comment, id }) => [comment.id('id'), id]))
  const atLines = placed.filter(isAtLine)
  const known = new Set(pull.list('reviews').map((review) => review.id('id')))
  const of = (review: string) =>
    atLines
      .filter(({ comment }) => comment.text('review') === review)
      .map((one) => lineCommentOf(one, ids))
  const loose = atLines.filter(({ comment }) => !known.has(comment.text('review')))
  const reviews = pull.list('reviews').map((review, at): ForeignReview => {
    const times = timesOf(review)
    return {
      id: `${review.id('id')} ${at + 1}`,
      author: personOf(review.object('author')),
      verdict: VERDICTS[review.text('verdict')] ?? 'comment',
      body: review.text('body'),
      commit: review.optional('commit'),
      created_ms: times.created_ms,
      dismissed: review.object('dismissed') !== null,
      comments: of(review.id('id')),
    }
  })
  if (loose.length === 0) return reviews
  const comments = loose.map((one) => lineCommentOf(one, ids))
  const number = pull.integer('number') ?? 0
  return [
    ...reviews,
    {
      id: `loose ${number}`,
      author: null,
      verdict: null,
      body: '',
      commit: null,
      created_ms: 0,
      dismissed: false,
      comments,
    },
  ]
}

const releaseOf = (release: Fields): ForeignRelease => ({
  id: release.id('id'),
  tag_name: release.text('tag_name'),
  target: release.text('target'),
  name: release.text('name'),
  body: release.text('body'),
  draft: release.is('draft'),
  prerelease: release.is('prerelease'),
  author: personOf(release.object('author')),
  created_ms: release.time('created_at') ?? 0,
  published_ms: release.is('draft') ? null : release.time('published_at'),
  assets: release.list('assets').map((asset) => ({
    id: asset.id('id'),
    name: asset.text('name'),
    url: asset.text('sha256'),
    size: asset.integer('size_in_bytes'),
    content_type: asset.optional('content_type'),
  })),
})

/** A cursor is the offset of a line; this Hearth wrote it itself. */
const offsetOf = (cursor: string | null): number => Number(cursor ?? 0)

export class RecordsForge implements Forge {
  #labels: Labels | null = null
  /** Where the line of each number begins. */
  readonly #offsets = new Map<'issues' | 'pulls', Map<number, number>>()

  constructor(
    private readonly directory: string,
    private readonly signal: AbortSignal,
  ) {}

  repo(): Promise<ForeignRepo> {
    return Promise.resolve(readFacts(this.directory))
  }

  async collaborators(): Promise<Page<ForeignPerson>> {
    return { items: [], next: null, total: 0 }
  }

  labels(cursor: string | null): Promise<Page<ForeignLabel>> {
    return this.#page('labels', cursor, (label) => [labelOf(label)])
  }

  milestones(cursor: string | null): Promise<Page<ForeignMilestone>> {
    return this.#page('milestones', cursor, (milestone) => [milestoneOf(milestone)])
  }

  issues(cursor: string | null): Promise<Page<ForeignIssue>> {
    const labels = this.#allLabels()
    return this.#page('issues', cursor, (issue) => [
      {
        ...recordOf(issue, labels),
        not_planned: issue.text('reason') === 'not_planned',
        checks: issue.texts('checks'),
      },
    ])
  }

  pulls(cursor: string | null): Promise<Page<ForeignPull>> {
    const labels = this.#allLabels()
    return this.#page('pulls', cursor, (pull) => [pullOf(pull, labels)])
  }

  /** Those of issues, then those of pull requests: the cursor names the file and the line. */
  async comments(cursor: string | null): Promise<Page<ForeignComment>> {
    const [file = 'issues', offset = '0'] = (cursor ?? 'issues 0').split(' ')
    const isIssues = file === 'issues'
    const page = await this.#page(
      isIssues ? 'issues' : 'pulls',
      offset,
      (record) =>
        placedComments(record)
          .filter((placed) => !isAtLine(placed))
          .map((placed) => commentOf(placed, record.integer('number') ?? 0)),
      RECORDS_PER_PAGE,
    )
    const next = page.next === null ? (isIssues ? 'pulls 0' : null) : `${file} ${page.next}`
    return { ...page, next }
  }

  commentsOf(): Promise<readonly ForeignComment[]> {
    return Promise.resolve([])
  }

  async reviewsOf(number: number): Promise<readonly ForeignReview[]> {
    this.signal.throwIfAborted()
    const record = this.#recordOf('pulls', number)
    return record === null ? [] : reviewsOf(record)
  }

  /** The line of a number; null when the file has none. */
  #recordOf(file: 'issues' | 'pulls', number: number): Fields | null {
    let offsets = this.#offsets.get(file)
    if (!offsets) {
      offsets = new Map()
      for (const { record, offset } of readLines(this.directory, file, 0))
        offsets.set(record.integer('number') ?? 0, offset)
      this.#offsets.set(file, offsets)
    }
    const offset = offsets.get(number)
    if (offset === undefined) return null
    for (const { record } of readLines(this.directory, file, offset)) return record
    return null
  }

  async historyOf({ number, kind }: RecordRef): Promise<ForeignHistory> {
    this.signal.throwIfAborted()
    const record = this.#recordOf(kind === 'issue' ? 'issues' : 'pulls', number)
    if (record === null) return { reactions: [], events: [] }
    return {
      reactions: reactionsOf(record),
      events: [],
      blocked_by: record.integers('blocked_by'),
    }
  }

  filesIn(): ForeignFile[] {
    return []
  }

  releases(cursor: string | null): Promise<Page<ForeignRelease>> {
    return this.#page('releases', cursor, (release) => [releaseOf(release)])
  }

  #allLabels(): Labels {
    if (this.#labels !== null) return this.#labels
    const labels = new Map<string, ForeignLabel>()
    for (const { record } of readLines(this.directory, 'labels', 0)) {
      if (labels.size >= MAX_LABELS) break
      labels.set(record.text('name'), labelOf(record))
    }
    return (this.#labels = labels)
  }

  async #page<T>(
    file: RecordFile,
    cursor: string | null,
    parse: (record: Fields) => T[],
    lines = LINES_PER_PAGE,
  ): Promise<Page<T>> {
    this.signal.throwIfAborted()
    const items: T[] = []
    let count = 0
    let next: number | null = null
    for (const line of readLines(this.directory, file, offsetOf(cursor))) {
      items.push(...parse(line.record))
      next = line.next
      if (++count === lines) break
    }
    return { items, next: next === null ? null : String(next), total: null }
  }
}

const labelOf = (label: Fields): ForeignLabel => ({
  name: label.text('name'),
  color: label.text('color'),
  description: label.optional('description'),
  created_ms: label.time('created_at') ?? 0,
})

const milestoneOf = (milestone: Fields): ForeignMilestone => ({
  id: milestone.id('id'),
  title: milestone.text('title'),
  description: milestone.optional('description'),
  due_on: milestone.optional('due_on'),
  created_ms: milestone.time('created_at') ?? 0,
  closed_ms: milestone.time('closed_at'),
})

/** Describes the repository. Throws ForgeError for a directory without records of this format. */
export function readAbout(directory: string): Fields {
  const path = join(directory, 'repository.json')
  if (!existsSync(path) || statSync(path).size > MAX_ABOUT_BYTES)
    throw new ForgeError(`${directory} holds no records of hearth export`, 404)
  const bytes = readFileSync(path)
  if (findJsonExcess(bytes, ABOUT_LIMITS) !== null)
    throw new ForgeError('repository.json holds too many values', 200)
  let about: Fields
  try {
    about = new Fields(JSON.parse(bytes.toString('utf8')))
  } catch {
    throw new ForgeError('repository.json is not JSON', 200)
  }
  const format = about.text('format').slice(0, 60)
  if (format !== FORMAT)
    throw new ForgeError(`the records are of the format "${format}", and ${FORMAT} is read`, 200)
  return about.object('repository') ?? new Fields(null)
}

/** What the steps need to know of the repository, and the highest number in the files. */
function readFacts(directory: string): ForeignRepo {
  let highest = 0
  for (const file of ['issues', 'pulls'] as const)
    for (const { record } of readLines(directory, file, 0))
      highest = Math.max(highest, record.integer('number') ?? 0)
  const about = readAbout(directory)
  return {
    name: about.text('name'),
    description: about.optional('description'),
    private: about.is('private'),
    clone_url: '',
    wiki_url: null,
    highest,
    pull_offset: 0,
    pull_refs: { prefix: 'refs/pull/', suffix: '/head' },
  }
}

/** Whether a path below a directory is a file there, and no link to another place. */
function isOwnFile(directory: string, ...parts: readonly string[]): boolean {
  const path = join(directory, ...parts)
  return (
    existsSync(path) &&
    realpathSync(path) === join(realpathSync(directory), ...parts) &&
    statSync(path).isFile()
  )
}

/**
 * Files are named by their digest, so that no name in a record leads elsewhere. Whoever made the
 * records may have put links there, to files of this machine that nobody else may read.
 */
export const recordFiles = (directory: string): FileSource => ({
  open(sha256, maxBytes) {
    const path = join(directory, 'files', sha256)
    if (!SHA256.test(sha256) || !isOwnFile(directory, 'files', sha256))
      throw new ForgeError('the file is not among the records', 404)
    if (statSync(path).size > maxBytes) throw new ForgeError('the file is too large', 413)
    const stream = Readable.toWeb(createReadStream(path)) as unknown as ReadableStream<Uint8Array>
    return Promise.resolve({ body: stream })
  },
})

/** The large files of a bare repository, where git-lfs has them (`lfs/objects/aa/bb/<oid>`). */
export const largeFilesOf =
  (directory: string) =>
  (oid: string): ReadableStream<Uint8Array> | null => {
    const parts = ['lfs', 'objects', oid.slice(0, 2), oid.slice(2, 4), oid]
    if (!SHA256.test(oid) || !isOwnFile(directory, ...parts)) return null
    return Readable.toWeb(
      createReadStream(join(directory, ...parts)),
    ) as unknown as ReadableStream<Uint8Array>
  }
