/** Pull requests, reviews and sessions as clients see them. */
import {
  Actor,
  FreeForm,
  Id,
  Nullable,
  OneOf,
  restName,
  Time,
  toolRecord,
  Type,
  type Static,
} from '#core/schema.ts'
import { Checks, checksFields, CHECKS_STATUSES } from '#features/checks/schema.ts'
import {
  Assignee,
  Comment,
  Issue,
  IssueMilestone,
  PULL_STATUSES,
  type PullStatus,
} from '#features/issues/schema.ts'
import { FileChange } from '#features/repos/schema.ts'

export { CHECKS_STATUSES, PULL_STATUSES, type PullStatus }
export const PULL_STATES = ['open', 'draft', 'ready', 'merged', 'closed', 'all'] as const
export type PullState = (typeof PULL_STATES)[number]
/** By the last verdict of each reviewer; required: neither approved nor changes requested. */
export const REVIEW_STATES = ['none', 'required', 'approved', 'changes_requested'] as const
export type ReviewState = (typeof REVIEW_STATES)[number]
/** Acceptance checks and commit statuses together. */
export const OVERALL_CHECKS = ['none', 'pending', 'passed', 'failed'] as const
export type OverallChecks = (typeof OVERALL_CHECKS)[number]
export const MERGE_METHODS = ['merge', 'squash', 'rebase'] as const
export const VERDICTS = ['approve', 'request_changes', 'comment'] as const
export type Verdict = (typeof VERDICTS)[number]
export const WHY_NOT_COUNTED = ['own', 'no_write', 'agent', 'stale', 'pushed', 'dismissed'] as const

const NullableInteger = (options: Record<string, unknown>) =>
  Type.Union([Type.Integer(), Type.Null()], options)
const NullableText = (options: Record<string, unknown>) =>
  Type.Union([Type.String(), Type.Null()], options)
const count = (description?: string) => Type.Integer({ minimum: 0, description })

export const Blocker = Type.Object({
  code: Type.String({ description: 'The reason that merging would be refused with.' }),
  message: Type.String(),
  details: FreeForm(),
})
export type Blocker = Static<typeof Blocker>

/** The remote of its fork is in `git`, and its blockers say what is missing. */
const pullInTools = toolRecord({
  follows: ['repo', 'fork', 'merge_base_sha', 'diff_url', 'patch_url'],
  usual: {
    labels: [],
    assignees: [],
    requested_reviewers: { users: [], teams: [], agents: [] },
    statuses_state: 'none',
    checks_status: 'none',
    instruction_paths: [],
    auto_merge: false,
    comments_count: 0,
    session: { entries: 0, last_seq: 0 },
  },
})

export const Pull = Type.Object(
  {
    id: Id('pr'),
    number: Type.Integer(),
    repo: Type.String({ description: 'The repository as <owner>/<name>.' }),
    title: Type.String(),
    body: Type.String({ description: 'Markdown; what marking it ready said.' }),
    status: OneOf(PULL_STATUSES),
    issue: NullableInteger({ description: 'The issue that it is for.' }),
    branch: NullableText({
      description: 'Its head branch in this repository; null for one with a fork of its own.',
    }),
    fork: Nullable(
      Type.Object({
        id: Id('rep'),
        full_name: Type.String(),
        remote: Type.String({ description: 'Where its author pushes.' }),
      }),
    ),
    base: Type.Object({
      ref: Type.String(),
      sha: Type.String({ description: 'The tip of the base now.' }),
    }),
    head: Nullable(Type.Object({ ref: Type.String(), sha: Type.String() })),
    merge_base_sha: Nullable(Type.String()),
    author: Actor,
    agent: NullableText({ description: 'The agent that works on it.' }),
    revision: count('1 once it is ready, and one more for every push after that.'),
    commits_count: count(),
    changed_files: count(),
    additions: count(),
    deletions: count(),
    comments_count: count(),
    labels: Type.Array(Type.String()),
    assignees: Type.Array(Assignee),
    milestone: Nullable(IssueMilestone),
    requested_reviewers: Type.Object({
      users: Type.Array(Actor),
      teams: Type.Array(Type.String()),
      agents: Type.Array(Actor),
    }),
    approvals: Type.Object({ required: count(), counted: count() }),
    instruction_paths: Type.Array(Type.String(), {
      description:
        'Files that say how agents and checks work (instructions, settings of agent programs, workflows, code owners) and that an agent changes here. A person must approve them.',
    }),
    checks_status: OneOf(CHECKS_STATUSES, {
      description: 'Of the acceptance checks of its issue.',
    }),
    statuses_state: OneOf(['none', 'pending', 'success', 'failure']),
    mergeable: OneOf(['yes', 'no', 'unknown'], {
      description: 'Whether it merges without conflicts; unknown while that is computed.',
    }),
    blockers: Type.Array(Blocker, {
      description: 'Everything that keeps it from being merged now; empty when nothing does.',
    }),
    auto_merge: Type.Boolean(),
    queue: Nullable(
      Type.Object({ position: Type.Integer(), state: Type.String(), entry: Type.String() }),
    ),
    superseded_by: NullableInteger({
      ...restName('supersededBy'),
      description: 'The merged pull request that closed this one.',
    }),
    merged_by: NullableText({ ...restName('mergedBy'), description: 'Who merged it, a username.' }),
    merge_commit_sha: Nullable(Type.String()),
    merge_method: Nullable(OneOf(MERGE_METHODS)),
    session: Type.Object(
      {
        entries: count(),
        last_seq: count(),
        last_at: Nullable(Time),
        cost_usd: Nullable(Type.Number()),
      },
      toolRecord({ same: { entries: 'last_seq' } }),
    ),
    html_url: Type.String(),
    diff_url: Type.String(),
    patch_url: Type.String(),
    created_at: Time,
    updated_at: Time,
    ready_at: Nullable(Time),
    merged_at: Nullable(Time),
    closed_at: Nullable(Time),
  },
  { $id: 'Pull', description: 'A pull request.', ...pullInTools },
)
export type Pull = Static<typeof Pull>

