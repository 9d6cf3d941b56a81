/**
 * The records of collaboration, field by field: what clients are promised, written down here a
 * second time by hand. A field that goes, or gets another type, is a break for every client; one
 * that is added is not.
 */
import { expect, test } from 'bun:test'
import type { TSchema } from 'typebox'
import { Question } from '#features/agents/schema.ts'
import { Checks } from '#features/checks/schema.ts'
import {
  Assignee,
  Comment,
  Issue,
  IssueDetail,
  IssuePull,
  Label,
  Milestone,
  Suggestion,
} from '#features/issues/schema.ts'
import {
  Behind,
  Blocker,
  NewPull,
  Overlap,
  Pull,
  PullChanges,
  PullDetail,
  Review,
  SessionEntry,
} from '#features/pulls/schema.ts'
import { MergeQueue } from '#features/queue/schema.ts'
import { FileChange, Hunk } from '#features/repos/schema.ts'

/**
 * JSON's words for types, joined by `|`; `time` for points in time, `(a b)` for one of some words,
 * `[x]` for an array of x.
 */
type Fields = Readonly<Record<string, string>>
type Shape = {
  type?: string
  format?: string
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly TSchema[]
  items?: TSchema
  properties?: Readonly<Record<string, TSchema>>
}

function wordOf(schema: TSchema): string {
  const shape = schema as Shape
  if (shape.anyOf) return [...new Set(shape.anyOf.map(wordOf))].join('|')
  if (shape.enum) return `(${shape.enum.join(' ')})`
  if (shape.type === 'array' && shape.items) return `[${wordOf(shape.items)}]`
  if (shape.format === 'date-time') return 'time'
  return shape.type ?? 'anything'
}

/** Fields by the names that they have over REST. */
function fieldsOf(schema: TSchema): Record<string, string> {
  const properties = Object.entries((schema as Shape).properties ?? {})
  return Object.fromEntries(
    properties.map(([name, inner]) => [
      (inner as { 'x-rest-name'?: string })['x-rest-name'] ?? name,
      wordOf(inner),
    ]),
  )
}

const part = (schema: TSchema, ...names: string[]): TSchema =>
  names.reduce((inner: TSchema, name) => {
    const { properties, items, anyOf } = inner as Shape
    const found =
      name === '*'
        ? items
        : (properties ??
            (anyOf?.find((one) => (one as Shape).properties) as Shape | undefined)?.properties)?.[
            name
          ]
    if (!found) throw new Error(`there is no ${name}`)
    return found
  }, schema)

const objectOf = (schema: TSchema): TSchema =>
  (schema as Shape).anyOf?.find((one) => (one as Shape).properties) ?? schema

const PULL: Fields = {
  id: 'string',
  number: 'integer',
  repo: 'string',
  title: 'string',
  body: 'string',
  status: '(draft open closed merged)',
  issue: 'integer|null',
  branch: 'string|null',
  fork: 'object|null',
  base: 'object',
  head: 'object|null',
  merge_base_sha: 'string|null',
  author: 'object',
  agent: 'string|null',
  revision: 'integer',
  commits_count: 'integer',
  changed_files: 'integer',
  additions: 'integer',
  deletions: 'integer',
  comments_count: 'integer',
  labels: '[string]',
  assignees: '[object]',
  requested_reviewers: 'object',
  approvals: 'object',
  checks_status: '(none pending passed failed errored)',
  statuses_state: '(none pending success failure)',
  mergeable: '(yes no unknown)',
  blockers: '[object]',
  auto_merge: 'boolean',
  queue: 'object|null',
  supersededBy: 'integer|null',
  mergedBy: 'string|null',
  merge_commit_sha: 'string|null',
  merge_method: '(merge squash rebase)|null',
  session: 'object',
  html_url: 'string',
  diff_url: 'string',
  patch_url: 'string',
  created_at: 'time',
  updated_at: 'time',
  ready_at: 'time|null',
  merged_at: 'time|null',
  closed_at: 'time|null',
}
const { issue: _, ...REPEATED } = PULL