export const PullRemote = Type.Object({
  remote: Type.String({ description: 'The address to push to.' }),
  branch: Type.String({ description: 'The branch to push.' }),
})

export type PullRemote = Static<typeof PullRemote>

/** The response of `create_pull`. */
export const NewPull = Type.Object(
  { pull: Pull, git: PullRemote },
  { $id: 'NewPull', description: 'A new pull request, and where to push its commits.' },
)
export type NewPull = Static<typeof NewPull>

export const Review = Type.Object(
  {
    id: Id('rvw'),
    author: Actor,
    verdict: OneOf(VERDICTS),
    body: Type.String(),
    commit: Type.String({ description: 'The head commit that was reviewed.' }),
    counted: Type.Boolean({
      description:
        'Whether it counts now: an approval toward those required, a request for changes against merging.',
    }),
    why_not_counted: Nullable(OneOf(WHY_NOT_COUNTED)),
    stale: Type.Boolean({ description: 'The change is no longer the one that was reviewed.' }),
    dismissed: Nullable(Type.Object({ by: Nullable(Actor), at: Time, reason: Type.String() })),
    comments: Type.Array(Type.String({ description: 'Ids of its comments on lines.' })),
    created_at: Time,
  },
  {
    $id: 'Review',
    description: 'A review of a pull request.',
    ...toolRecord({ usual: { stale: false, comments: [] } }),
  },
)
export type Review = Static<typeof Review>

export const Behind = Type.Object(
  {
    by: count('Commits on the base since the merge base.'),
    base: Type.String(),
    base_sha: Type.String(),
    merge_base_sha: Nullable(Type.String()),
    conflicts: Type.Union([Type.Boolean(), Type.Null()], { description: 'Null while unknown.' }),
    conflict_paths: Type.Array(Type.String()),
    touched_paths: Type.Array(Type.String(), {
      description: 'Paths changed on the base meanwhile that this changes too.',
    }),
  },
  toolRecord({
    follows: ['base', 'base_sha'],
    usual: { conflict_paths: [], touched_paths: [] },
  }),
)
export type Behind = Static<typeof Behind>

export const Overlap = Type.Object({
  number: Type.Integer(),
  title: Type.String(),
  status: OneOf(PULL_STATUSES),
  author: Actor,
  agent: Nullable(Type.String()),
  issue: Nullable(Type.Integer()),
  level: OneOf(['lines', 'file', 'directory'], {
    description: 'Whether the same lines are changed, or the same files only.',
  }),
  paths: Type.Array(
    Type.Object({
      path: Type.String(),
      ranges: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
        description: 'Lines of the base that both change: first and last, from 1.',
      }),
    }),
  ),
})
export type Overlap = Static<typeof Overlap>

export const ChecksAndStatuses = Type.Object({
  ...checksFields,
  statuses: Type.Array(
    Type.Object({
      context: Type.String(),
      state: OneOf(['pending', 'success', 'failure', 'error']),
      description: Nullable(Type.String()),
      target_url: Nullable(Type.String()),
    }),
    { description: 'Commit statuses of the head.' },
  ),
})

export type ChecksAndStatuses = Static<typeof ChecksAndStatuses>

const { issue: _issue, ...copied } = Pull.properties

export const PullDetail = Type.Object(
  {
    ...copied,
    pull: Pull,
    issue: Nullable(Issue),
    comments: Type.Array(Comment, {
      description: 'The first 100, oldest first, comments on lines included.',
    }),
    reviews: Type.Array(Review, { description: 'All, oldest first.' }),
    checks: Checks,
    behind: Behind,
    overlaps: Type.Array(Overlap, {
      description: 'Other active pull requests that change the same, strongest first.',
    }),
    git: PullRemote,
  },
  {
    $id: 'PullDetail',
    description:
      'A pull request with its issue, comments, reviews and checks. Fields of pull are repeated at the top.',
    ...toolRecord({
      ...pullInTools['x-tool-record'],
      follows: [...(pullInTools['x-tool-record'].follows ?? []), 'pull'],
    }),
  },
)
export type PullDetail = Static<typeof PullDetail>

const { comments: _comments, ...pullOverview } = PullDetail.properties
export const PullOverview = Type.Object(pullOverview)
export type PullOverview = Static<typeof PullOverview>

export const PullChanges = Type.Object(
  {
    base_sha: Type.String(),
    head_sha: Nullable(Type.String()),
    merge_base_sha: Nullable(Type.String({ description: 'What the head is compared with.' })),
    since_sha: Nullable(
      Type.String({
        description: 'The earlier head that it is compared with instead, when that was asked for.',
      }),
    ),
    totals: Type.Object({ files: count(), additions: count(), deletions: count() }),
    viewed_files: Type.Integer({
      description: 'How many of all its files you marked as viewed in their present version.',
    }),
    truncated: Type.Boolean({
      description: 'Some files of this page are given without their text; ask for them with path.',
    }),
    files: Type.Array(FileChange),
    next: Nullable(Type.String({ description: 'The page that follows.' })),
  },
  { $id: 'PullChanges', description: 'What a pull request changes, file by file.' },
)
export type PullChanges = Static<typeof PullChanges>

export const ConflictPart = Type.Object({
  merged: NullableText({ description: 'Lines that merge; null for a conflict.' }),
  conflict: Nullable(
    Type.Object({
      ancestor: Type.String({ description: 'The lines before both changes.' }),
      head: Type.String({ description: 'The lines of the pull request.' }),
      base: Type.String({ description: 'The lines of its base.' }),
    }),
  ),
})
export type ConflictPart = Static<typeof ConflictPart>

export const ConflictFile = Type.Object({
  path: Type.String(),
  resolvable: Type.Boolean({
    description: 'False where names conflict (renames, a folder in place of a file): use git.',
  }),
  in_ancestor: Type.Boolean(),
  in_head: Type.Boolean({ description: 'False when the pull request deleted it.' }),
  in_base: Type.Boolean({ description: 'False when the base deleted it.' }),
  parts: Nullable(
    Type.Array(ConflictPart, {
      description:
        'The file in order. Null unless it is UTF-8 text of moderate size on both sides.',
    }),
  ),
})
export type ConflictFile = Static<typeof ConflictFile>

export const PullConflicts = Type.Object(
  {
    head_sha: Type.String(),
    base_sha: Type.String(),
    total: count('Files in conflict, listed or not.'),
    files: Type.Array(ConflictFile, { description: 'The first 100, by path.' }),
  },
  { $id: 'PullConflicts', description: 'The conflicts of a pull request with its base.' },
)
export type PullConflicts = Static<typeof PullConflicts>

export const SessionEntry = Type.Object(
  {
    seq: Type.Integer({ description: 'From 1, without gaps.' }),
    kind: Type.String(),
    text: Type.String(),
    tool: Nullable(Type.String()),
    at: Time,
    author: Nullable(Actor),
    sha: Nullable(Type.String({ description: 'The head commit that it belongs to.' })),
    data: Nullable(FreeForm()),
    truncated: Type.Boolean(),
    redacted: Type.Boolean({ description: 'A secret was taken out.' }),
  },
  {
    $id: 'SessionEntry',
    description: 'One entry of the record of how a pull request was made.',
    ...toolRecord({ follows: ['sha'], usual: { truncated: false, redacted: false } }),
  },
)
export type SessionEntry = Static<typeof SessionEntry>

/** Checked by the handler, so that an error names its place in the list. */
export const SessionEntryInput = Type.Object({
  kind: Type.String({
    pattern: '^[a-z][a-z0-9_]{0,31}$',
    description:
      'message, thought, plan, tool, result, edit, checkpoint, question, answer, error, usage, summary or another word.',
  }),
  text: Type.String({
    maxLength: 4 << 20,
    description: 'At most 65,536 characters are kept.',
  }),
  tool: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The tool that was used; required with the kind tool.',
      }),
    ),
  ),
  at: Type.Optional(
    Nullable(
      Type.String({ maxLength: 50, description: 'When it happened, RFC 3339; now unless given.' }),
    ),
  ),
  sha: Type.Optional(
    Nullable(
      Type.String({
        pattern: '^[0-9a-f]{40}$',
        description: 'The head commit that it belongs to; the present one unless given.',
      }),
    ),
  ),
  data: Type.Optional(Nullable(FreeForm({ description: 'At most 16 KiB of JSON.' }))),
})
export type SessionEntryInput = Static<typeof SessionEntryInput>