const RECORDS: readonly [string, TSchema, Fields][] = [
  [
    'issue',
    Issue,
    {
      id: 'string',
      number: 'integer',
      repo: 'string',
      title: 'string',
      body: 'string',
      labels: '[string]',
      checks: '[string]',
      assignees: '[object]',
      milestone: 'object|null',
      blocked_by: '[integer]',
      state: '(open closed)',
      reason: '(completed not_planned)|null',
      resolvedBy: 'integer|null',
      author: 'object',
      comments_count: 'integer',
      pulls: '[object]',
      locked: 'boolean',
      lock_reason: 'string|null',
      html_url: 'string',
      created_at: 'time',
      updated_at: 'time',
      closed_at: 'time|null',
      closed_by: 'object|null',
    },
  ],
  [
    'milestone of an issue',
    objectOf(part(Issue, 'milestone')),
    { id: 'string', title: 'string', due_on: 'time|null', state: '(open closed)' },
  ],
  [
    'pull of an issue',
    part(Issue, 'pulls', '*'),
    { number: 'integer', status: '(draft open closed merged)' },
  ],
  [
    'issue in detail',
    IssueDetail,
    { issue: 'object', pulls: '[object]', comments: '[object]', comments_count: 'integer' },
  ],
  [
    'pull of an issue in detail',
    IssuePull,
    {
      number: 'integer',
      status: '(draft open closed merged)',
      title: 'string',
      author: 'object',
      agent: 'string|null',
      created_at: 'time',
      updated_at: 'time',
      supersededBy: 'integer',
      mergedBy: 'string',
    },
  ],
  [
    'assignee',
    Assignee,
    {
      id: 'string',
      kind: '(user agent)',
      username: 'string',
      name: 'string|null',
      avatar_url: 'string',
    },
  ],
  [
    'label',
    Label,
    {
      id: 'string',
      name: 'string',
      color: 'string',
      description: 'string|null',
      issues_count: 'integer',
      created_at: 'time',
    },
  ],
  [
    'milestone',
    Milestone,
    {
      id: 'string',
      title: 'string',
      description: 'string|null',
      state: '(open closed)',
      due_on: 'time|null',
      open_count: 'integer',
      closed_count: 'integer',
      created_at: 'time',
      closed_at: 'time|null',
    },
  ],
  [
    'comment',
    Comment,
    {
      id: 'string',
      number: 'integer',
      body: 'string',
      author: 'object',
      path: 'string|null',
      line: 'integer|null',
      start_line: 'integer|null',
      side: '(new old)|null',
      commit: 'string|null',
      outdated: 'boolean',
      resolved: 'boolean',
      resolved_by: 'object|null',
      in_reply_to: 'string|null',
      review: 'string|null',
      suggestion: 'object|null',
      reactions: 'object',
      html_url: 'string',
      created_at: 'time',
      updated_at: 'time',
    },
  ],
  [
    'reactions',
    part(Comment, 'reactions'),
    Object.fromEntries(
      ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'].map((name) => [
        name,
        'integer',
      ]),
    ),
  ],
  [
    'suggestion',
    Suggestion,
    { text: 'string', start_line: 'integer', line: 'integer', applied_in: 'string|null' },
  ],
  ['pull', Pull, PULL],
  ['fork', objectOf(part(Pull, 'fork')), { id: 'string', full_name: 'string', remote: 'string' }],
  ['base', part(Pull, 'base'), { ref: 'string', sha: 'string' }],
  ['head', objectOf(part(Pull, 'head')), { ref: 'string', sha: 'string' }],
  [
    'requested reviewers',
    part(Pull, 'requested_reviewers'),
    { users: '[object]', teams: '[string]', agents: '[object]' },
  ],
  ['approvals', part(Pull, 'approvals'), { required: 'integer', counted: 'integer' }],
  ['blocker', Blocker, { code: 'string', message: 'string', details: 'object' }],
  [
    'place in the queue',
    objectOf(part(Pull, 'queue')),
    { position: 'integer', state: 'string', entry: 'string' },
  ],
  [
    'session of a pull',
    part(Pull, 'session'),
    { entries: 'integer', last_seq: 'integer', last_at: 'time|null', cost_usd: 'number|null' },
  ],
  [
    'pull in detail',
    PullDetail,
    {
      ...REPEATED,
      pull: 'object',
      issue: 'object|null',
      comments: '[object]',
      reviews: '[object]',
      checks: 'object',
      behind: 'object',
      overlaps: '[object]',
      git: 'object',
    },
  ],
  ['new pull', NewPull, { pull: 'object', git: 'object' }],
  ['remote', part(NewPull, 'git'), { remote: 'string', branch: 'string' }],
  [
    'behind',
    Behind,
    {
      by: 'integer',
      base: 'string',
      base_sha: 'string',
      merge_base_sha: 'string|null',
      conflicts: 'boolean|null',
      conflict_paths: '[string]',
      touched_paths: '[string]',
    },
  ],
  [
    'overlap',
    Overlap,
    {
      number: 'integer',
      title: 'string',
      status: '(draft open closed merged)',
      author: 'object',
      agent: 'string|null',
      issue: 'integer|null',
      level: '(lines file directory)',
      paths: '[object]',
    },
  ],
  ['path of an overlap', part(Overlap, 'paths', '*'), { path: 'string', ranges: '[[integer]]' }],
  [
    'checks',
    Checks,
    {
      sha: 'string|null',
      status: '(none pending passed failed errored)',
      merge_sha: 'string|null',
      started_at: 'time|null',
      finished_at: 'time|null',
      results: '[object]',
    },
  ],
  [
    'result of a check',
    part(Checks, 'results', '*'),
    {
      id: 'string',
      command: 'string',
      status: '(queued running passed failed errored skipped)',
      exit_code: 'integer|null',
      duration_ms: 'integer|null',
      started_at: 'time|null',
      finished_at: 'time|null',
      log_url: 'string|null',
      output_tail: 'string',
    },
  ],
  [
    'changes',
    PullChanges,
    {
      base_sha: 'string',
      head_sha: 'string|null',
      merge_base_sha: 'string|null',
      totals: 'object',
      truncated: 'boolean',
      files: '[object]',
    },
  ],
  [
    'totals of changes',
    part(PullChanges, 'totals'),
    { files: 'integer', additions: 'integer', deletions: 'integer' },
  ],
  [
    'changed file',
    FileChange,
    {
      path: 'string',
      old_path: 'string|null',
      status: '(added modified removed renamed copied type_changed)',
      old_sha: 'string|null',
      new_sha: 'string|null',
      mode: 'string|null',
      old_mode: 'string|null',
      additions: 'integer',
      deletions: 'integer',
      binary: 'boolean',
      generated: 'boolean',
      language: 'string|null',
      lfs: 'object|null',
      viewed: 'boolean',
      patch: 'string|null',
      hunks: '[object]',
      truncated: 'boolean',
      reason: '(too_large binary generated page_limit)|null',
    },
  ],
  [
    'hunk',
    Hunk,
    {
      old_start: 'integer',
      old_lines: 'integer',
      new_start: 'integer',
      new_lines: 'integer',
      heading: 'string',
      lines: '[object]',
    },
  ],
  [
    'line of a hunk',
    part(Hunk, 'lines', '*'),
    {
      kind: '(context add del)',
      old: 'integer|null',
      new: 'integer|null',
      text: 'string',
      no_newline: 'boolean',
    },
  ],
  [
    'review',
    Review,
    {
      id: 'string',
      author: 'object',
      verdict: '(approve request_changes comment)',
      body: 'string',
      commit: 'string',
      counted: 'boolean',
      why_not_counted: '(own no_write agent stale pushed dismissed)|null',
      stale: 'boolean',
      dismissed: 'object|null',
      comments: '[string]',
      created_at: 'time',
    },
  ],
  [
    'dismissal',
    objectOf(part(Review, 'dismissed')),
    { by: 'object|null', at: 'time', reason: 'string' },
  ],
  [
    'session entry',
    SessionEntry,
    {
      seq: 'integer',
      kind: 'string',
      text: 'string',
      tool: 'string|null',
      at: 'time',
      author: 'object|null',
      sha: 'string|null',
      data: 'object|null',
      truncated: 'boolean',
      redacted: 'boolean',
    },
  ],
  [
    'question',
    Question,
    {
      id: 'string',
      pull: 'integer',
      from: 'object',
      from_pull: 'integer|null',
      text: 'string',
      state: '(waiting answered expired)',
      answer: 'string|null',
      created_at: 'time',
      answered_at: 'time|null',
    },
  ],
  [
    'merge queue',
    MergeQueue,
    {
      enabled: 'boolean',
      base: 'string',
      paused: 'object|null',
      waiting: '[object]',
      recent: '[object]',
    },
  ],
  [
    'pause of the queue',
    objectOf(part(MergeQueue, 'paused')),
    { by: 'object', at: 'time', reason: 'string' },
  ],
  [
    'entry of the queue',
    part(MergeQueue, 'waiting', '*'),
    {
      id: 'string',
      pull: 'object',
      position: 'integer|null',
      state: '(queued testing passed landing landed failed removed)',
      attempt: 'integer',
      method: '(merge squash rebase)',
      base_sha: 'string|null',
      head_sha: 'string',
      candidate_sha: 'string|null',
      candidate_tree: 'string|null',
      checks: 'object',
      reason: 'string|null',
      note: 'string|null',
      queued_by: 'object',
      queued_at: 'time',
      started_at: 'time|null',
      settled_at: 'time|null',
      estimated_at: 'time|null',
    },
  ],
]

test.each(RECORDS)(
  '%s has every field that is promised, with its type',
  (_name, schema, promised) => {
    const there = fieldsOf(schema)
    expect(
      Object.fromEntries(Object.keys(promised).map((name) => [name, there[name] ?? 'missing'])),
    ).toEqual(promised)
  },
)
